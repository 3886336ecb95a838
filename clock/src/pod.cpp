#include "clock/pod.hpp"

#include "constants.hpp"
#include "read_pod.hpp"

#include <stdexcept>

namespace copse::clock {
namespace {

using nlohmann::json;

constexpr std::uint32_t kMostIpus = 65'536, kMostIpusOfDomain = 64;

void readPlaces(Constants &from, Pod &pod) {
  from.readAtLeastOne("ipus", pod.ipus);
  from.readAtLeastOne("hosts", pod.hosts);
  from.readAtLeastOne("ipusPerMachine", pod.ipusPerMachine);
  from.readAtLeastOne("ipusPerDomain", pod.ipusPerDomain);
  if (pod.ipus > kMostIpus)
    from.refuse("ipus", "must be " + std::to_string(kMostIpus) + " or less");
  if (pod.ipusPerDomain > kMostIpusOfDomain)
    from.refuse("ipusPerDomain", "must be " + std::to_string(kMostIpusOfDomain) +
                                     " or less: IPU-Links join no more");
  if (pod.ipus % pod.ipusPerMachine != 0)
    from.refuse("ipus", "must be a multiple of ipusPerMachine");
  if (pod.ipusPerDomain % pod.ipusPerMachine != 0)
    from.refuse("ipusPerDomain", "must be a multiple of ipusPerMachine");
  if (pod.ipus > pod.ipusPerDomain && pod.ipus % pod.ipusPerDomain != 0)
    from.refuse("ipus", "must be a multiple of ipusPerDomain, or less than it");
  if (pod.ipus / pod.ipusPerMachine % pod.hosts != 0)
    from.refuse("hosts", "must divide the number of machines, which is " +
                             std::to_string(pod.ipus / pod.ipusPerMachine));
}

GatewayLinks readGatewayLinks(Constants &from) {
  const std::string kind = from.text("gatewayLinks");
  if (kind == "looped")
    return GatewayLinks::Looped;
  if (kind == "switched")
    return GatewayLinks::Switched;
  if (kind != "none")
    from.refuse("gatewayLinks", "must be none, looped or switched");
  return GatewayLinks::None;
}

void readGateways(Constants &from, Pod &pod) {
  pod.gatewayLinks = readGatewayLinks(from);
  if (pod.gatewayLinks == GatewayLinks::None) {
    if (pod.ipus > pod.ipusPerDomain)
      from.refuse("gatewayLinks", "must be looped or switched: there are several domains");
    return;
  }
  from.read("ipuToGatewayBytesPerSecond", pod.ipuToGatewayBytesPerSecond);
  from.read("gatewayToIpuBytesPerSecond", pod.gatewayToIpuBytesPerSecond);
  from.readAtLeastOne("gatewayLinksPerMachine", pod.gatewayLinksPerMachine);
  from.read("gatewayLinkBytesPerSecond", pod.gatewayLinkBytesPerSecond);
  from.readZeroOrMore("gatewayHopSeconds", pod.gatewayHopSeconds);
  from.readZeroOrMore("gatewaySyncSeconds", pod.gatewaySyncSeconds);
}

/// Returns \p file completed by the entries of the pod that its entry "like" names.
json withBase(json file, const std::string &text, const PodTexts &known) {
  Constants from(file, text, "entry of a pod");
  if (!from.has("like"))
    return file;
  const std::string name = from.text("like");
  const std::string *const base = known(name);
  if (base == nullptr)
    from.refuse("like", "is '" + name + "', which is no pod of Copse's own");
  json all = withBase(json::parse(*base), *base, known);
  file.erase("like");
  all.update(file);
  return all;
}

wire::Status refusal(const std::string &why) { return {wire::Code::InvalidOption, "pod: " + why}; }

} // namespace

Pod readPod(const json &file, const std::string &text) {
  Constants from(file, text, "entry of a pod");
  Pod pod;
  pod.name = from.text("name");
  pod.system = from.text("system");
  readPlaces(from, pod);
  from.read("hostToIpuBytesPerSecond", pod.hostToIpuBytesPerSecond);
  from.read("ipuToHostBytesPerSecond", pod.ipuToHostBytesPerSecond);
  from.read("machineBytesPerSecond", pod.machineBytesPerSecond);
  from.read("hostBytesPerSecond", pod.hostBytesPerSecond);
  from.read("remoteBytesPerSecond", pod.remoteBytesPerSecond);
  from.read("memoryBytesPerSecond", pod.memoryBytesPerSecond);
  readGateways(from, pod);
  from.refuseTheRest();
  return pod;
}

wire::Result<std::string> completePod(const std::string &text, const PodTexts &known) {
  try {
    const json all = withBase(json::parse(text), text, known);
    readPod(all, text);
    return all.dump();
  } catch (const json::exception &error) {
    return refusal(std::string("the text is no JSON: ") + error.what());
  } catch (const std::invalid_argument &error) {
    return refusal(error.what());
  }
}

wire::Result<Pod> parsePod(const std::string &text) {
  try {
    return readPod(json::parse(text), text);
  } catch (const json::exception &error) {
    return refusal(std::string("the text is no JSON: ") + error.what());
  } catch (const std::invalid_argument &error) {
    return refusal(error.what());
  }
}

} // namespace copse::clock
