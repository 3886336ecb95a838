#include "poplar_test/Util.hpp"

#include <poplar/DataStream.hpp>

namespace poplar_test {
namespace {

std::string uploadOf(const std::string &name) { return name + "/upload"; }
std::string downloadOf(const std::string &name) { return name + "/download"; }

std::size_t bytesOf(const poplar::Target &target, const poplar::Tensor &t, unsigned replicas) {
  return t.numElements() * target.getTypeSize(t.elementType()) * replicas;
}

} // namespace

std::unique_ptr<char[]> allocateHostMemoryForTensor(const poplar::Tensor &t,
                                                    const std::string &name, poplar::Graph &graph,
                                                    OptionalSequence upload,
                                                    OptionalSequence download,
                                                    HostMemories &memories) {
  const std::size_t bytes = bytesOf(graph.getTarget(), t, graph.getReplicationFactor());
  auto memory = std::make_unique<char[]>(bytes);
  if (upload.get() != nullptr)
    upload.get()->add(poplar::program::Copy(
        graph.addHostToDeviceFIFO(uploadOf(name), t.elementType(), t.numElements()), t));
  if (download.get() != nullptr)
    download.get()->add(poplar::program::Copy(
        t, graph.addDeviceToHostFIFO(downloadOf(name), t.elementType(), t.numElements())));
  memories.emplace_back(
      name, HostMemory{memory.get(), bytes, upload.get() != nullptr, download.get() != nullptr});
  return memory;
}

std::unique_ptr<char[]> allocateHostMemoryForTensor(const poplar::Target &target,
                                                    const poplar::Tensor &t,
                                                    unsigned replicationFactor) {
  return std::make_unique<char[]>(bytesOf(target, t, replicationFactor));
}

void attachStreams(poplar::Engine &engine, const HostMemories &memories) {
  for (const auto &[name, memory] : memories) {
    if (memory.isUploaded)
      engine.connectStream(uploadOf(name), memory.data, memory.data + memory.bytes);
    if (memory.isDownloaded)
      engine.connectStream(downloadOf(name), memory.data, memory.data + memory.bytes);
  }
}

} // namespace poplar_test
