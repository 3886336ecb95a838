#pragma once

#include "isa/architecture.hpp"

#include <cstdint>
#include <span>
#include <string_view>

namespace copse::isa {

// Numbers, by the names that the architecture gives: supervisor_csr::CR, worker_csr::FP_CTL.
namespace supervisor_csr {
enum Number : std::uint16_t {
#define SUPERVISOR_CSR(name, number, access, since) name = number,
#define WORKER_CSR(name, number, access, since)
#include "isa/csrs.def"
#undef SUPERVISOR_CSR
#undef WORKER_CSR
};
} // namespace supervisor_csr
namespace worker_csr {
enum Number : std::uint16_t {
#define SUPERVISOR_CSR(name, number, access, since)
#define WORKER_CSR(name, number, access, since) name = number,
#include "isa/csrs.def"
#undef SUPERVISOR_CSR
#undef WORKER_CSR
};
} // namespace worker_csr

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
