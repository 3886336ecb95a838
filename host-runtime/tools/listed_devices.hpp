#pragma once

#include "clock/pod.hpp"
#include "report.hpp"

#include <map>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace copse::tools {

/// The devices that a program finds, with the facts that the vendor's tools print.
///
/// Source: Graphcore Command Line Tools, gc-info and device attributes.
class ListedDevices {
public:
  /// \throws poplar::poplar_error if the environment describes no machine
  ListedDevices();

  /// Returns the name of the partition: the cluster file's, or "local" where a program starts its
  /// own IPUs.
  const std::string &partition() const { return partition_; }
  /// Returns the partition with its graph compilation domain, if it has such, and its size: "p
  /// (gcd:0) [active] has 8 reconfigurable IPUs".
  std::string partitionState() const;
  /// Returns the numbers of the IPUs, ascending: in a cluster, those that this host program may
  /// use.
  std::vector<unsigned> ipus() const;
  const std::string &architecture() const { return devices_.front().architecture; }
  unsigned clockMHz() const { return devices_.front().clockMHz; }
  /// Returns where an IPU runs: the host of its endpoint in a cluster, else this one.
  const std::string &hostOf(unsigned ipu) const;

  /// Returns the number of an IPU on its board: an IPU-Machine has four.
  unsigned numberOnBoard(unsigned ipu) const { return ipu % (pod_ ? pod_->ipusPerMachine : 4); }

  /// Returns a row for each device: its kind, and the numbers of its IPUs.
  Rows list() const;
  /// Prints the devices in the form of gc-info --list-devices.
  void printList(std::ostream &out) const;

  /// Returns the attributes of a device, as rows of one name and one value.
  /// \throws std::runtime_error if there is no such device
  Rows attributesOf(unsigned device) const;
  /// Prints the attributes of one device, or of all.
  void printAttributes(std::ostream &out, std::optional<unsigned> device) const;

private:
  struct Listed {
    unsigned id;
    std::vector<unsigned> ipus;
    std::string architecture;
    unsigned clockMHz, tilesPerIpu, bytesPerTile, workers;
    bool isSingle() const { return ipus.size() == 1; }
  };
  const Listed &deviceWith(unsigned id) const;
  std::string placeOf(unsigned ipu) const;
  /// Returns the parts of the pod that a device has, as rows of one name and one value.
  Rows podPartsOf(const Listed &device) const;

  std::string partition_;
  std::optional<unsigned> gcd_;
  bool isReconfigurable_ = true;
  std::map<unsigned, std::string> hosts_; ///< by the number of the IPU
  std::vector<Listed> devices_;           ///< at least one
  std::optional<clock::Pod> pod_;         ///< the pod that all IPUs are in
};

} // namespace copse::tools
