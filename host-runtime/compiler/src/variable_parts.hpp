#pragma once

#include "coverage.hpp"

#include "graph/model.hpp"

#include <cstdint>
#include <limits>
#include <unordered_map>
#include <vector>

namespace copse::compiler {

/// Number of a part, over all variables.
using PartId = std::uint32_t;

/// Each variable as a row of parts, cut where some step's writes begin or end: so a step that
/// writes an element of a part writes all of it. Most variables are written as a whole and are one
/// part. One that would be cut into very many pieces is one part, too; some steps then write no
/// part of it as a whole.
class VariableParts {
public:
  using Cuts = std::unordered_map<graph::VariableId, std::vector<std::uint64_t>>;
  VariableParts() = default;
  /// \param cuts  element numbers, in any order
  VariableParts(const graph::Model &model, Cuts cuts);

  std::size_t size() const { return begins_.size(); }
  graph::VariableId variableOf(PartId part) const { return variables_[part]; }

  /// Appends the parts of which \p run names an element; of a long strided run, all in its reach.
  void addTouched(const graph::Run &run, std::vector<PartId> &out) const;

  /// Appends the parts that lie in \p extent as a whole.
  void addInside(graph::VariableId variable, const Extent &extent, std::vector<PartId> &out) const;

private:
  PartId partOf(graph::VariableId variable, std::uint64_t element) const;
  /// Where a part ends; the last one of a variable has no end.
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
