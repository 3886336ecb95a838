#include "target_options.hpp"

#include "environment_options.hpp"

#include "poplar/exceptions.hpp"
#include "types/option_tables.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace copse::types {
namespace {

constexpr std::array kTargetOptions{
    OptionSpec{"syncConfiguration", OptionKind::Word, "intraReplicaAndAll", OptionEffect::Used,
               "intraReplicaAndAll|ipuAndAll|intraReplicaAndLadder"},
    OptionSpec{"ipuLinkTopology", OptionKind::Word, "mesh", OptionEffect::Used, "mesh|torus"},
    OptionSpec{"ipuLinkConfiguration", OptionKind::Word, "Default", OptionEffect::Hint,
               "Default|BarleyTwist|SlidingWindow"},
    OptionSpec{"ipuLinkDomainSize", OptionKind::Integer, "", OptionEffect::Used, {}},
    OptionSpec{"instanceSize", OptionKind::Integer, "", OptionEffect::Used, {}},
    OptionSpec{"gatewayMode", OptionKind::Boolean, "", OptionEffect::Used, {}},
    OptionSpec{"gatewayMultiReadServiceTable", OptionKind::Text, "", OptionEffect::Hint, {}},
};

SyncConfiguration syncConfigurationOf(std::string_view word) {
  if (word == "ipuAndAll")
    return SyncConfiguration::IpuAndAll;
  return word == "intraReplicaAndLadder" ? SyncConfiguration::IntraReplicaAndLadder
                                         : SyncConfiguration::IntraReplicaAndAll;
}

poplar::IpuLinkConfiguration linkConfigurationOf(std::string_view word) {
  if (word == "BarleyTwist")
    return poplar::IpuLinkConfiguration::BarleyTwist;
  return word == "SlidingWindow" ? poplar::IpuLinkConfiguration::SlidingWindow
                                 : poplar::IpuLinkConfiguration::Default;
}

std::uint32_t ipusAt(const OptionReader &reader, const char *option) {
  const std::uint64_t ipus = reader.integer(option);
  if (ipus == 0 || ipus > std::numeric_limits<std::uint32_t>::max())
    throw poplar::invalid_option("target option '" + std::string(option) + "': value '" +
                                 reader.text(option) + "' is not a number of IPUs");
  return static_cast<std::uint32_t>(ipus);
}

/// Returns the word for \p value; words are listed in the order of the enumerators.
template <class E> std::string wordAt(std::string_view option, E value) {
  const auto spec = std::find_if(kTargetOptions.begin(), kTargetOptions.end(),
                                 [&](const OptionSpec &s) { return s.name == option; });
  std::string_view words = spec->words;
  for (auto i = static_cast<unsigned>(value); i > 0; --i)
    words.remove_prefix(words.find('|') + 1);
  return std::string(words.substr(0, words.find('|')));
}

} // namespace

std::span<const OptionSpec> targetOptionTable() { return kTargetOptions; }

LinkOptions parseTargetOptions(const poplar::OptionFlags &flags, const LinkOptions &defaults) {
  const OptionReader reader("target option", kTargetOptions,
                            withEnvironment(flags, "POPLAR_TARGET_OPTIONS"));
  LinkOptions options = defaults;
  if (reader.isSet("syncConfiguration"))
    options.syncConfiguration = syncConfigurationOf(reader.word("syncConfiguration"));
  if (reader.isSet("ipuLinkTopology"))
    options.topology = reader.word("ipuLinkTopology") == "torus" ? poplar::IpuLinkTopology::Torus
                                                                 : poplar::IpuLinkTopology::Mesh;
  if (reader.isSet("ipuLinkConfiguration"))
    options.configuration = linkConfigurationOf(reader.word("ipuLinkConfiguration"));
  if (reader.isSet("ipuLinkDomainSize"))
    options.domainSize = ipusAt(reader, "ipuLinkDomainSize");
  if (reader.isSet("instanceSize"))
    options.instanceSize = ipusAt(reader, "instanceSize");
  if (reader.isSet("gatewayMode"))
    options.gatewayMode = reader.boolean("gatewayMode");
  if (reader.isSet("gatewayMultiReadServiceTable"))
    options.gatewayMultiReadServiceTable = reader.text("gatewayMultiReadServiceTable");
  return options;
}

poplar::OptionFlags flagsOf(const LinkOptions &options) {
  poplar::OptionFlags flags{
      {"syncConfiguration", wordAt("syncConfiguration", options.syncConfiguration)},
      {"ipuLinkTopology", wordAt("ipuLinkTopology", options.topology)},
      {"ipuLinkConfiguration", wordAt("ipuLinkConfiguration", options.configuration)},
      {"ipuLinkDomainSize", std::to_string(options.domainSize)},
      {"gatewayMode", options.gatewayMode ? "true" : "false"}};
  if (options.instanceSize > 0)
    flags.set("instanceSize", std::to_string(options.instanceSize));
  if (!options.gatewayMultiReadServiceTable.empty())
    flags.set("gatewayMultiReadServiceTable", options.gatewayMultiReadServiceTable);
  return flags;
}

} // namespace copse::types
