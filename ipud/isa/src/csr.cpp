#include "isa/csr.hpp"

#include <algorithm>
#include <array>

namespace copse::isa {
namespace {

constexpr auto RW = CsrAccess::ReadWrite;
constexpr auto RO = CsrAccess::ReadOnly;
constexpr auto WO = CsrAccess::WriteOnly;
constexpr auto Ipu1 = Architecture::Ipu1;
constexpr auto Ipu21 = Architecture::Ipu21;

constexpr std::array kSupervisor = {
#define SUPERVISOR_CSR(name, number, access, since)                                                \
  CsrInfo{#name, Context::Supervisor, supervisor_csr::name, access, since},
#define WORKER_CSR(name, number, access, since)
#include "isa/csrs.def"
#undef SUPERVISOR_CSR
#undef WORKER_CSR
};

constexpr std::array kWorker = {
#define SUPERVISOR_CSR(name, number, access, since)
#define WORKER_CSR(name, number, access, since)                                                    \
  CsrInfo{#name, Context::Worker, worker_csr::name, access, since},
#include "isa/csrs.def"
#undef SUPERVISOR_CSR
#undef WORKER_CSR
};

} // namespace

std::span<const CsrInfo> csrsOf(Context context) {
  return context == Context::Supervisor ? std::span<const CsrInfo>(kSupervisor)
                                        : std::span<const CsrInfo>(kWorker);
}

const CsrInfo *csrAt(Context context, unsigned index, Architecture architecture) {
  const auto all = csrsOf(context);
  const auto at = std::ranges::lower_bound(all, index, {}, &CsrInfo::index);
  return at != all.end() && at->index == index && at->since <= architecture ? &*at : nullptr;
}

const CsrInfo *csrNamed(Context context, std::string_view name, Architecture architecture) {
  const auto all = csrsOf(context);
  const auto at = std::ranges::find(all, name, &CsrInfo::name);
  return at != all.end() && at->since <= architecture ? &*at : nullptr;
}

} // namespace copse::isa
