#pragma once

#include "coverage.hpp"

#include "graph/model.hpp"

#include <cstdint>
#include <limits>
#include <unordered_map>
#include <vector>

namespace copse::compiler {

/// The number of a part, over all variables.
using PartId = std::uint32_t;

/// Divides each variable into parts at the boundaries of all writes, so that a step which writes an
/// element of a part writes the whole part. Most variables are written as a whole and are one part.
/// A variable that would have too many parts is one part too; some steps then write it
/// incompletely.
class VariableParts {
public:
  using Cuts = std::unordered_map<graph::VariableId, std::vector<std::uint64_t>>;
  VariableParts() = default;
  /// \param cuts  element numbers, in any order
  VariableParts(const graph::Model &model, Cuts cuts);

  std::size_t size() const { return begins_.size(); }
  graph::VariableId variableOf(PartId part) const { return variables_[part]; }

  /// Appends the parts with elements of \p run; for a long strided run, all parts in its range.
  void addTouched(const graph::Run &run, std::vector<PartId> &out) const;

  /// Appends the parts that lie completely in \p extent.
  void addInside(graph::VariableId variable, const Extent &extent, std::vector<PartId> &out) const;

private:
  PartId partOf(graph::VariableId variable, std::uint64_t element) const;
  /// Returns the end of a part; the last part of a variable is unbounded.
  std::uint64_t endOf(PartId part) const {
    const bool last = part + 1 == first_[variables_[part] + 1];
    return last ? std::numeric_limits<std::uint64_t>::max() : begins_[part + 1];
  }

  std::vector<PartId> first_{0};             ///< shape [variables + 1]
  std::vector<std::uint64_t> begins_;        ///< shape [parts]
  std::vector<graph::VariableId> variables_; ///< shape [parts]
  std::vector<std::uint64_t> elements_;      ///< shape [variables]
};

} // namespace copse::compiler
