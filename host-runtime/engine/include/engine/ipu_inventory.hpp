#pragma once

#include <memory>
#include <utility>
#include <vector>

namespace copse::engine {

/// Returns how many IPUs a host program can have without a cluster, as its own processes:
/// $COPSE_IPUS, else the IPUs of the pod $COPSE_POD, else 16; at most 256, or 1,024 with
/// $COPSE_EXECUTION=modelled.
/// \throws poplar::no_environment if $COPSE_IPUS is not a number in this range
unsigned ipusOfThisMachine();

/// The exclusive right of a device to some IPUs within this process. Its last owner releases them.
class IpuHold {
public:
  /// Takes all of \p ipus or none.
  /// \returns null if one of them is taken
  static std::shared_ptr<const IpuHold> take(std::vector<unsigned> ipus);
  ~IpuHold();
  IpuHold(const IpuHold &) = delete;
  IpuHold &operator=(const IpuHold &) = delete;

private:
  explicit IpuHold(std::vector<unsigned> ipus) : ipus_(std::move(ipus)) {}
  std::vector<unsigned> ipus_;
};

} // namespace copse::engine
