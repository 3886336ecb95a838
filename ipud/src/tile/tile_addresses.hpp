#pragma once

#include <cstdint>
#include <optional>

namespace copse::ipud {

/// Translates native addresses to addresses for tile instructions. An address in the tile's slot
/// keeps its lower bits. Variables of a supervisor in C++ are on the stack of its thread and not on
/// the tile; they get addresses at which no tile has memory, so that the supervisor can pass them
/// to workers in C++.
class TileAddresses {
public:
  static constexpr unsigned kSlotBits = 21;
  /// The tile addresses that represent the end of the thread's stack.
  static constexpr std::uint32_t kVariables = 0x100000, kVariablesEnd = 0x180000;

  /// \param slot      native address of the tile's address 0
  /// \param stackEnd  end of the stack range with a supervisor's variables; 0: there is none
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

  /// Translates a native address, or a small number, as which programs store tile addresses.
  /// \returns nothing if the tile has no such address
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
