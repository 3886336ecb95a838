#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace digits {

/// The host programs that share the replicas of one training. poprun starts several of them;
/// without it, this process is the only one, and nothing here needs MPI.
///
/// Life: one object, from before the device is opened until the results are complete. All instances
/// call the functions in the same order.
class Instances {
public:
  /// \param replicas  replicas of the training, unless poprun gives their number
  /// \throws std::exception if the other instances cannot be reached
  explicit Instances(unsigned replicas);
  ~Instances();
  Instances(const Instances &) = delete;
  Instances &operator=(const Instances &) = delete;

  unsigned replicas() const { return replicas_; }         ///< returns the replicas of all instances
  unsigned firstReplica() const { return firstReplica_; } ///< returns this instance's first replica
  unsigned ownReplicas() const { return ownReplicas_; }
  bool areSeveral() const { return ownReplicas_ < replicas_; }
  bool isFirst() const { return firstReplica_ == 0; }

  /// Returns the device that poprun has set aside for this one.
  std::optional<unsigned> device() const;

  double sum(double value) const;
  std::uint64_t largest(std::uint64_t value) const;
  /// Returns true if all instances have the same text; texts are equally long.
  bool agreeOn(const std::string &text) const;

private:
  std::vector<std::uint64_t> gather(std::uint64_t value) const;
  unsigned replicas_, firstReplica_ = 0, ownReplicas_;
};

} // namespace digits
