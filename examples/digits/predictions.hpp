#pragma once

#include "batches.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace digits {

/// Counts the test images that replicas recognise, as their predictions come, step by step.
class Predictions {
public:
  /// \param images,  plan  must outlive it; the plan of the test
  Predictions(const std::vector<Image> &images, const BatchPlan &plan, unsigned batch,
              unsigned replicas)
      : images_(images), plan_(plan), batch_(batch), rows_(replicas, 0) {}

  /// \param row  int [batch]: the next of \p replica
  void take(unsigned replica, const void *row);
  std::size_t correct() const { return correct_; }

private:
  const std::vector<Image> &images_;
  const BatchPlan &plan_;
  unsigned batch_;
  std::vector<std::uint64_t> rows_; ///< that came, by replica
  std::size_t correct_ = 0;
};

} // namespace digits
