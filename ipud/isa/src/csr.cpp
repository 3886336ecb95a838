#include "isa/csr.hpp"

#include <algorithm>
#include <array>

namespace copse::isa {
namespace {

constexpr auto S = Context::Supervisor;
constexpr auto W = Context::Worker;
constexpr auto RW = CsrAccess::ReadWrite;
constexpr auto RO = CsrAccess::ReadOnly;
constexpr auto WO = CsrAccess::WriteOnly;
constexpr auto Ipu1 = Architecture::Ipu1;
constexpr auto Ipu21 = Architecture::Ipu21;

constexpr std::array kSupervisor = {
    CsrInfo{"PC", S, 0x00, RO, Ipu1},
    CsrInfo{"SSR", S, 0x01, RO, Ipu1},
    CsrInfo{"CR", S, 0x02, WO, Ipu1},
    CsrInfo{"TILE_ID", S, 0x03, RO, Ipu1},
    CsrInfo{"FP_ICTL", S, 0x20, RW, Ipu1},
    CsrInfo{"WORKER0_BASE", S, 0x21, RW, Ipu1},
    CsrInfo{"WORKER1_BASE", S, 0x22, RW, Ipu1},
    CsrInfo{"WORKER2_BASE", S, 0x23, RW, Ipu1},
    CsrInfo{"WORKER3_BASE", S, 0x24, RW, Ipu1},
    CsrInfo{"WORKER4_BASE", S, 0x25, RW, Ipu1},
    CsrInfo{"WORKER5_BASE", S, 0x26, RW, Ipu1},
    CsrInfo{"FP_INFMT", S, 0x31, RW, Ipu21},
    CsrInfo{"FP_ISCL", S, 0x33, RW, Ipu21},
    CsrInfo{"CCCSLOAD", S, 0x50, RW, Ipu1},
    CsrInfo{"SCOUNT_L", S, 0x60, RO, Ipu1},
    CsrInfo{"SCOUNT_U", S, 0x61, RO, Ipu1},
    CsrInfo{"DBG_DATA", S, 0x70, RW, Ipu1},
    CsrInfo{"DBG_BRK_ID", S, 0x71, RO, Ipu1},
    CsrInfo{"CTXT_STS", S, 0x72, RO, Ipu1},
    CsrInfo{"DBG_CTL", S, 0x73, RW, Ipu1},
    CsrInfo{"DBG_ECSR", S, 0x74, RW, Ipu1},
    CsrInfo{"DBG_ECLR", S, 0x75, RW, Ipu1},
    CsrInfo{"DBG_IBRK0_CTL", S, 0x80, RW, Ipu1},
    CsrInfo{"DBG_IBRK0_PC", S, 0x81, RW, Ipu1},
    CsrInfo{"DBG_IBRK0_VERT", S, 0x82, RW, Ipu1},
    CsrInfo{"DBG_DBRK0_CTL", S, 0x90, RW, Ipu1},
    CsrInfo{"DBG_DBRK0_BASE", S, 0x91, RW, Ipu1},
    CsrInfo{"DBG_DBRK0_SIDA", S, 0x92, RW, Ipu1},
    CsrInfo{"INCOMING_MUX", S, 0xA0, RW, Ipu1},
    CsrInfo{"INCOMING_MUXPAIR", S, 0xA1, RW, Ipu1},
    CsrInfo{"INCOMING_DELTA", S, 0xA2, RW, Ipu1},
    CsrInfo{"INCOMING_FORMAT", S, 0xA3, RW, Ipu1},
    CsrInfo{"INCOMING_BASE", S, 0xA4, RW, Ipu1},
    CsrInfo{"INCOMING_SINIT", S, 0xA5, RW, Ipu1},
    CsrInfo{"INCOMING_DCOUNT", S, 0xA6, RW, Ipu1},
    CsrInfo{"OUTGOING_BASE", S, 0xA7, RW, Ipu1},
    CsrInfo{"OUTGOING_DELTA", S, 0xA8, RW, Ipu1},
    CsrInfo{"EXCHANGE_CTL", S, 0xA9, RW, Ipu1},
    CsrInfo{"ANS_DCOUNT", S, 0xAA, RW, Ipu1},
    CsrInfo{"EXCHANGE_ADJ", S, 0xAB, RW, Ipu1},
};

constexpr std::array kWorker = {
    CsrInfo{"PC", W, 0x00, RO, Ipu1},           CsrInfo{"WSR", W, 0x01, RO, Ipu1},
    CsrInfo{"VERTEX_BASE", W, 0x02, RO, Ipu1},  CsrInfo{"WORKER_BASE", W, 0x03, RO, Ipu1},
    CsrInfo{"REPEAT_COUNT", W, 0x04, RO, Ipu1}, CsrInfo{"REPEAT_FIRST", W, 0x05, RO, Ipu1},
    CsrInfo{"REPEAT_END", W, 0x06, RO, Ipu1},   CsrInfo{"COUNT_L", W, 0x60, RO, Ipu1},
    CsrInfo{"COUNT_U", W, 0x61, RO, Ipu1},      CsrInfo{"DBG_DATA", W, 0x70, RW, Ipu1},
    CsrInfo{"DBG_BRK_ID", W, 0x71, RO, Ipu1},   CsrInfo{"FP_STS", W, 0x100, RO, Ipu1},
    CsrInfo{"FP_CLR", W, 0x101, WO, Ipu1},      CsrInfo{"FP_CTL", W, 0x102, RW, Ipu1},
    CsrInfo{"PRNG_0_0", W, 0x103, RW, Ipu1},    CsrInfo{"PRNG_0_1", W, 0x104, RW, Ipu1},
    CsrInfo{"PRNG_1_0", W, 0x105, RW, Ipu1},    CsrInfo{"PRNG_1_1", W, 0x106, RW, Ipu1},
    CsrInfo{"PRNG_SEED", W, 0x107, WO, Ipu1},   CsrInfo{"TAS", W, 0x108, RW, Ipu1},
    CsrInfo{"FP_NFMT", W, 0x109, RW, Ipu21},    CsrInfo{"FP_SCL", W, 0x10A, RW, Ipu21},
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
