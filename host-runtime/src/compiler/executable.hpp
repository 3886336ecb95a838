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

/// A compiled program: all that an Engine needs; the graph may be gone.
struct Executable {
  std::uint32_t replicas = 1;
  std::vector<wire::Image> images; ///< shape [IPUs of one replica]
  std::vector<Stream> streams;
  std::vector<RemoteBuffer> remoteBuffers;
  std::vector<HostAccess> hostAccesses;
  std::vector<PrintedTensor> printed;
  std::vector<std::shared_ptr<const codelets::Module>> modules; ///< as Image::modules counts them
};

} // namespace copse::compiler
