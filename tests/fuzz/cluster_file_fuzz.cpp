// Fuzzes cluster files, which people write and daemons and host programs read.
#include "cluster/cluster.hpp"
#include "fuzzing.hpp"

#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  using namespace copse;
  const auto cluster = cluster::parseCluster(std::string(fuzz::textOf(data, size)), "input");
  if (!cluster)
    return 0;
  const std::string once = cluster::formatCluster(*cluster);
  const auto again = cluster::parseCluster(once, "written");
  fuzz::require(again.ok(), "what was read can be written and read again");
  fuzz::require(cluster::formatCluster(*again) == once, "it is the same then");
  return 0;
}
