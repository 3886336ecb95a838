#include "tile/parity_guard.hpp"

#include "tile/native_access.hpp"

#include <ucontext.h>

namespace copse::ipud {

void ParityGuard::guard(std::uint32_t tile) {
  open();
  if (memory_->errorsOf(tile).empty())
    return;
  tile_ = tile;
  memory_->guard(tile);
}

void ParityGuard::openTile() {
  isStepping_ = false;
  memory_->open(*tile_);
  tile_.reset();
}

ParityGuard::Lifted::Lifted(ParityGuard &guard) : guard_(guard), tile_(guard.tile_) {
  guard_.errors_.clear();
  if (tile_)
    for (const wire::TileAddress &word : guard_.memory_->errorsOf(*tile_))
      guard_.errors_.push_back(word.address);
  guard_.open();
}

ParityGuard::Lifted::~Lifted() {
  if (tile_)
    guard_.guard(*tile_);
}

#if defined(__x86_64__)

namespace {

constexpr greg_t kWrites = 2;         ///< bit of a page fault's code
constexpr greg_t kSingleStep = 0x100; ///< bit of the flags

} // namespace

ParityGuard::Access ParityGuard::access(const siginfo_t *info, void *context, const void *&word) {
  wire::TileAddress where;
  if (!tile_ || info->si_code != SEGV_ACCERR || !memory_->locate(info->si_addr, where) ||
      where.tile != *tile_ || !memory_->isGuarded(where))
    return Access::Elsewhere;
  auto &registers = static_cast<ucontext_t *>(context)->uc_mcontext.gregs;
  const NativeAccess access =
      nativeAccessOf(reinterpret_cast<const std::uint8_t *>(registers[REG_RIP]));
  const bool reads = (registers[REG_ERR] & kWrites) == 0 || !access.onlyStores;
  const auto *const error =
      reads ? memory_->errorIn(where.tile, where.address, access.bytes) : nullptr;
  if (error != nullptr) {
    word = memory_->at(*error);
    return Access::ReadsError;
  }
  memory_->openPage(where);
  isStepping_ = true;
  registers[REG_EFL] |= kSingleStep;
  return Access::GoesOn;
}

bool ParityGuard::endStep(const siginfo_t *info, void *context) {
  // Some virtual machines lose the processor's note that this was a single step, so the code may be
  // TRAP_BRKPT. An instruction that accesses memory is not a breakpoint.
  if (!isStepping_ || info->si_code <= 0)
    return false;
  static_cast<ucontext_t *>(context)->uc_mcontext.gregs[REG_EFL] &= ~kSingleStep;
  isStepping_ = false;
  memory_->guard(*tile_);
  return true;
}

#else

// Single-stepping is implemented for x86-64 only.
ParityGuard::Access ParityGuard::access(const siginfo_t *, void *, const void *&) {
  return Access::Elsewhere;
}

bool ParityGuard::endStep(const siginfo_t *, void *) { return false; }

#endif

} // namespace copse::ipud
