#include "poplar/Device.hpp"

#include "device_impl.hpp"

#include "poplar/exceptions.hpp"

#include <numeric>

namespace poplar {

namespace {

Device::Impl &checked(const std::shared_ptr<Device::Impl> &impl) {
  if (!impl)
    throw poplar_error(
        "the device is empty; get one from DeviceManager, IPUModel or createCPUDevice()");
  return *impl;
}

} // namespace

Device::Device() = default;
Device::Device(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
Device::Device(Device &&) noexcept = default;
// An engine that was loaded on the device shares it, and keeps it attached.
Device &Device::operator=(Device &&other) noexcept = default;
Device::~Device() = default;

Device Device::createCPUDevice(unsigned numIPUs) {
  return Device(copse::engine::makeLocalDevice(0, Target::createCPUTarget(false, numIPUs)));
}

Device Device::createSimulatorDevice(const Target &target, const OptionFlags &options) {
  if (target.getTargetType() == TargetType::CPU)
    throw poplar_error("Device::createSimulatorDevice: the target is a CPU; give it an IPU target");
  if (options.begin() != options.end())
    throw invalid_option("Device::createSimulatorDevice: there is no option '" +
                         options.begin()->first + "'");
  return Device(copse::engine::makeLocalDevice(0, target, copse::types::executionOfEnvironment()));
}

unsigned Device::getId() const { return checked(impl_).id(); }
const Target &Device::getTarget() const { return checked(impl_).target(); }
bool Device::attach() const { return checked(impl_).attach(); }
void Device::detach() const { checked(impl_).detach(); }
bool Device::isAttached() const { return checked(impl_).attached(); }

void Device::reset() const {
  checked(impl_).reset(); // the next load gets IPUs as new
}

void Device::getDriverVersion(unsigned &major, unsigned &minor, unsigned &point) const {
  (void)checked(impl_);
  major = COPSE_VERSION_MAJOR;
  minor = COPSE_VERSION_MINOR;
  point = COPSE_VERSION_PATCH;
}

bool Device::supportsRemoteBuffers() const {
  (void)checked(impl_);
  return true;
}
bool Device::hasGateway() const { return !checked(impl_).ipus().empty(); }

std::map<std::string, std::string> Device::getAttributes() const {
  Impl &impl = checked(impl_);
  std::string pids;
  if (impl.started())
    for (const int pid : impl.machine().processes())
      pids += (pids.empty() ? "" : ",") + std::to_string(pid);
  return {{"ipu.count", std::to_string(impl.target().getNumIPUs())}, {"ipud.pids", pids}};
}

std::string Device::getAttribute(const std::string &name) const {
  const auto attributes = getAttributes();
  const auto found = attributes.find(name);
  if (found == attributes.end())
    throw index_error("a device has no attribute '" + name + "'");
  return found->second;
}

std::vector<int> Device::getNumaTopology() const {
  return std::vector<int>(getTarget().getNumIPUs(), 0);
}
std::vector<unsigned> Device::getNumaNodesUsedForIPUs() const {
  return std::vector<unsigned>(getTarget().getNumIPUs(), 0);
}

std::vector<unsigned> Device::getDriverIDs() const {
  if (!checked(impl_).ipus().empty())
    return impl_->ipus();
  std::vector<unsigned> ids(getTarget().getNumIPUs());
  std::iota(ids.begin(), ids.end(), 0u);
  return ids;
}

Device Device::createVirtualDevice(unsigned tilesPerIPU) const {
  return Device(checked(impl_).withTiles(tilesPerIPU));
}

} // namespace poplar
