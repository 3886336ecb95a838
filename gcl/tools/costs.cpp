// Prints the modelled cycles of each method of an all-reduce, and which one is chosen.
#include "choice.hpp"

#include <cstdio>
#include <cstring>
#include <map>
#include <numeric>
#include <string>
#include <vector>

namespace {

const char kUsage[] =
    "usage: gcl-costs [--system NAME] [--ipus-per-replica N] [--collective NAME] [--tiles N] "
    "[--json]\n"
    "Prints a table: modelled cycles of each method, for bytes x replicas x topology; * marks the\n"
    "method that `auto` takes.\n"
    "  --system NAME         ipu1, ipu2, ipu21, ... [ipu2]\n"
    "  --ipus-per-replica N  [1]\n"
    "  --collective NAME     all-reduce, reduce-scatter, all-gather [all-reduce]\n"
    "  --tiles N             of an IPU, that hold the operand [1472]\n"
    "  -j, --json            print a JSON array instead of tables\n";

struct Arguments {
  std::string system = "ipu2";
  gcl::Collective collective = gcl::Collective::AllReduce;
  unsigned ipusPerReplica = 1, tiles = 1472;
  bool json = false;
};

/// \returns false for invalid arguments
bool parse(int argc, char **argv, Arguments &arguments) {
  const std::map<std::string, gcl::Collective> collectives = {
      {"all-reduce", gcl::Collective::AllReduce},
      {"reduce-scatter", gcl::Collective::ReduceScatter},
      {"all-gather", gcl::Collective::AllGather}};
  for (int i = 1; i < argc; ++i) {
    const std::string option = argv[i];
    if (option == "--json" || option == "-j") {
      arguments.json = true;
      continue;
    }
    if (++i == argc)
      return false;
    const std::string value = argv[i];
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
  return true;
}

/// Returns the cycles of the cheaper of the two orders of each method.
std::map<gcl::Method, std::uint64_t> cheapest(const std::vector<gcl::Candidate> &candidates) {
  std::map<gcl::Method, std::uint64_t> cycles;
  for (const gcl::Candidate &candidate : candidates) {
    const auto [known, isNew] = cycles.try_emplace(candidate.choice.method, candidate.cost.cycles);
    if (!isNew)
      known->second = std::min(known->second, candidate.cost.cycles);
  }
  return cycles;
}

/// The modelled cycles of each method for one size.
struct Costs {
  const char *topology;
  std::size_t bytes;
  unsigned replicas;
  std::map<gcl::Method, std::uint64_t> cycles;
  gcl::Method chosen;
};

std::vector<Costs> costsFor(const Arguments &arguments, const char *topology) {
  std::vector<Costs> all;
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
      all.push_back(
          {topology, bytes, replicas,
           cheapest(gcl::candidates(gcl::FabricModel::of(target, ipus), task, std::nullopt)),
           gcl::choose(target, task, std::nullopt).method});
    }
  return all;
}

void printTable(const std::vector<Costs> &all) {
  std::printf("%s\n%10s %8s", all.front().topology, "bytes", "replicas");
  for (const gcl::Method method :
       {gcl::Method::ClockwiseRing, gcl::Method::AnticlockwiseRing,
        gcl::Method::BidirectionalRingPair, gcl::Method::MeetInMiddleRing, gcl::Method::Direct,
        gcl::Method::Broadcast, gcl::Method::Hierarchical})
    std::printf(" %24s", gcl::nameOf(method).c_str());
  std::printf("\n");
  for (const Costs &costs : all) {
    std::printf("%10zu %8u", costs.bytes, costs.replicas);
    for (const auto &[method, cycles] : costs.cycles)
      std::printf(" %23llu%c", static_cast<unsigned long long>(cycles),
                  method == costs.chosen ? '*' : ' ');
    std::printf("\n");
  }
  std::printf("\n");
}

/// Prints one object of an array, which contains only numbers, and names without quotes.
void printJson(const Costs &costs, bool isFirst) {
  std::printf("%s\n  {\"topology\": \"%s\", \"bytes\": %zu, \"replicas\": %u, \"chosen\": \"%s\", "
              "\"modelled_cycles\": {",
              isFirst ? "" : ",", costs.topology, costs.bytes, costs.replicas,
              gcl::nameOf(costs.chosen).c_str());
  const char *separator = "";
  for (const auto &[method, cycles] : costs.cycles) {
    std::printf("%s\"%s\": %llu", separator, gcl::nameOf(method).c_str(),
                static_cast<unsigned long long>(cycles));
    separator = ", ";
  }
  std::printf("}}");
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
  bool isFirst = true;
  std::printf("%s", arguments.json ? "[" : "");
  for (const char *topology : {"mesh", "torus"}) {
    const std::vector<Costs> all = costsFor(arguments, topology);
    if (!arguments.json)
      printTable(all);
    for (std::size_t i = 0; arguments.json && i < all.size(); ++i, isFirst = false)
      printJson(all[i], isFirst);
  }
  std::printf("%s", arguments.json ? "\n]\n" : "");
  return 0;
}
