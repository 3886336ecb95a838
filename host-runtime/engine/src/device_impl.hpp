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

/// What a Device handle and the engines that are loaded on it share: the partition, once one is
/// needed.
class Device::Impl {
  struct Partition;

public:
  /// The right to use the device's IPUs, for as long as one call of an engine takes: engines take
  /// turns on a device, from whatever threads.
  class Turn {
  public:
    enum class Kind : std::uint8_t {
      Alone,
      Rows, ///< of remote buffers: any number of threads at once, while nobody is alone
    };
    /// \param who  for the message: "Engine::run".
    /// \throws poplar_error if the device is in use
    Turn(const std::shared_ptr<Impl> &device, Kind kind, const char *who);
    ~Turn();
    Turn(Turn &&) noexcept = default;
    Turn &operator=(Turn &&) = delete;

  private:
    std::shared_ptr<Partition> partition_; ///< which a device that is detached meanwhile gives up
    Kind kind_;
  };

  /// \param ipus      numbers of the machine's IPUs that the device consists of; empty: it is this
  ///   process's own
  /// \param options   how to start its IPUs; the machine model is in it
  /// \param execution  of the programs that are loaded
  Impl(unsigned id, Target target, std::vector<unsigned> ipus,
       copse::session::MachineOptions options,
       copse::types::Execution execution = copse::types::Execution::Full);
  ~Impl();

  unsigned id() const { return id_; }
  const Target &target() const { return target_; }
  const std::vector<unsigned> &ipus() const { return ipus_; }
  const copse::session::MachineOptions &options() const { return options_; }

  /// This process's own: nobody else can hold it, so it is always attached, as programs for models
  /// and CPUs take for granted.
  bool local() const { return ipus_.empty(); }
  /// In a cluster it joins the IPUs.
  /// \returns false if another Device holds one of them, in this process or, in a cluster, in
  ///   another, or if one of the cluster does not answer
  bool attach();
  void detach();
  /// A device of the same IPUs that sees fewer of their tiles. It is attached if this one is, and
  /// stays so when this one is detached. In a cluster both have one session, so a load on one of
  /// them displaces what the other has loaded.
  std::shared_ptr<Impl> withTiles(unsigned tilesPerIpu) const;
  bool attached() const { return local() || hold_; }
  /// Ends what runs the programs; engines have to load again.
  void stop();
  /// The same, but for a cluster's IPUs, which stay attached and forget what they have loaded.
  void reset();

  /// The partition of \p ipus IPUs; started when it is first asked for.
  copse::session::Machine &machine();
  bool started() const { return partition_->machine != nullptr; }

  /// Number of the Engine::load that was the last on this device: an engine that is not the last
  /// must load again.
  std::atomic<std::uint64_t> &loadNumber() { return partition_->loadNumber; }

private:
  /// What runs the programs, and who uses it.
  struct Partition {
    explicit Partition(std::uint64_t loads = 0) : loadNumber(loads) {}
    std::unique_ptr<copse::session::Machine> machine;
    std::atomic<std::uint64_t> loadNumber;
    static constexpr int kAlone = -1;
    std::atomic<int> users{0}; ///< kAlone, or the threads that have a turn for rows
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
  std::shared_ptr<const copse::engine::IpuHold> hold_; ///< while it is attached
  std::shared_ptr<Partition> partition_ = std::make_shared<Partition>();
  bool hasInjectedErrors_ = false; ///< those that the environment asks for
};

} // namespace poplar

namespace copse::engine {

/// A device of this process's own: a CPU, or a model of IPUs.
std::shared_ptr<poplar::Device::Impl>
makeLocalDevice(unsigned id, const poplar::Target &target,
                types::Execution execution = types::Execution::Full);

/// A device of \p ipus, emulated by an ipud process each.
/// \param part  of the cluster that they are in; null: they are started when the device needs them
std::shared_ptr<poplar::Device::Impl> makeIpuDevice(unsigned id, const poplar::Target &target,
                                                    std::vector<unsigned> ipus,
                                                    const ClusterPart *part);

} // namespace copse::engine
