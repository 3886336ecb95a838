#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace copse::isa {

/// A register or an aligned group of registers, as written in assembly.
struct RegisterName {
  bool isAux = false;
  std::uint8_t first = 0; ///< the lowest
  std::uint8_t count = 1; ///< 1, 2 or 4; 3 for the upper three of a quad

  friend bool operator==(const RegisterName &, const RegisterName &) = default;
};

/// Main registers with special names.
inline constexpr std::uint8_t kLinkRegister = 10, kStackPointer = 11, kWorkerBase = 12,
                              kVertexBase = 13, kIgnoredMain = 14, kMainZero = 15;
/// Auxiliary registers that ignore writes and read as zero, and the register that `fnop` writes.
inline constexpr std::uint8_t kIgnoredAux = 13, kAuxZeroPair = 14, kAuxZero = 15;

/// \param text  without the '$': "m3", "a0:1", "ap2", "lr", "azeros"
/// \returns nothing if \p text is not a register, for example a misaligned group
std::optional<RegisterName> registerNamed(std::string_view text);

/// Returns the name with the '$': "$m3", "$mzero", "$a0:1".
std::string textOf(RegisterName name);

} // namespace copse::isa
