#include "tile/variables_on_tile.hpp"

#include <algorithm>
#include <cstring>

namespace copse::ipud {
namespace {

/// Copies a part of the stack. The address sanitizer must not see this, as it forbids the bytes
/// between variables.
__attribute__((no_sanitize("address"))) void copyFromStack(std::byte *to, const std::byte *stack,
                                                           std::size_t bytes) {
  for (std::size_t i = 0; i != bytes; ++i)
    to[i] = stack[i];
}

} // namespace

VariablesOnTile::VariablesOnTile(const TileMemory &memory, std::uint32_t tile,
                                 const TileAddresses &addresses, std::uint32_t base)
    : memory_(memory), tile_(tile), base_(base),
      bytes_(std::min(kMostBytes - base % TileMemory::kPage, TileAddresses::kVariablesEnd - base)),
      variables_(reinterpret_cast<std::byte *>(addresses.native(base))) {
  if (!memory_.protect(tile_, base_, bytes_, true))
    return;
  state_ = memory_.at(tile_, base_);
  copyFromStack(before_.data(), variables_, bytes_);
  std::memcpy(state_, before_.data(), bytes_);
}

VariablesOnTile::~VariablesOnTile() {
  if (state_ == nullptr)
    return;
  for (std::size_t i = 0; i != bytes_; ++i)
    if (state_[i] != before_[i])
      variables_[i] = state_[i];
  memory_.protect(tile_, base_, bytes_, false);
}

} // namespace copse::ipud
