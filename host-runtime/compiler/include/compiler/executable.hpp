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

/// A handle of createHostRead or createHostWrite.
struct HostAccess {
  std::string handle;
  bool write = false;
  std::uint32_t view = 0;     ///< index into Image::hostViews
  std::uint64_t rowBytes = 0; ///< per replica
};

/// A stream, with what the engine needs to serve it.
struct Stream {
  graph::StreamDef definition;
  std::uint64_t rowBytes = 0; ///< per replica and copy
};

struct RemoteBuffer {
  graph::RemoteBufferDef definition;
  std::uint64_t rowBytes = 0;
};

/// Statistics of copies that the compiler avoided.
struct Optimizations {
  std::uint64_t copiesElided = 0;  ///< variables that share the memory of the variables they copy
  std::uint64_t edgesInPlace = 0;  ///< edges that refer to a variable's own memory
  std::uint64_t edgesBuffered = 0; ///< edges that need a copy of their elements
  std::uint64_t buffersShared = 0; ///< buffered edges that use another edge's copy
  friend bool operator==(const Optimizations &, const Optimizations &) = default;
};

/// A compiled program: everything that an Engine needs. The graph may be destroyed.
struct CompiledProgram {
  std::uint32_t replicas = 1;
  std::vector<wire::Image> images; ///< shape [IPUs per replica]
  std::vector<Stream> streams;
  std::vector<RemoteBuffer> remoteBuffers;
  std::vector<HostAccess> hostAccesses;
  std::vector<PrintedTensor> printed;
  std::vector<ProgramBlock> blocks;                         ///< outer blocks precede nested ones
  std::vector<std::shared_ptr<const popc::Module>> modules; ///< in the order of Image::modules
  MemoryLayout memory;                                      ///< memory of one replica
  Optimizations optimizations;
  std::uint64_t variableCount = 0, edgeCount = 0;
};

} // namespace copse::compiler
