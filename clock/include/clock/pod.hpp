#pragma once

#include "wire/result.hpp"

#include <cstdint>
#include <functional>
#include <string>

namespace copse::clock {

/// The pairs of gateways that GW-Links connect.
enum class GatewayLinks : std::uint8_t {
  None,
  /// Each domain is connected to the next one, and the last domain to the first.
  Looped,
  Switched ///< all gateways are connected through a switch
};

/// Describes how IPUs make up a system: machines with their gateways, hosts, and IPU-Link domains.
/// Each file of configs/pods/ fills one Pod and cites a source for each entry. IPUs are numbered by
/// domain, and within a domain by machine. A partition begins at IPU 0.
struct Pod {
  std::string name;
  /// The system's name for Target::createIPUTarget(), for example "IPU-POD64".
  std::string system;
  std::uint32_t ipus = 1;
  std::uint32_t hosts = 1; ///< each serves an equal number of adjacent machines
  std::uint32_t ipusPerMachine = 1;
  std::uint32_t ipusPerDomain = 1; ///< IPUs that IPU-Links connect without GW-Links
  // the path to the host, in each direction
  double hostToIpuBytesPerSecond = 0, ipuToHostBytesPerSecond = 0; ///< per IPU
  double machineBytesPerSecond = 0; ///< all IPUs of a machine together
  double hostBytesPerSecond = 0;    ///< all IPUs of a host together
  // remote buffers
  double remoteBytesPerSecond = 0; ///< per IPU
  double memoryBytesPerSecond = 0; ///< all IPUs of a machine together
  // between domains, in each direction; unused without GW-Links
  GatewayLinks gatewayLinks = GatewayLinks::None;
  double ipuToGatewayBytesPerSecond = 0, gatewayToIpuBytesPerSecond = 0; ///< per IPU
  std::uint32_t gatewayLinksPerMachine = 1;
  double gatewayLinkBytesPerSecond = 0; ///< per GW-Link
  /// The latency that a message pays for each domain that it enters.
  double gatewayHopSeconds = 0;
  /// The latency that a sync message pays for each domain that it enters, one way.
  double gatewaySyncSeconds = 0;

  std::uint32_t ipusPerHost() const { return ipus / hosts; }
};

/// Finds the text of a pod file by the pod's name; returns null if the pod is unknown.
using PodTexts = std::function<const std::string *(const std::string &name)>;

/// Returns the text of a pod file, completed from the pod that its entry "like" names: each entry
/// that the file lacks is taken from there.
/// \returns InvalidOption naming the line, and the key that is missing, unknown or wrong
wire::Result<std::string> completePod(const std::string &text, const PodTexts &known);

/// Parses the text that completePod() returned.
wire::Result<Pod> parsePod(const std::string &text);

} // namespace copse::clock
