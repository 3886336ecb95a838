#pragma once

#include "compiler/executable.hpp"
#include "compiler/tile_allocator.hpp"
#include "graph/model.hpp"

#include <vector>

namespace copse::compiler {

/// Writes down what tile memory is handed out for, while the compiler hands it out.
class TileUseMeter {
public:
  explicit TileUseMeter(const TileAllocator &allocator, std::uint32_t tiles);

  /// All that was allocated since the last call, padding included but gaps not, is for \p use.
  void charge(std::uint64_t TileUse::*use);

  /// Moves what constants of \p model take from the account of variables to their own.
  void separateConstants(const graph::Model &model);

  const std::vector<TileUse> &uses() const { return uses_; }
  std::vector<TileUse> take() { return std::move(uses_); }

private:
  const TileAllocator &allocator_;
  std::vector<std::uint64_t> charged_; ///< shape [tiles]
  std::vector<TileUse> uses_;          ///< shape [tiles]
};

} // namespace copse::compiler
