#pragma once

#include <cstdint>
#include <optional>

namespace copse::ipud {

/// Native addresses as tile instructions know them. Those of the tile's slot keep their lower bits.
/// Variables of a supervisor in C++ lie on the stack of its thread, not on the tile: they have
/// addresses at which no tile has memory, so that it can hand them on to workers in C++.
class TileAddresses {
public:
  static constexpr unsigned kSlotBits = 21;
  /// What stands for the end of the thread's stack.
  static constexpr std::uint32_t kVariables = 0x100000, kVariablesEnd = 0x180000;

  /// \param slot  native address of the tile's address 0
  /// \param stackEnd  variables of a supervisor lie below this; 0: there is none
  explicit TileAddresses(std::uintptr_t slot, std::uintptr_t stackEnd = 0)
      : slot_(slot), stackEnd_(stackEnd) {}

  bool isInSlot(std::uintptr_t pointer) const { return (pointer & ~kSlotMask) == slot_; }
  bool isVariable(std::uintptr_t pointer) const {
    return pointer < stackEnd_ && stackEnd_ - pointer <= kVariablesEnd - kVariables;
  }
  static bool isVariable(std::uint32_t address) {
    return address >= kVariables && address < kVariablesEnd;
  }
  bool hasVariables() const { return stackEnd_ != 0; }

  /// Also of a small number, as which programs keep addresses.
  /// \returns nothing if the tile does not know it
  std::optional<std::uint32_t> onTile(std::uintptr_t pointer) const {
    if (isInSlot(pointer) || (pointer & ~kSlotMask) == 0)
      return static_cast<std::uint32_t>(pointer & kSlotMask);
    if (isVariable(pointer))
      return static_cast<std::uint32_t>(kVariablesEnd - (stackEnd_ - pointer));
    return std::nullopt;
  }
  std::uintptr_t native(std::uint32_t address) const {
    return hasVariables() && isVariable(address) ? stackEnd_ - (kVariablesEnd - address)
                                                 : slot_ | (address & kSlotMask);
  }

private:
  static constexpr std::uintptr_t kSlotMask = (std::uintptr_t{1} << kSlotBits) - 1;

  std::uintptr_t slot_, stackEnd_;
};

} // namespace copse::ipud
