#pragma once

#include "poplar/Device.hpp"
#include "poplar/OptionFlags.hpp"
#include "poplar/TargetType.hpp"

#include <cstddef>
#include <memory>
#include <vector>

namespace poplar {

/// Lists the devices of this machine, or of the cluster that the environment names. Each may be
/// attached on its own; devices that share an IPU exclude each other.
class DeviceManager {
public:
  /// The implementation, which is libpoplar's own.
  class Impl;

  /// Finds the IPUs of the cluster or V-IPU partition that the environment names
  /// (docs/environment.md), else of this machine.
  /// \throws no_environment if a description of a cluster or partition cannot be used
  DeviceManager();

  ///@{

  /// Copies or moves the list.
  DeviceManager(const DeviceManager &);
  DeviceManager(DeviceManager &&) noexcept;
  DeviceManager &operator=(const DeviceManager &);
  DeviceManager &operator=(DeviceManager &&) noexcept;
  ///@}

  /// Forgets the list; devices from it stay usable.
  ~DeviceManager();
  /// Makes a list, as the constructor does.
  static DeviceManager createDeviceManager();

  /// Returns the number of devices: ids are 0 to this number - 1.
  std::size_t getNumDevices() const;

  /// Returns all devices: the single IPUs first, then each legal group of 2, 4, 8, ...
  /// \param options  target options, default none; POPLAR_TARGET_OPTIONS overrides them
  /// \throws invalid_option if an option or its value is unknown
  std::vector<Device> getDevices(const OptionFlags &options = {}) const;
  /// Returns the devices of one kind and size; empty if there are none. Options as above.
  std::vector<Device> getDevices(TargetType type, unsigned numIPUs,
                                 const OptionFlags &options = {}) const;
  /// Returns the ids of the devices of \p numIPUs IPUs, by default 1, that are part of device \p
  /// id, without \p id itself.
  /// \throws poplar_error if there is no such device
  std::vector<unsigned> getChildDeviceIds(unsigned id, unsigned numIPUs = 1) const;
  /// Returns one device. Options as above.
  /// \throws poplar_error if there is no such device
  Device getDevice(unsigned id, const OptionFlags &options = {}) const;

private:
  std::shared_ptr<const Impl> impl_;
};

} // namespace poplar
