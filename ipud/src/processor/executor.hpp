#pragma once

#include "processor/code_page.hpp"
#include "processor/core.hpp"

namespace copse::ipud {

/// The reason why the executor returned.
enum class Stop : std::uint8_t {
  Exited,  ///< the worker exited
  Faulted, ///< see Core::fault
  Limit,   ///< Core::limit was reached
  Stepped, ///< single-stepping: one instruction has been executed
  ToStep   ///< the next instruction needs single-stepping
};

/// The code in the executor's loop that executes a step.
enum class Label : std::uint8_t {
#define COPSE_LABEL(name) name,
#include "processor/labels.def"
#undef COPSE_LABEL
};
const void *addressOf(Label label);

/// Executes from \p step of core.page on, in the floating-point mode of fp::FlushesDenormals. On
/// return, core.pc is the next instruction, or the one that faulted, and core.cycles counts all
/// issued instructions.
Stop execute(Core &core, const MicroOp *step, class Fetcher &fetcher);

/// Decoding an instruction takes longer than executing it. This class finds decoded code for a
/// core: pages of the cache that all tiles share, or single decoded steps where code was changed or
/// is not cached.
///
/// Thread: one tile's, at a time.
class Fetcher {
public:
  /// \param cache  if it lacks the code, each step is decoded separately
  Fetcher(CodeCache &cache, TilePages &code) : cache_(cache), code_(code) {}

  /// Sets core.page to the page with \p address, and subtracts its cycle count from core.cycles.
  /// \param jumped  the address is the target of a branch, which may cost more
  /// \returns the step to continue with; null after an exception (see core.fault), or if there is
  ///   no decoded page
  const MicroOp *enter(Core &core, std::uint32_t address, bool jumped);

  /// Decodes the code at \p address.
  void find(Core &core, std::uint32_t address) { pageWith(core, address); }
  /// Returns true if decoded code has a loop in which a worker waits for stores of others.
  bool foundWaitingLoop() const { return foundWaitingLoop_; }
  /// Decodes from now on so that turns may end after each instruction or bundle.
  void keepInStep() { inStep_ = true; }
  bool keepsInStep() const { return inStep_; }

  /// Sets the window of \p core for cached code.
  void openWindow(Core &core) const;

  CodeCache &cache() { return cache_; }

private:
  const CodePage *pageWith(Core &core, std::uint32_t address);

  CodeCache &cache_;
  TilePages &code_;
  bool inStep_ = false, foundWaitingLoop_ = false;
};

} // namespace copse::ipud
