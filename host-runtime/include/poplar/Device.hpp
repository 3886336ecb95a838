#pragma once

#include "poplar/OptionFlags.hpp"
#include "poplar/Target.hpp"
#include "poplar/exceptions.hpp"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace poplar {

/// A device that runs programs: some IPUs, a model of IPUs, or the CPU. Move-only.
///
/// Life cycle: get one from DeviceManager, IPUModel or a create function; attach(), which only
/// hardware needs; Engine::load; run; detach(), or the destructor. Keep it as long as the engine
/// that is loaded on it.
class Device {
public:
  class Impl; // libpoplar's own

  Device(); ///< none; only to be assigned to
  explicit Device(std::shared_ptr<Impl> impl);
  Device(Device &&) noexcept;
  Device &operator=(Device &&) noexcept;
  ~Device();

  static Device createCPUDevice(unsigned numIPUs = 1);
  /// Runs in this process, as IPUModel does. \p target must be an IPU target.
  static Device createSimulatorDevice(const Target &target, const OptionFlags &options = {});

  unsigned getId() const;
  const Target &getTarget() const;

  /// Takes the device for this object. A model or a CPU is always attached.
  /// \returns false if something else holds one of its IPUs
  bool attach() const;
  /// Releases the device; has no effect if the device is not attached.
  void detach() const;
  bool isAttached() const;
  /// Makes a device usable again after RecoveryAction::IPU_RESET.
  void reset() const;

  void getDriverVersion(unsigned &major, unsigned &minor, unsigned &point) const;
  bool supportsRemoteBuffers() const;
  bool hasGateway() const;
  std::map<std::string, std::string> getAttributes() const;
  /// \throws index_error if there is none of this name
  std::string getAttribute(const std::string &name) const;
  std::vector<int> getNumaTopology() const; ///< NUMA node of each IPU
  std::vector<unsigned> getNumaNodesUsedForIPUs() const;
  std::vector<unsigned> getDriverIDs() const; ///< ids of the single IPUs in it

  /// The same IPUs with fewer tiles; attached if this one is.
  Device createVirtualDevice(unsigned tilesPerIPU) const;

  const std::shared_ptr<Impl> &getImpl() const { return impl_; }

private:
  std::shared_ptr<Impl> impl_;
};

} // namespace poplar
