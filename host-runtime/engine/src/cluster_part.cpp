#include "engine/cluster_part.hpp"

#include "partition_request.hpp"

#include "poplar/exceptions.hpp"
#include "wire/environment.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>

namespace copse::engine {
namespace {

using nlohmann::json;
using poplar::no_environment;
using wire::environmentVariable;

constexpr std::size_t kMaxConfigBytes = std::size_t{1} << 20;

cluster::Cluster require(wire::Result<cluster::Cluster> cluster, const std::string &source) {
  if (!cluster)
    throw no_environment(source + ": " + cluster.status().message);
  return std::move(*cluster);
}

/// Parses a number and removes it from \p text.
std::optional<unsigned> takeNumber(std::string_view &text) {
  unsigned value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc())
    return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

std::vector<unsigned> allIpus(const cluster::Cluster &cluster) {
  std::vector<unsigned> all(cluster.ipus.size());
  std::iota(all.begin(), all.end(), 0U);
  return all;
}

/// Returns the list of IPUs at \p key, which must be distinct and exist in the cluster.
std::vector<unsigned> ipusAt(const json &document, const char *key, std::size_t count,
                             const std::string &source) {
  const auto found = document.find(key);
  const auto isIpu = [&](const json &ipu) {
    return ipu.is_number_unsigned() && ipu.get<std::uint64_t>() < count;
  };
  if (found == document.end() || !found->is_array() || found->empty() ||
      !std::all_of(found->begin(), found->end(), isIpu))
    throw no_environment(source + ": '" + key + "' is no list of IPUs of the cluster");
  auto ipus = found->get<std::vector<unsigned>>();
  if (std::set(ipus.begin(), ipus.end()).size() != ipus.size())
    throw no_environment(source + ": '" + key + "' names an IPU twice");
  return ipus;
}

std::string readConfig(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  std::string text(kMaxConfigBytes, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (file.bad() || (!file.eof() && file.fail()) || file.gcount() == 0)
    throw no_environment("IPUOF_CONFIG_PATH: " + path +
                         " cannot be read; write it with vipu get partition NAME --gcd 0 "
                         "--ipuof-configs");
  text.resize(static_cast<std::size_t>(file.gcount()));
  return text;
}

ClusterPart partOfFile(const std::string &path) {
  const std::string source = "COPSE_CLUSTER";
  ClusterPart part;
  part.cluster = require(cluster::readCluster(path), source);
  part.partition = allIpus(part.cluster);
  const std::string list = environmentVariable("COPSE_CLUSTER_IPUS");
  part.ipus = list.empty() ? part.partition
                           : parseIpuList(list, static_cast<unsigned>(part.cluster.ipus.size()));
  return part;
}

} // namespace

std::vector<unsigned> parseIpuList(std::string_view text, unsigned count) {
  const std::string all(text);
  const auto refuse = [&](const std::string &why) -> no_environment {
    return no_environment("COPSE_CLUSTER_IPUS is '" + all + "'" + why +
                          "; write numbers of IPUs of the cluster, 0 to " +
                          std::to_string(count - 1) + ", such as 0,4-7");
  };
  std::vector<unsigned> ipus;
  for (bool more = true; more;) {
    const auto first = takeNumber(text);
    auto last = first;
    if (first && text.starts_with('-')) {
      text.remove_prefix(1);
      last = takeNumber(text);
    }
    if (!first || !last || *last < *first)
      throw refuse("");
    if (*last >= count)
      throw refuse(", but the cluster has no IPU " + std::to_string(*last));
    for (unsigned ipu = *first; ipu <= *last; ++ipu)
      ipus.push_back(ipu);
    more = text.starts_with(',');
    if (more)
      text.remove_prefix(1);
  }
  if (!text.empty())
    throw refuse("");
  if (std::set(ipus.begin(), ipus.end()).size() != ipus.size())
    throw refuse(", which names an IPU twice");
  return ipus;
}

ClusterPart parsePartition(const std::string &text, const std::string &source) {
  const json document = json::parse(text, nullptr, false);
  if (!document.is_object() || !document.contains("cluster") || !document["cluster"].is_object())
    throw no_environment(source + ": this is no description of a partition: it has no 'cluster'");
  ClusterPart part;
  part.cluster = require(cluster::parseCluster(document["cluster"].dump(), source), source);
  part.ipus = ipusAt(document, "ipus", part.cluster.ipus.size(), source);
  part.partition = ipusAt(document, "partitionIpus", part.cluster.ipus.size(), source);
  for (const unsigned ipu : part.ipus)
    if (std::find(part.partition.begin(), part.partition.end(), ipu) == part.partition.end())
      throw no_environment(source + ": ipu " + std::to_string(ipu) + " is not in 'partitionIpus'");
  const auto name = document.find("partition");
  const auto reconfigurable = document.find("reconfigurable");
  if (name == document.end() || !name->is_string() || reconfigurable == document.end() ||
      !reconfigurable->is_boolean())
    throw no_environment(source +
                         ": 'partition' must be a name and 'reconfigurable' true or false");
  part.name = name->get<std::string>();
  part.reconfigurable = reconfigurable->get<bool>();
  if (const auto gcd = document.find("gcd"); gcd != document.end()) {
    if (!gcd->is_number_unsigned())
      throw no_environment(source + ": 'gcd' must be a number");
    part.gcd = gcd->get<unsigned>();
  }
  return part;
}

types::TargetDescription inPodOf(const std::optional<ClusterPart> &part,
                                 types::TargetDescription target) {
  if (part)
    target.pod = part->cluster.pod;
  return target;
}

std::optional<ClusterPart> clusterPartOfThisMachine() {
  if (const std::string path = environmentVariable("IPUOF_CONFIG_PATH"); !path.empty())
    return parsePartition(readConfig(path), path);
  if (!environmentVariable("IPUOF_VIPU_API_PARTITION_ID").empty()) {
    const PartitionRequest request = partitionRequestOfEnvironment();
    return parsePartition(requestPartition(request), request.source());
  }
  if (const std::string path = environmentVariable("COPSE_CLUSTER"); !path.empty())
    return partOfFile(path);
  return std::nullopt;
}

} // namespace copse::engine
