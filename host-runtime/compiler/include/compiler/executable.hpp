#pragma once

#include "compiler/memory_layout.hpp"
#include "compiler/program_lowering.hpp"
#include "graph/model.hpp"
#include "wire/image.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace copse::compiler {

/// One handle of createHostRead or createHostWrite.
struct HostAccess {
  std::string handle;
  bool write = false;
  std::uint32_t view = 0;     ///< index into Image::hostViews
  std::uint64_t rowBytes = 0; ///< of one replica
};

/// A stream with what the engine needs to serve it.
struct Stream {
  graph::StreamDef definition;
  std::uint64_t rowBytes = 0; ///< of one replica and one copy
};

struct RemoteBuffer {
  graph::RemoteBufferDef definition;
  std::uint64_t rowBytes = 0;
};

/// Work that the compiler saved a program, in things that would else be copied.
struct Optimizations {
  std::uint64_t copiesElided = 0;  ///< variables that lie in the memory of what they are copies of
  std::uint64_t edgesInPlace = 0;  ///< edges that point at a variable's own memory
  std::uint64_t edgesBuffered = 0; ///< edges that need a copy of their elements
  std::uint64_t buffersShared = 0; ///< of them, those for which another edge's copy serves
  friend bool operator==(const Optimizations &, const Optimizations &) = default;
};

/// A compiled program: all that an Engine needs; the graph may be gone.
struct CompiledProgram {
  std::uint32_t replicas = 1;
  std::vector<wire::Image> images; ///< shape [IPUs of one replica]
  std::vector<Stream> streams;
  std::vector<RemoteBuffer> remoteBuffers;
  std::vector<HostAccess> hostAccesses;
  std::vector<PrintedTensor> printed;
  std::vector<ProgramBlock> blocks;                         ///< an outer one before those in it
  std::vector<std::shared_ptr<const popc::Module>> modules; ///< as Image::modules counts them
  MemoryLayout memory;                                      ///< of one replica
  Optimizations optimizations;
  std::uint64_t variableCount = 0, edgeCount = 0;
};

} // namespace copse::compiler
