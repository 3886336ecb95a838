#pragma once

#include "tile/tile_addresses.hpp"
#include "tile/tile_memory.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace copse::ipud {

/// A supervisor in C++ may start workers whose state is one of its variables, on the stack of its
/// thread. But codelets in C++ find the memory of their tile by the address of their state. This
/// class copies the variables of such a state to their tile addresses, where no tile has memory.
/// When the worker has ended, the class copies back what the worker has changed there. Meanwhile
/// the worker may also change variables on the stack, by pointers from the supervisor.
class VariablesOnTile {
public:
  /// \param base  tile address of a variable
  VariablesOnTile(const TileMemory &memory, std::uint32_t tile, const TileAddresses &addresses,
                  std::uint32_t base);
  ~VariablesOnTile();
  VariablesOnTile(const VariablesOnTile &) = delete;
  VariablesOnTile &operator=(const VariablesOnTile &) = delete;

  /// Returns the copied state; null if the system gives no memory for it.
  void *state() const { return state_; }

private:
  /// All bytes of the pages are copied, so that a state of more than a page is a bad access and
  /// never reads what was not copied.
  static constexpr std::uint32_t kMostBytes = 2 * TileMemory::kPage;

  const TileMemory &memory_;
  std::uint32_t tile_, base_;
  std::size_t bytes_;
  std::byte *variables_;
  std::byte *state_ = nullptr;
  std::array<std::byte, kMostBytes> before_; ///< what was copied
};

} // namespace copse::ipud
