#pragma once

#include "compiler/executable_impl.hpp"
#include "machine/partition_clocks.hpp"
#include "profile/report_data.hpp"
#include "profile/run_observations.hpp"

#include <cstdint>
#include <vector>

namespace copse::profile {

/// Tells which kinds of steps the cycles of runs went to, one run after another: the steps are gone through again on
/// the modelled clocks of all replicas.
class RunAccounts {
public:
  explicit RunAccounts(const poplar::Executable::Impl &executable);

  /// \returns [modelled cycles] by StepKind, of the IPU that was done last; their sum is that of \p run.
  ///   Empty if only the device knew them: branches on data, callbacks that did not always
  ///   prefetch, vertices that took another time on each replica
  std::vector<std::uint64_t> of(const RunRecord &run, const RunObservations &observed);

private:
  machine::PartitionClocks clocks_;
};

} // namespace copse::profile
