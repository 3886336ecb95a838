#pragma once

#include "graph/model.hpp"
#include "popc/vertex_type.hpp"
#include "wire/image.hpp"

#include <memory>
#include <vector>

namespace copse::compiler {

/// Adds the functions of tile code that native codelets of a program call. Like the codelets, they
/// run outside of tile memory, so they may have neither data nor a stack.
/// \param modules  modules of the native codelets
/// \throws poplar::link_error if a function is missing, or has data or a stack
void emitTileCalls(const graph::Model &model,
                   const std::vector<std::shared_ptr<const popc::Module>> &modules,
                   std::vector<wire::Image> &images);

} // namespace copse::compiler
