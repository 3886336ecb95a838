#pragma once

#include "engine/cluster_part.hpp"
#include "engine/ipu_inventory.hpp"
#include "poplar/Device.hpp"
#include "session/machine.hpp"
#include "types/model_description.hpp"

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace poplar {

/// The state that a Device handle and the engines loaded on it share. The partition is started when
/// it is first needed.
class Device::Impl {
  struct Partition;

public:
  /// The right to use the device's IPUs for the duration of one call of an engine. Engines take
  /// turns on a device, from any thread.
  class Turn {
  public:
    enum class Kind : std::uint8_t {
      Alone,
      Rows, ///< access to remote buffers: several threads at once, unless one has Alone
    };
    /// \param who  name of the call for the message, such as "Engine::run".
    /// \throws poplar_error if the device is in use
    Turn(const std::shared_ptr<Impl> &device, Kind kind, const char *who);
    ~Turn();
    Turn(Turn &&) noexcept = default;
    Turn &operator=(Turn &&) = delete;

  private:
    /// Kept alive even if the device is detached meanwhile.
    std::shared_ptr<Partition> partition_;
    Kind kind_;
  };

  /// \param ipus       numbers of the machine's IPUs that form the device; empty: the device is
  ///   local to this process
  /// \param options    how to start the IPUs, including the machine model
  /// \param execution  how loaded programs are executed
  Impl(unsigned id, Target target, std::vector<unsigned> ipus,
       copse::session::MachineOptions options,
       copse::types::Execution execution = copse::types::Execution::Full);
  ~Impl();

  unsigned id() const { return id_; }
  const Target &target() const { return target_; }
  const std::vector<unsigned> &ipus() const { return ipus_; }
  const copse::session::MachineOptions &options() const { return options_; }
  copse::types::Execution execution() const { return execution_; }

  /// Returns true for a device that is local to this process. A local device is always attached,
  /// which programs for models and CPUs rely on.
  bool local() const { return ipus_.empty(); }
  /// Attaches the device. In a cluster, this joins the IPUs.
  /// \returns false if another Device holds one of the IPUs (in this process or, in a cluster, in
  ///   any process), or if an IPU of the cluster does not answer
  bool attach();
  void detach();
  /// Returns a device with these IPUs that uses fewer of their tiles. The new device is attached if
  /// this one is, and stays so when this one is detached. In a cluster both devices share one
  /// session, so loading on one displaces what was loaded on the other.
  std::shared_ptr<Impl> withTiles(unsigned tilesPerIpu) const;
  bool attached() const { return local() || hold_; }
  /// Stops the partition; engines must load again.
  void stop();
  /// Resets the partition: like stop(), but IPUs of a cluster stay attached and are only unloaded.
  void reset();

  /// Returns the partition of the device's IPUs; the first call starts it.
  copse::session::Machine &machine();
  bool started() const { return partition_->machine != nullptr; }

  /// Returns the number of the last Engine::load on this device. An engine whose load was not the
  /// last must load again.
  std::atomic<std::uint64_t> &loadNumber() { return partition_->loadNumber; }

private:
  /// The machine that runs programs, and the number of its users.
  struct Partition {
    explicit Partition(std::uint64_t loads = 0) : loadNumber(loads) {}
    std::unique_ptr<copse::session::Machine> machine;
    std::atomic<std::uint64_t> loadNumber;
    static constexpr int kAlone = -1;
    /// kAlone, or the number of threads that access rows.
    std::atomic<int> users{0};
  };

  bool inCluster() const { return !options_.nodes.empty(); }
  bool join();
  void injectErrors();
  copse::wire::Result<std::unique_ptr<copse::session::Machine>> startMachine() const;

  unsigned id_;
  Target target_;
  std::vector<unsigned> ipus_;
  copse::session::MachineOptions options_;
  copse::types::Execution execution_;
  std::shared_ptr<const copse::engine::IpuHold> hold_; ///< held while the device is attached
  std::shared_ptr<Partition> partition_ = std::make_shared<Partition>();
  bool hasInjectedErrors_ = false; ///< errors requested by the environment
};

} // namespace poplar

namespace copse::engine {

/// Returns a device that is local to this process: a CPU, or a model of IPUs.
std::shared_ptr<poplar::Device::Impl>
makeLocalDevice(unsigned id, const poplar::Target &target,
                types::Execution execution = types::Execution::Full);

/// Returns a device of \p ipus, each of which an ipud process emulates, unless $COPSE_EXECUTION is
/// modelled.
/// \param part  part of the cluster with the IPUs; null: the processes are started when the device
///   needs them
std::shared_ptr<poplar::Device::Impl> makeIpuDevice(unsigned id, const poplar::Target &target,
                                                    std::vector<unsigned> ipus,
                                                    const ClusterPart *part);

} // namespace copse::engine
