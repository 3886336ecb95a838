#pragma once

#include "poplar/OptionFlags.hpp"
#include "poplar/Target.hpp"

#include <cstddef>
#include <functional>

namespace poplar {

/// Engine options for a target, checked before there is a graph or an engine. A value, for keys of
/// caches; convert it to OptionFlags wherever those are taken.
class EngineOptions {
public:
  /// \p flags with what POPLAR_ENGINE_OPTIONS and POPLAR_RUNTIME_OPTIONS put over them.
  /// \param replicationFactor  replicas in all, also of other host programs
  /// \throws invalid_option if an option is not known, has no such value, does not go with the
  /// target, or names replicas beyond \p replicationFactor; parse_error of the environment
  EngineOptions(const OptionFlags &flags, const Target &target, unsigned replicationFactor = 1);

  const OptionFlags &getOptionFlags() const { return flags_; }
  operator const OptionFlags &() const { return flags_; }
  unsigned getReplicationFactor() const { return replicationFactor_; }

  friend bool operator==(const EngineOptions &a, const EngineOptions &b) {
    return a.flags_ == b.flags_ && a.target_ == b.target_ &&
           a.replicationFactor_ == b.replicationFactor_;
  }
  friend bool operator!=(const EngineOptions &a, const EngineOptions &b) { return !(a == b); }
  /// The same in every process; of equal options it is equal. (The name is boost::hash's.)
  friend std::size_t hash_value(const EngineOptions &options) { return options.hash(); }

private:
  std::size_t hash() const;

  OptionFlags flags_;
  Target target_;
  unsigned replicationFactor_;
};

} // namespace poplar

namespace std {
template <> struct hash<poplar::EngineOptions> {
  size_t operator()(const poplar::EngineOptions &options) const { return hash_value(options); }
};
} // namespace std
