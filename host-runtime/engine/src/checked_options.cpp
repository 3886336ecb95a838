#include "engine_flags.hpp"

#include "poplar/EngineOptions.hpp"
#include "poplar/RuntimeOptions.hpp"
#include "poplar/exceptions.hpp"
#include "types/engine_options.hpp"

#include <string>

namespace poplar {
namespace {

/// The number that an option has, or \p otherwise if it is not set. It is known to be one.
std::uint64_t numberOr(const OptionFlags &flags, const char *name, std::uint64_t otherwise) {
  const auto found = flags.find(name);
  if (found == flags.end())
    return otherwise;
  const std::string &text = found->second;
  return std::stoull(text, nullptr, text.starts_with("0x") || text.starts_with("0X") ? 16 : 10);
}

/// FNV-1a.
void mix(std::size_t &hash, const std::string &text) {
  for (const char c : text)
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3ULL;
  hash = (hash ^ 0xFFU) * 0x100000001B3ULL; // "ab", "c" is another pair than "a", "bc"
}

} // namespace

EngineOptions::EngineOptions(const OptionFlags &flags, const Target &target,
                             unsigned replicationFactor)
    : flags_(copse::types::withEngineEnvironment(flags)), target_(target),
      replicationFactor_(replicationFactor) {
  (void)copse::engine::checkedOptions(flags_, target);
  if (replicationFactor == 0)
    throw invalid_option("EngineOptions: a replication factor of 0 was given; it is at least 1");
  const std::uint64_t first = numberOr(flags_, "target.firstRuntimeReplica", 0);
  const std::uint64_t number = numberOr(flags_, "target.numberRuntimeReplica", 1);
  if (first >= replicationFactor || number > replicationFactor - first)
    throw invalid_option("engine options 'target.firstRuntimeReplica' and "
                         "'target.numberRuntimeReplica' name " +
                         std::to_string(number) + " replicas from number " + std::to_string(first) +
                         " on, but there are " + std::to_string(replicationFactor));
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
