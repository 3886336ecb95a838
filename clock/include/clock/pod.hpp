#pragma once

#include "wire/result.hpp"

#include <cstdint>
#include <functional>
#include <string>

namespace copse::clock {

/// Which gateways GW-Links join.
enum class GatewayLinks : std::uint8_t {
  None,
  Looped,  ///< each domain's with those of the next, and the last domain's with the first's
  Switched ///< all, through a switch
};

/// How IPUs make up a system: machines with their gateways, hosts, and IPU-Link domains. A file of
/// configs/pods/ fills one of these; each entry there cites its source. IPUs are numbered by domain,
/// and within a domain by machine. A partition begins at the first of them.
struct Pod {
  std::string name;
  std::string system; ///< as Target::createIPUTarget() takes it: "IPU-POD64"
  std::uint32_t ipus = 1;
  std::uint32_t hosts = 1; ///< each serves the same number of machines, which are neighbours
  std::uint32_t ipusPerMachine = 1;
  std::uint32_t ipusPerDomain = 1; ///< IPUs that IPU-Links alone join
  // host path, each direction
  double hostToIpuBytesPerSecond = 0, ipuToHostBytesPerSecond = 0; ///< of one IPU
  double machineBytesPerSecond = 0;                                ///< of all IPUs of a machine
  double hostBytesPerSecond = 0;                                   ///< of all IPUs of a host
  // remote buffers
  double remoteBytesPerSecond = 0; ///< of one IPU
  double memoryBytesPerSecond = 0; ///< of all IPUs of a machine
  // between domains, each direction; not used without GW-Links
  GatewayLinks gatewayLinks = GatewayLinks::None;
  double ipuToGatewayBytesPerSecond = 0, gatewayToIpuBytesPerSecond = 0; ///< of one IPU
  std::uint32_t gatewayLinksPerMachine = 1;
  double gatewayLinkBytesPerSecond = 0; ///< of one GW-Link
  double gatewayHopSeconds = 0;         ///< latency of a message, for each domain that it comes to
  double gatewaySyncSeconds = 0;        ///< the same of a sync, one way

  std::uint32_t ipusPerHost() const { return ipus / hosts; }
};

/// Finds the text of a pod file by the pod's name; null if there is none.
using PodTexts = std::function<const std::string *(const std::string &name)>;

/// Returns the text of a pod file with the entries of the pod that its "like" names, where it has
/// none of its own.
/// \returns InvalidOption naming the line, and the key that is missing, unknown or wrong
wire::Result<std::string> completePod(const std::string &text, const PodTexts &known);

/// Reads what completePod() returned.
wire::Result<Pod> parsePod(const std::string &text);

} // namespace copse::clock
