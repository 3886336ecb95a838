// A host program on replicas of one IPU, which all send to all others, and then sum what they have:
//
//     all_to_all REPLICAS FILE
//
// It writes into the file, as JSON, what each replica has received, the sums, and the modelled
// cycles of both.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <gcl/Collectives.hpp>
#include <poplar/CycleCount.hpp>
#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <popops/codelets.hpp>
#include <stdexcept>
#include <string>
#include <vector>

using namespace poplar;

namespace {

constexpr unsigned kElements = 64; ///< that each replica has for each other

Device attach(unsigned ipus) {
  for (Device &device :
       DeviceManager().getDevices(TargetType::IPU, ipus, {{"ipuLinkTopology", "mesh"}}))
    if (device.attach())
      return std::move(device);
  throw std::runtime_error("no device of " + std::to_string(ipus) + " IPUs is free");
}

/// Returns the elements of all replicas, each of which begins with its own number.
std::vector<std::int32_t> inputs(unsigned replicas) {
  std::vector<std::int32_t> values;
  for (unsigned from = 0; from < replicas; ++from)
    for (unsigned to = 0; to < replicas; ++to)
      for (unsigned element = 0; element < kElements; ++element)
        values.push_back(static_cast<std::int32_t>(10000 * from + 100 * to + element));
  return values;
}

template <typename T> void print(std::ofstream &out, const char *name, const std::vector<T> &all) {
  out << '"' << name << "\": [";
  for (std::size_t i = 0; i < all.size(); ++i)
    out << (i == 0 ? "" : ", ") << all[i];
  out << ']';
}

void run(unsigned replicas, const char *file) {
  Device device = attach(replicas);
  Graph graph(device.getTarget(), replication_factor(replicas));
  popops::addCodelets(graph);
  const Tensor data = graph.addVariable(INT, {replicas, kElements}, "data");
  graph.setTileMapping(data, 0);
  program::Sequence program;
  const Tensor received = gcl::allToAllCrossReplica(graph, data, program, "toAll");
  const Tensor sums =
      gcl::allReduceCrossReplica(graph, received, gcl::CollectiveOperator::ADD, program, "sum");
  const Tensor cycles = cycleCount(graph, program, 0, SyncType::GLOBAL);
  graph.createHostWrite("data", data);
  graph.createHostRead("received", received);
  graph.createHostRead("sums", sums);
  graph.createHostRead("cycles", cycles);

  Engine engine(graph, program);
  engine.load(device);
  const std::vector<std::int32_t> values = inputs(replicas);
  engine.writeTensor("data", values.data(), values.data() + values.size());
  engine.run(0);
  std::vector<std::int32_t> got(values.size()), summed(values.size());
  std::vector<std::uint64_t> counted(replicas);
  engine.readTensor("received", got.data(), got.data() + got.size());
  engine.readTensor("sums", summed.data(), summed.data() + summed.size());
  engine.readTensor("cycles", counted.data(), counted.data() + counted.size());

  std::ofstream out(file);
  out << '{';
  print(out, "received", got);
  out << ",\n ";
  print(out, "sums", summed);
  out << ",\n ";
  print(out, "modelled_cycles", counted);
  out << "}\n";
  if (!out.flush())
    throw std::runtime_error(std::string("cannot write ") + file);
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 3)
    return 2;
  try {
    run(static_cast<unsigned>(std::atoi(argv[1])), argv[2]);
  } catch (const std::exception &error) {
    std::fprintf(stderr, "all_to_all: %s\n", error.what());
    return 1;
  }
}
