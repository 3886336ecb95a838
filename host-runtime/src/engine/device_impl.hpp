#pragma once

#include "session/machine.hpp"

#include "poplar/Device.hpp"

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
public:
  /// The right to use the device's IPUs, for as long as one call of an engine takes: engines take
  /// turns on a device, from whatever threads.
  class Turn {
  public:
    /// \param who  for the message: "Engine::run". \throws poplar_error if the device is in use
    Turn(std::shared_ptr<Impl> device, const char *who);
    ~Turn();
    Turn(const Turn &) = delete;
    Turn &operator=(const Turn &) = delete;

  private:
    std::shared_ptr<Impl> device_;
  };

  /// \param ipus      numbers of the machine's IPUs that the device consists of; empty: it is this
  /// process's own \param options   how to start its IPUs; the machine model is in it
  Impl(unsigned id, Target target, std::vector<unsigned> ipus,
       copse::session::MachineOptions options);
  ~Impl();

  unsigned id() const { return id_; }
  const Target &target() const { return target_; }
  const std::vector<unsigned> &ipus() const { return ipus_; }
  const copse::session::MachineOptions &options() const { return options_; }

  /// This process's own: nobody else can hold it, so it is always attached, as programs for models
  /// and CPUs take for granted.
  bool local() const { return ipus_.empty(); }
  bool attach();
  void detach();
  bool attached() const { return local() || attached_; }
  /// Ends what runs the programs; engines have to load again.
  void stop();

  /// The partition of \p ipus IPUs; started when it is first asked for.
  copse::session::Machine &machine();
  bool started() const { return machine_ != nullptr; }

  /// Number of the Engine::load that was the last on this device: an engine that is not the last
  /// must load again.
  std::atomic<std::uint64_t> loadNumber{0};

private:
  unsigned id_;
  Target target_;
  std::vector<unsigned> ipus_;
  copse::session::MachineOptions options_;
  bool attached_ = false;
  std::atomic<bool> inUse_{false};
  std::unique_ptr<copse::session::Machine> machine_;
};

} // namespace poplar

namespace copse::engine {

/// A device of this process's own: a CPU, or a model of IPUs.
std::shared_ptr<poplar::Device::Impl> makeLocalDevice(unsigned id, const poplar::Target &target);

/// A device of \p ipus, emulated by an ipud process each.
std::shared_ptr<poplar::Device::Impl> makeIpuDevice(unsigned id, const poplar::Target &target,
                                                    std::vector<unsigned> ipus);

} // namespace copse::engine
