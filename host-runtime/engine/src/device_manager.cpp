#include "device_impl.hpp"

#include "engine/cluster_part.hpp"
#include "engine/ipu_inventory.hpp"
#include "machine/pods.hpp"
#include "poplar/DeviceManager.hpp"
#include "poplar/IPUModel.hpp"
#include "poplar/exceptions.hpp"
#include "types/model_description.hpp"

#include <numeric>
#include <optional>
#include <utility>

namespace poplar {

namespace {

/// Returns the cluster whose IPUs the program finds; nothing: it has IPUs of its own, or none
/// execute.
std::optional<copse::engine::ClusterPart> clusterPart() {
  return copse::types::executionOfEnvironment() == copse::types::Execution::Full
             ? copse::engine::clusterPartOfThisMachine()
             : std::nullopt;
}

} // namespace

/// The groups of IPUs that can form a device: each IPU alone, then 2, 4, 8, ... neighbours.
class DeviceManager::Impl {
public:
  struct Group {
    unsigned first, size;
  };

  Impl()
      : part(clusterPart()),
        ipus(part ? static_cast<unsigned>(part->ipus.size()) : copse::engine::ipusOfThisMachine()) {
    if (part && !part->reconfigurable) {
      groups.push_back({0, ipus});
      return;
    }
    for (unsigned size = 1; size <= ipus; size *= 2)
      for (unsigned first = 0; first + size <= ipus; first += size)
        groups.push_back({first, size});
  }

  /// Returns the groups of a size. Partitions of other even sizes, which consist of the IPUs from 0
  /// on, exist only for programs that request that size. A preconfigured partition has a single
  /// device.
  std::vector<Group> ofSize(unsigned size) const {
    std::vector<Group> found;
    for (const Group &group : groups)
      if (group.size == size)
        found.push_back(group);
    const bool even = size > 0 && size % 2 == 0 && size <= ipus;
    const bool exists = even && (!part || part->reconfigurable);
    if (found.empty() && exists)
      found.push_back({0, size});
    return found;
  }

  const Group &group(unsigned id, const char *who) const {
    if (id >= groups.size())
      throw poplar_error("DeviceManager::" + std::string(who) + ": there is no device " +
                         std::to_string(id) + "; there are " + std::to_string(groups.size()));
    return groups[id];
  }

  Device makeDevice(unsigned id, const Group &group, const OptionFlags &given) const;

  /// The location of the IPUs; empty: they are started when needed. Groups index the part's IPUs.
  std::optional<copse::engine::ClusterPart> part;
  unsigned ipus;
  std::vector<Group> groups; ///< the index of a group is its device's id
};

namespace {

// The default architecture of emulated IPUs without a pod.
constexpr const char *kArchitecture = "ipu2";

/// Returns the options of a cluster's devices: the link topology comes from the cluster file,
/// unless the program overrides it.
OptionFlags optionsIn(const copse::cluster::Cluster &cluster, const OptionFlags &given) {
  const bool torus = cluster.topology == copse::wire::Topology::Torus;
  OptionFlags options{{"ipuLinkTopology", torus ? "torus" : "mesh"}};
  for (const auto &[name, value] : given)
    options.set(name, value);
  return options;
}

} // namespace

Device DeviceManager::Impl::makeDevice(unsigned id, const Group &group,
                                       const OptionFlags &given) const {
  std::vector<unsigned> numbers(group.size);
  std::iota(numbers.begin(), numbers.end(), group.first);
  if (part)
    for (unsigned &number : numbers)
      number = part->ipus[number];
  const auto pod = copse::machine::podOfEnvironment(); // which decides the architecture
  const Target chosen = Target::createIPUTarget(group.size, pod ? pod->system : kArchitecture,
                                                part ? optionsIn(part->cluster, given) : given);
  const Target target = copse::types::makeTarget(
      copse::machine::inItsPod(copse::engine::inPodOf(part, copse::types::describe(chosen))));
  return Device(
      copse::engine::makeIpuDevice(id, target, std::move(numbers), part ? &*part : nullptr));
}

DeviceManager::DeviceManager() : impl_(std::make_shared<const Impl>()) {}
DeviceManager::DeviceManager(const DeviceManager &) = default;
DeviceManager::DeviceManager(DeviceManager &&) noexcept = default;
DeviceManager &DeviceManager::operator=(const DeviceManager &) = default;
DeviceManager &DeviceManager::operator=(DeviceManager &&) noexcept = default;
DeviceManager::~DeviceManager() = default;
DeviceManager DeviceManager::createDeviceManager() { return {}; }

std::size_t DeviceManager::getNumDevices() const { return impl_->groups.size(); }

std::vector<Device> DeviceManager::getDevices(const OptionFlags &options) const {
  std::vector<Device> devices;
  for (unsigned id = 0; id < impl_->groups.size(); ++id)
    devices.push_back(impl_->makeDevice(id, impl_->groups[id], options));
  return devices;
}

std::vector<Device> DeviceManager::getDevices(TargetType type, unsigned numIPUs,
                                              const OptionFlags &options) const {
  std::vector<Device> devices;
  if (numIPUs == 0)
    return devices;
  if (type == TargetType::CPU) {
    devices.push_back(Device::createCPUDevice(numIPUs));
  } else if (type == TargetType::IPU_MODEL) {
    IPUModel model(kArchitecture);
    model.numIPUs = numIPUs;
    devices.push_back(model.createDevice(options));
  } else {
    for (const Impl::Group &group : impl_->ofSize(numIPUs)) {
      unsigned id = 0;
      while (id < impl_->groups.size() &&
             (impl_->groups[id].first != group.first || impl_->groups[id].size != group.size))
        ++id;
      devices.push_back(impl_->makeDevice(id, group, options));
    }
  }
  return devices;
}

std::vector<unsigned> DeviceManager::getChildDeviceIds(unsigned id, unsigned numIPUs) const {
  const Impl::Group parent = impl_->group(id, "getChildDeviceIds");
  std::vector<unsigned> ids;
  for (unsigned child = 0; child < impl_->groups.size(); ++child) {
    const Impl::Group &group = impl_->groups[child];
    const bool within =
        group.first >= parent.first && group.first + group.size <= parent.first + parent.size;
    if (within && child != id && group.size == numIPUs)
      ids.push_back(child);
  }
  return ids;
}

Device DeviceManager::getDevice(unsigned id, const OptionFlags &options) const {
  return impl_->makeDevice(id, impl_->group(id, "getDevice"), options);
}

} // namespace poplar
