#pragma once

#include "isa/architecture.hpp"

#include <cstdint>
#include <span>
#include <string_view>

namespace copse::isa {

enum class CsrAccess : std::uint8_t { ReadWrite, ReadOnly, WriteOnly };

/// A control and status register.
struct CsrInfo {
  std::string_view name; ///< without '$'
  Context context;
  std::uint16_t index; ///< 0..511: get and put reach the lower 256, uget and uput the upper
  CsrAccess access;
  Architecture since;
};

/// All CSRs of a context, by index.
std::span<const CsrInfo> csrsOf(Context context);

/// \returns null where the context has no such CSR on \p architecture (INVALID_OP on access)
const CsrInfo *csrAt(Context context, unsigned index, Architecture architecture);
const CsrInfo *csrNamed(Context context, std::string_view name, Architecture architecture);

} // namespace copse::isa
