#pragma once

#include "compiler/placement.hpp"
#include "graph/model.hpp"
#include "wire/image.hpp"

#include <vector>

namespace copse::compiler {

/// Adds the values of constants and of setInitialValue() to \p images, on the tiles that hold them,
/// and the addresses of replica indices.
void emitInitialValues(const graph::Model &model, const Placement &placement,
                       std::vector<wire::Image> &images);

} // namespace copse::compiler
