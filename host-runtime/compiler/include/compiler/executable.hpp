#pragma once

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

/// What one tile's memory is used for [bytes]; padding counts for what it precedes.
struct TileUse {
  std::uint64_t code = 0;    ///< of tile instructions, with stacks
  std::uint64_t control = 0; ///< words that steps decide by, and the estimate of control code
  std::uint64_t variables = 0, constants = 0;
  std::uint64_t vertexStates = 0;
  std::uint64_t edgeBuffers = 0; ///< copies of remote data; compute sets share them
  std::uint64_t total() const {
    return code + control + variables + constants + vertexStates + edgeBuffers;
  }
  friend bool operator==(const TileUse &, const TileUse &) = default;
};

/// A compiled program: all that an Engine needs; the graph may be gone.
struct CompiledProgram {
  std::uint32_t replicas = 1;
  std::vector<wire::Image> images; ///< shape [IPUs of one replica]
  std::vector<Stream> streams;
  std::vector<RemoteBuffer> remoteBuffers;
  std::vector<HostAccess> hostAccesses;
  std::vector<PrintedTensor> printed;
  std::vector<std::shared_ptr<const popc::Module>> modules; ///< as Image::modules counts them
  std::vector<TileUse> tileUses;                            ///< shape [tiles of one replica]
  std::uint64_t variableCount = 0, edgeCount = 0;
};

} // namespace copse::compiler
