#pragma once

#include "isa/architecture.hpp"

#include <cstdint>
#include <span>
#include <string_view>

namespace copse::isa {

// The numbers of CSRs by their architectural names: supervisor_csr::CR, worker_csr::FP_CTL.
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
  std::uint16_t index; ///< 0..511: get and put access the lower 256, uget and uput the upper
  CsrAccess access;
  Architecture since;
};

/// Returns all CSRs of a context, ordered by index.
std::span<const CsrInfo> csrsOf(Context context);

/// Returns a CSR, or null if the context has no such CSR on \p architecture; an access then raises
/// INVALID_OP.
const CsrInfo *csrAt(Context context, unsigned index, Architecture architecture);
const CsrInfo *csrNamed(Context context, std::string_view name, Architecture architecture);

} // namespace copse::isa
