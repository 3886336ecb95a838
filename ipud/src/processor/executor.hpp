#pragma once

#include "processor/code_page.hpp"
#include "processor/core.hpp"

namespace copse::ipud {

/// Why the executor came back.
enum class Stop : std::uint8_t {
  Exited,  ///< the worker ended itself
  Faulted, ///< Core::fault
  Limit,   ///< Core::limit was reached
  Stepped, ///< in single steps: at the next instruction
  ToStep   ///< what follows needs single steps
};

/// Where a step goes on in the executor's loop.
enum class Label : std::uint8_t {
#define COPSE_LABEL(name) name,
#include "processor/labels.def"
#undef COPSE_LABEL
};
const void *addressOf(Label label);

/// Executes from \p step of core.page on, in the mode that fp::FlushesDenormals sets. At return
/// core.pc is the next instruction, or the one that stopped it, and core.cycles counts all that were
/// issued.
/// \param enter  finds the step at an address, or raises what is wrong with it
Stop execute(Core &core, const MicroOp *step, class Fetcher &fetcher);

/// Finds decoded code for a core.
class Fetcher {
public:
  /// \param cache  may lack the code: it is then decoded for each step
  Fetcher(CodeCache &cache, TilePages &code) : cache_(cache), code_(code) {}

  /// Makes core.page the one with \p address and takes its count of issues off core.cycles.
  /// \param jumped  the address is the target of a branch, which may cost more
  /// \returns the step to go on with; null after raising an exception, or where there is no decoded
  ///          page (core.fault tells which)
  const MicroOp *enter(Core &core, std::uint32_t address, bool jumped);

  /// Takes a look at the code at \p address.
  void find(Core &core, std::uint32_t address) { pageWith(core, address); }
  /// Whether code that was found has a loop in which a worker waits for what others store.
  bool foundWaitingLoop() const { return foundWaitingLoop_; }
  /// From now on the code is such that turns may end after each instruction or bundle.
  void keepInStep() { inStep_ = true; }
  bool keepsInStep() const { return inStep_; }

  /// The window of \p core for code of the cache.
  void openWindow(Core &core) const;

  CodeCache &cache() { return cache_; }

private:
  const CodePage *pageWith(Core &core, std::uint32_t address);

  CodeCache &cache_;
  TilePages &code_;
  bool inStep_ = false, foundWaitingLoop_ = false;
};

} // namespace copse::ipud
