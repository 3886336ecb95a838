#include "checked_options.hpp"

#include "poplar/EngineOptions.hpp"
#include "poplar/RuntimeOptions.hpp"
#include "poplar/exceptions.hpp"
#include "types/engine_options.hpp"
#include "types/log.hpp"
#include "types/simulator_options.hpp"

#include <string>

namespace copse::engine {

types::EngineOptions checkedOptions(const poplar::OptionFlags &flags,
                                    const poplar::Target &target) {
  types::EngineOptions options = types::parseEngineOptions(flags, types::warnOnce);
  options.workerSeed = types::simulatorOptions().workerSeed;
  types::checkSoftwareSyncs(options, types::describe(target).links.syncConfiguration);
  return options;
}

} // namespace copse::engine

namespace poplar {
namespace {

/// FNV-1a.
void mix(std::size_t &hash, const std::string &text) {
  for (const char c : text)
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3ULL;
  hash = (hash ^ 0xFFU) * 0x100000001B3ULL; // distinguishes "ab", "c" from "a", "bc"
}

} // namespace

EngineOptions::EngineOptions(const OptionFlags &flags, const Target &target,
                             unsigned replicationFactor)
    : flags_(copse::types::withEngineEnvironment(flags)), target_(target),
      replicationFactor_(replicationFactor) {
  const auto options = copse::engine::checkedOptions(flags_, target);
  if (replicationFactor == 0)
    throw invalid_option("EngineOptions: a replication factor of 0 was given; it is at least 1");
  (void)options.runtimeReplicas(replicationFactor);
}

std::size_t EngineOptions::hash() const {
  std::size_t hash = 0xCBF29CE484222325ULL ^ replicationFactor_;
  for (const auto &[name, value] : flags_) {
    mix(hash, name);
    mix(hash, value);
  }
  mix(hash, std::to_string(target_.getNumTiles()));
  mix(hash, toString(target_.getTargetType()));
  return hash;
}

RuntimeOptions::RuntimeOptions(const OptionFlags &flags)
    : flags_(copse::types::withRuntimeEnvironment(flags)) {
  copse::types::requireRuntimeOptions(flags_);
}

} // namespace poplar
