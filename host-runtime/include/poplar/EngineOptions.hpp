#pragma once

#include "poplar/OptionFlags.hpp"
#include "poplar/Target.hpp"

#include <cstddef>
#include <functional>

namespace poplar {

/// Checks engine options for a target before there is a graph or an engine. A value, for keys of
/// caches; convert it to OptionFlags wherever those are taken.
class EngineOptions {
public:
  /// Checks \p flags, after POPLAR_ENGINE_OPTIONS and POPLAR_RUNTIME_OPTIONS have overridden them.
  /// \param replicationFactor  number of all replicas, including those of other host programs;
  ///   default 1
  /// \throws invalid_option if an option is unknown, has a wrong value, does not fit the target, or
  ///   names replicas beyond \p replicationFactor
  /// \throws parse_error if a variable of the environment is not JSON
  EngineOptions(const OptionFlags &flags, const Target &target, unsigned replicationFactor = 1);

  ///@{

  /// Returns the options, with those of the environment.
  const OptionFlags &getOptionFlags() const { return flags_; }
  operator const OptionFlags &() const { return flags_; }
  ///@}

  /// Returns the number of all replicas.
  unsigned getReplicationFactor() const { return replicationFactor_; }

  ///@{

  /// Compares options, target and replicas.
  friend bool operator==(const EngineOptions &a, const EngineOptions &b) {
    return a.flags_ == b.flags_ && a.target_ == b.target_ &&
           a.replicationFactor_ == b.replicationFactor_;
  }
  friend bool operator!=(const EngineOptions &a, const EngineOptions &b) { return !(a == b); }
  ///@}

  /// Returns a hash that is the same in every process; equal options have equal ones. (The name is
  /// boost::hash's.)
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
