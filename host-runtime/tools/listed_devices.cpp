#include "listed_devices.hpp"

#include "engine/cluster_part.hpp"
#include "engine/ipu_inventory.hpp"
#include "machine/pods.hpp"
#include "types/target_description.hpp"

#include <cmath>
#include <filesystem>
#include <poplar/DeviceManager.hpp>
#include <poplar/Target.hpp>
#include <stdexcept>
#include <unistd.h>

namespace copse::tools {
namespace {

std::string thisHost() {
  char name[256] = {};
  return ::gethostname(name, sizeof name - 1) == 0 ? name : "localhost";
}

/// Returns "10.1.5.10" for "tcp://10.1.5.10:7100"; this host for an endpoint of ipc.
std::string hostIn(const std::string &endpoint) {
  const std::string tcp = "tcp://";
  return endpoint.starts_with(tcp) ? endpoint.substr(tcp.size(), endpoint.rfind(':') - tcp.size())
                                   : thisHost();
}

nlohmann::ordered_json row(const std::string &name, const std::string &value) {
  return {{"attribute", name}, {"value", value}};
}

} // namespace

ListedDevices::ListedDevices() {
  const auto part = engine::clusterPartOfThisMachine();
  if (part) {
    const cluster::Cluster &cluster = part->cluster;
    partition_ =
        part->name.empty() ? std::filesystem::path(cluster.file).stem().string() : part->name;
    gcd_ = part->gcd;
    isReconfigurable_ = part->reconfigurable;
    for (const unsigned ipu : part->ipus)
      hosts_[ipu] = hostIn(cluster.ipus[ipu].control.address);
  } else {
    partition_ = "local";
    for (unsigned ipu = 0; ipu < engine::ipusOfThisMachine(); ++ipu)
      hosts_[ipu] = thisHost();
  }
  for (const poplar::Device &device : poplar::DeviceManager().getDevices()) {
    const poplar::Target &target = device.getTarget();
    devices_.push_back(
        {device.getId(), device.getDriverIDs(), std::string(target.getTargetArchString()),
         static_cast<unsigned>(std::lround(target.getTileClockFrequency() * 1e-6)),
         target.getTilesPerIPU(), target.getBytesPerTile(), target.getNumWorkerContexts()});
  }
  if (devices_.empty())
    throw std::runtime_error("this machine has no devices");
  const auto ipus = static_cast<unsigned>(hosts_.size());
  pod_ = machine::podOf(
      engine::inPodOf(part, types::describe(poplar::Target::createIPUTarget(ipus, "ipu2"))));
}

std::vector<unsigned> ListedDevices::ipus() const {
  std::vector<unsigned> numbers;
  for (const auto &[ipu, host] : hosts_)
    numbers.push_back(ipu);
  return numbers;
}

std::string ListedDevices::partitionState() const {
  return partition_ + (gcd_ ? " (gcd:" + std::to_string(*gcd_) + ")" : "") + " [active] has " +
         std::to_string(hosts_.size()) + (isReconfigurable_ ? " reconfigurable" : "") + " IPU" +
         (hosts_.size() == 1 ? "" : "s");
}

const std::string &ListedDevices::hostOf(unsigned ipu) const { return hosts_.at(ipu); }

Rows ListedDevices::list() const {
  Rows rows;
  for (const Listed &device : devices_)
    rows.push_back({{"id", device.id},
                    {"target", device.isSingle() ? "Fabric" : "Multi IPU"},
                    {"ipus", device.ipus.size()},
                    {"ipu_numbers", device.ipus},
                    {"tiles_per_ipu", device.tilesPerIpu},
                    {"bytes_per_tile", device.bytesPerTile},
                    {"clock_MHz", device.clockMHz}});
  return rows;
}

std::string ListedDevices::placeOf(unsigned ipu) const {
  return "IPU-M host: [" + hostOf(ipu) + "], IPU#: [" + std::to_string(numberOnBoard(ipu)) + "]\n";
}

void ListedDevices::printList(std::ostream &out) const {
  out << "Graphcore device listing:\nPartition: " << partition_ << " [active]\n";
  for (const Listed &device : devices_) {
    out << "-+- Id: [" << device.id << "], target: ["
        << (device.isSingle() ? "Fabric], " + placeOf(device.ipus[0]) : "Multi IPU]\n");
    for (std::size_t i = 0; !device.isSingle() && i < device.ipus.size(); ++i)
      out << " |--- Id: [" << device.ipus[i] << "], DNC Id: [" << i << "], "
          << placeOf(device.ipus[i]);
  }
}

const ListedDevices::Listed &ListedDevices::deviceWith(unsigned id) const {
  for (const Listed &device : devices_)
    if (device.id == id)
      return device;
  throw std::runtime_error("there is no device " + std::to_string(id) +
                           "; there are devices 0 to " + std::to_string(devices_.back().id));
}

Rows ListedDevices::podPartsOf(const Listed &device) const {
  if (!pod_)
    return {};
  // Returns the parts of the device's IPUs, each of `size` IPUs: "0" or "0 to 3".
  const auto partsOf = [&](unsigned size) {
    const unsigned first = device.ipus.front() / size, last = device.ipus.back() / size;
    return std::to_string(first) + (last > first ? " to " + std::to_string(last) : "");
  };
  return {row("pod", pod_->name), row("ipu-machine", partsOf(pod_->ipusPerMachine)),
          row("pod host", partsOf(pod_->ipusPerHost())),
          row("ipu-link domain", partsOf(pod_->ipusPerDomain))};
}

Rows ListedDevices::attributesOf(unsigned id) const {
  const Listed &device = deviceWith(id);
  Rows rows{row("id", std::to_string(id)),
            row("target", device.isSingle() ? "Fabric" : "Multi IPU")};
  if (device.isSingle())
    rows.insert(rows.end(), {row("board ipu index", std::to_string(numberOnBoard(device.ipus[0]))),
                             row("ipuof host", hostOf(device.ipus[0]))});
  rows.insert(rows.end(),
              {row("board type", "M2000"), row("clock", std::to_string(device.clockMHz) + "MHz"),
               row("ipu architecture", device.architecture), row("ipu error state", "no errors"),
               // No sensor and no counter of busy cycles is emulated.
               row("average board temp", "N/A"), row("average die temp", "N/A"),
               row("ipu power", "N/A"), row("total board power", "N/A"),
               row("ipu utilisation", "N/A"), row("ipu utilisation (session)", "N/A"),
               row("ipuof partition id", partition_), row("ipuof routing type", "DNC"),
               row("remote buffers supported", "1"),
               row("number of ipus", std::to_string(device.ipus.size())),
               row("tiles per ipu", std::to_string(device.tilesPerIpu)),
               row("bytes per tile", std::to_string(device.bytesPerTile)),
               row("worker contexts per tile", std::to_string(device.workers))});
  const Rows parts = podPartsOf(device);
  rows.insert(rows.end(), parts.begin(), parts.end());
  return rows;
}

void ListedDevices::printAttributes(std::ostream &out, std::optional<unsigned> id) const {
  for (const Listed &device : devices_) {
    if (id && *id != device.id)
      continue;
    out << "Device Info:\n";
    for (const auto &attribute : attributesOf(device.id))
      out << "  " << attribute["attribute"].get<std::string>() << ": "
          << attribute["value"].get<std::string>() << '\n';
  }
}

} // namespace copse::tools
