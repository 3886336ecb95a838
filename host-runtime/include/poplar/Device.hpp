#pragma once

#include "poplar/OptionFlags.hpp"
#include "poplar/Target.hpp"
#include "poplar/exceptions.hpp"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace poplar {

/// Stands for something that runs programs: some IPUs, a model of IPUs, or the CPU. Move-only.
///
/// Life cycle: get one from DeviceManager, IPUModel or a create function; attach(), which only IPUs
/// need; Engine::load(); Engine::run(); detach(), or the destructor. Keep a device as long as the
/// engine that is loaded on it. Any use of an empty device throws poplar_error.
///
/// \code
/// for (Device &device : DeviceManager().getDevices(TargetType::IPU, 2))
///   if (device.attach()) { /* make a graph for device.getTarget() */ }
/// \endcode
class Device {
public:
  /// The implementation, which is libpoplar's own.
  class Impl;

  /// Makes an empty device, which may only be assigned to.
  Device();
  /// Makes a device of an implementation; for libpoplar's use.
  explicit Device(std::shared_ptr<Impl> impl);

  ///@{

  /// Takes over the other device, which is empty afterwards.
  Device(Device &&) noexcept;
  Device &operator=(Device &&) noexcept;
  ///@}

  /// Releases the device, as detach() does.
  ~Device();

  /// Makes a device that runs codelets compiled for the CPU, in this process.
  /// \param numIPUs  number of its IPUs, each of one tile; default 1
  static Device createCPUDevice(unsigned numIPUs = 1);
  /// Makes a device that runs an IPU target in this process, as IPUModel does.
  /// \param options  must be empty; there are no options yet
  /// \throws poplar_error if the target is a CPU; invalid_option if an option is given
  static Device createSimulatorDevice(const Target &target, const OptionFlags &options = {});

  /// Returns the device's id: that of DeviceManager; for an IPUModel, the id that was passed to
  /// createDevice(); for a CPU, 0.
  unsigned getId() const;
  /// Returns the target to make graphs for.
  const Target &getTarget() const;

  /// Takes the device for this object. A model or a CPU is always attached.
  /// \returns false if another device or program holds one of its IPUs
  bool attach() const;
  /// Releases the device; has no effect if the device is not attached.
  void detach() const;
  /// Returns true if this object holds the device.
  bool isAttached() const;
  /// Makes a device usable again after RecoveryAction::IPU_RESET.
  void reset() const;

  /// Stores the version of Copse in its arguments.
  void getDriverVersion(unsigned &major, unsigned &minor, unsigned &point) const;
  /// Returns true: programs may always have remote buffers.
  bool supportsRemoteBuffers() const;
  /// Returns true for IPUs, false for a model or a CPU.
  bool hasGateway() const;
  /// Returns all attributes by their names.
  std::map<std::string, std::string> getAttributes() const;
  /// Returns one attribute.
  /// \throws index_error if there is none of this name
  std::string getAttribute(const std::string &name) const;
  /// Returns the NUMA node of each IPU.
  std::vector<int> getNumaTopology() const;
  /// Returns the NUMA nodes that the IPUs are on, each once.
  std::vector<unsigned> getNumaNodesUsedForIPUs() const;
  /// Returns the ids of the single IPUs in the device.
  std::vector<unsigned> getDriverIDs() const;

  /// Returns a device with the same IPUs and fewer tiles; it is attached if this one is.
  /// \throws poplar_error if an IPU has fewer tiles than \p tilesPerIPU
  Device createVirtualDevice(unsigned tilesPerIPU) const;

  /// Returns the implementation; for libpoplar's use.
  const std::shared_ptr<Impl> &getImpl() const { return impl_; }

private:
  std::shared_ptr<Impl> impl_;
};

} // namespace poplar
