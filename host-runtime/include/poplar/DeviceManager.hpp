#pragma once

#include "poplar/Device.hpp"
#include "poplar/OptionFlags.hpp"
#include "poplar/TargetType.hpp"

#include <cstddef>
#include <memory>
#include <vector>

namespace poplar {

/// The devices of this machine. Each may be attached on its own; devices that share an IPU exclude
/// each other.
class DeviceManager {
public:
  class Impl; // libpoplar's own

  DeviceManager();
  DeviceManager(const DeviceManager &);
  DeviceManager(DeviceManager &&) noexcept;
  DeviceManager &operator=(const DeviceManager &);
  DeviceManager &operator=(DeviceManager &&) noexcept;
  ~DeviceManager();
  static DeviceManager createDeviceManager();

  std::size_t getNumDevices() const;

  /// All devices: the single IPUs first, then each legal group of 2, 4, 8, ...
  /// \param options  target options; POPLAR_TARGET_OPTIONS overrides them.
  /// \throws invalid_option
  std::vector<Device> getDevices(const OptionFlags &options = {}) const;
  /// The devices of one kind and size; empty if there are none.
  std::vector<Device> getDevices(TargetType type, unsigned numIPUs,
                                 const OptionFlags &options = {}) const;
  /// Ids of the devices of \p numIPUs IPUs that are parts of device \p id, itself not among them.
  /// \throws poplar_error if there is no such device
  std::vector<unsigned> getChildDeviceIds(unsigned id, unsigned numIPUs = 1) const;
  /// \throws poplar_error if there is no such device
  Device getDevice(unsigned id, const OptionFlags &options = {}) const;

private:
  std::shared_ptr<const Impl> impl_;
};

} // namespace poplar
