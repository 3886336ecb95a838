#pragma once

#include "session/machine.hpp"

#include <cstdint>
#include <fstream>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>

namespace copse::bench {

constexpr std::uint32_t kSyncPointsPerRun = 2000;

[[noreturn]] inline void fail(const std::string &why) { throw std::runtime_error(why); }

class NoStreams : public session::StreamHandler {
public:
  void fetch(std::uint32_t, std::uint32_t, std::span<std::byte>) override {}
  bool prefetch(std::uint32_t, std::uint32_t, std::span<std::byte>) override { return false; }
  void complete(std::uint32_t, std::uint32_t) override {}
  void take(std::uint32_t, std::uint32_t, std::span<std::byte>) override {}
  void invalidatePrefetched(std::uint32_t, std::uint32_t) override {}
  void print(std::uint32_t, std::uint32_t, std::span<const std::byte>) override {}
};

inline wire::Step step(wire::Op op, std::uint32_t index, std::uint32_t count = 0,
                       std::uint32_t body = 0) {
  wire::Step one;
  one.op = op;
  one.index = index;
  one.count = count;
  one.body = body;
  return one;
}

/// kSyncPointsPerRun sync points of all IPUs.
inline session::Program syncs(std::uint32_t ipus) {
  wire::Image image;
  image.geometry = {1, 6, 21, 0x4C000, 0x9C000};
  image.steps = {step(wire::Op::Repeat, 0, kSyncPointsPerRun, 1),
                 step(wire::Op::Sync, static_cast<std::uint32_t>(wire::SyncGroup::GS2))};
  image.programs = {{0, 2}};
  session::Program program;
  program.images.push_back(std::make_shared<const wire::Image>(std::move(image)));
  program.replicas = ipus;
  program.modules = [](const std::string &) { return std::span<const std::byte>(); };
  return program;
}

inline std::unique_ptr<session::Machine> machineOf(std::uint32_t ipus) {
  std::ifstream model(COPSE_MODEL_PATH);
  session::MachineOptions options;
  options.ipus = ipus;
  options.ipudPath = COPSE_IPUD_PATH;
  options.machineModel.assign(std::istreambuf_iterator<char>(model), {});
  options.heartbeatTimeout = std::chrono::seconds(30);
  auto machine = session::Machine::start(options);
  if (!machine)
    fail(machine.status().message);
  return std::move(*machine);
}

/// Runs of nothing but sync points, on ipud processes of its own.
class SyncPoints {
public:
  explicit SyncPoints(std::uint32_t ipus) : machine_(machineOf(ipus)) {
    if (const auto status = machine_->load(syncs(ipus)); !status.ok())
      fail(status.message);
    run();
  }
  /// kSyncPointsPerRun of them.
  void run() {
    if (const auto report = machine_->run(0, none_); !report)
      fail(report.status().message);
  }

private:
  std::unique_ptr<session::Machine> machine_;
  NoStreams none_;
};

} // namespace copse::bench
