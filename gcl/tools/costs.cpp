// Prints the modelled cycles of each method of an all-reduce, and which one is chosen.
#include "choice.hpp"

#include <cstdio>
#include <cstring>
#include <map>
#include <numeric>
#include <string>

namespace {

const char kUsage[] =
    "usage: gcl-costs [--system NAME] [--ipus-per-replica N] [--collective NAME] [--tiles N]\n"
    "Prints a table: modelled cycles of each method, for bytes x replicas x topology; * marks the\n"
    "method that `auto` takes.\n"
    "  --system NAME         ipu1, ipu2, ipu21, ... [ipu2]\n"
    "  --ipus-per-replica N  [1]\n"
    "  --collective NAME     all-reduce, reduce-scatter, all-gather [all-reduce]\n"
    "  --tiles N             of an IPU, that hold the operand [1472]\n";

struct Arguments {
  std::string system = "ipu2";
  gcl::Collective collective = gcl::Collective::AllReduce;
  unsigned ipusPerReplica = 1, tiles = 1472;
};

/// \returns false if they cannot be understood
bool parse(int argc, char **argv, Arguments &arguments) {
  const std::map<std::string, gcl::Collective> collectives = {
      {"all-reduce", gcl::Collective::AllReduce},
      {"reduce-scatter", gcl::Collective::ReduceScatter},
      {"all-gather", gcl::Collective::AllGather}};
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string option = argv[i], value = argv[i + 1];
    if (option == "--system")
      arguments.system = value;
    else if (option == "--ipus-per-replica" || option == "--tiles") {
      const int number = std::atoi(value.c_str());
      if (number <= 0)
        return false;
      (option == "--tiles" ? arguments.tiles : arguments.ipusPerReplica) =
          static_cast<unsigned>(number);
    } else if (option == "--collective" && collectives.count(value))
      arguments.collective = collectives.at(value);
    else
      return false;
  }
  return argc % 2 == 1;
}

/// The cheaper of the two orders of each method.
std::map<gcl::Method, std::uint64_t> cheapest(const std::vector<gcl::Candidate> &candidates) {
  std::map<gcl::Method, std::uint64_t> cycles;
  for (const gcl::Candidate &candidate : candidates) {
    const auto [known, isNew] = cycles.try_emplace(candidate.choice.method, candidate.cost.cycles);
    if (!isNew)
      known->second = std::min(known->second, candidate.cost.cycles);
  }
  return cycles;
}

void printTable(const Arguments &arguments, const char *topology) {
  std::printf("%s\n%10s %8s", topology, "bytes", "replicas");
  for (const gcl::Method method :
       {gcl::Method::ClockwiseRing, gcl::Method::AnticlockwiseRing,
        gcl::Method::BidirectionalRingPair, gcl::Method::MeetInMiddleRing, gcl::Method::Direct,
        gcl::Method::Broadcast, gcl::Method::Hierarchical})
    std::printf(" %24s", gcl::nameOf(method).c_str());
  std::printf("\n");
  for (const std::size_t bytes : {64u, 1024u, 16u << 10, 256u << 10, 4u << 20, 64u << 20})
    for (unsigned replicas = 2; replicas * arguments.ipusPerReplica <= 64; replicas *= 2) {
      const unsigned ipus = replicas * arguments.ipusPerReplica;
      const poplar::Target target =
          poplar::Target::createIPUTarget(ipus, arguments.system, {{"ipuLinkTopology", topology}});
      gcl::Task task{arguments.collective,
                     {std::vector<unsigned>(replicas)},
                     arguments.ipusPerReplica,
                     bytes,
                     arguments.tiles};
      std::iota(task.groups[0].begin(), task.groups[0].end(), 0u);
      const auto all = gcl::candidates(gcl::FabricModel::of(target, ipus), task, std::nullopt);
      const gcl::Method chosen = gcl::choose(target, task, std::nullopt).method;
      std::printf("%10zu %8u", bytes, replicas);
      for (const auto &[method, cycles] : cheapest(all))
        std::printf(" %23llu%c", static_cast<unsigned long long>(cycles),
                    method == chosen ? '*' : ' ');
      std::printf("\n");
    }
  std::printf("\n");
}

} // namespace

int main(int argc, char **argv) {
  Arguments arguments;
  if (argc == 2 && std::strcmp(argv[1], "--help") == 0) {
    std::fputs(kUsage, stdout);
    return 0;
  }
  if (!parse(argc, argv, arguments)) {
    std::fputs(kUsage, stderr);
    return 2;
  }
  for (const char *topology : {"mesh", "torus"})
    printTable(arguments, topology);
  return 0;
}
