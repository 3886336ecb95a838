#pragma once

#include <memory>
#include <utility>
#include <vector>

namespace copse::engine {

/// How many IPUs a host program can have without a cluster, as processes that it starts for itself:
/// $COPSE_IPUS, else those of the pod that $COPSE_POD names, at most 64, else 16.
/// \throws poplar::no_environment if $COPSE_IPUS is no number from 1 to 64
unsigned ipusOfThisMachine();

/// The right to IPUs that no other device of this process has, until its last owner is gone.
class IpuHold {
public:
  /// All of \p ipus or none.
  /// \returns null if one of them is held
  static std::shared_ptr<const IpuHold> take(std::vector<unsigned> ipus);
  ~IpuHold();
  IpuHold(const IpuHold &) = delete;
  IpuHold &operator=(const IpuHold &) = delete;

private:
  explicit IpuHold(std::vector<unsigned> ipus) : ipus_(std::move(ipus)) {}
  std::vector<unsigned> ipus_;
};

} // namespace copse::engine
