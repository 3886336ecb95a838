#include "processor/translator/loop_body.hpp"

#include "processor/translator/known_instructions.hpp"
#include "processor/translator/pace_form.hpp"

#include <bit>

namespace copse::ipud {
namespace {

std::vector<NativeLoop::Term> termsOf(const Linear &value) {
  std::vector<NativeLoop::Term> terms;
  for (std::uint8_t r = 0; r < 15; ++r)
    if (value.factors[r] != 0)
      terms.push_back({r, value.factors[r]});
  return terms;
}

} // namespace

LoopBody::LoopBody(const CodePage &of, const CodeLoop &closed, const Chip &chip)
    : CodeBody(of), loop(closed) {
  const DecodeOptions options{.chip = &chip};
  issues = IssueReader(page, options).readAll(loop.first, loop.end);
  addresses = addressesOf(issues, isCounted() ? loop.tested : isa::kMainZero, skippedIssues());
  if (!loop.isRepeat)
    issues.back().main.opcode = isa::Opcode::Invalid; // the branch
  for (const Issue &issue : issues) {
    hasSkips = hasSkips || isCondition(issue.main.opcode);
    countRegisters(issue.main);
    countRegisters(issue.aux);
  }
  decideCalls();
  countsItself = isCounted() && (read >> loop.tested & 1) != 0;
  if (countsItself)
    written |= 1U << loop.tested;
}

std::vector<bool> LoopBody::skippedIssues() const {
  std::vector<bool> skipped(issues.size());
  for (const Issue &skip : issues)
    if (isSkip(skip, page.address))
      for (std::size_t i = 0; i < issues.size(); ++i)
        if (issues[i].word > skip.word && issues[i].word < targetOfSkip(skip, page.address))
          skipped[i] = true;
  return skipped;
}

/// Returns the pair of packed addresses, if there is only one and nothing else uses its registers.
unsigned LoopBody::pairOfPaces() const {
  unsigned pair = HostRegisters::kNone;
  RegisterSet others = 0;
  for (const Issue &issue : issues) {
    const Footprint print = footprintOf(issue.main), aux = footprintOf(issue.aux);
    others |= aux.read | aux.written;
    const auto form = paceFormOf(issue.main);
    if (!form) {
      others |= print.read | print.written;
      continue;
    }
    if (form->pair + 1U >= isa::kWorkerBase || (pair != HostRegisters::kNone && pair != form->pair))
      return HostRegisters::kNone;
    pair = form->pair;
    others |= 1U << form->stride;
  }
  if (!loop.isRepeat)
    others |= 1U << loop.tested;
  return pair == HostRegisters::kNone || (others >> pair & 3) != 0 ? HostRegisters::kNone : pair;
}

/// Decides which instructions are calls. Called functions keep the accumulators and the addresses
/// in the Core, so other instructions that use these must be calls too.
void LoopBody::decideCalls() {
  bool macs = false, quarters = false, paces = false;
  for (const Issue &issue : issues) {
    const bool isPace = paceFormOf(issue.main).has_value();
    paces = paces || isPace;
    calls = calls || (isUnknown(issue.main) && !isPace) || isUnknown(issue.aux);
    macs = macs || isMac(issue.aux);
    quarters = quarters || preparesQuarters(issue.aux);
    hasMatrix = hasMatrix || matrixCallOf(issue.aux);
  }
  calls = calls || (macs && hasMatrix);
  hasMatrix = hasMatrix && !quarters;
  if (paces && !calls)
    paced = pairOfPaces();
  calls = calls || (paces && paced == HostRegisters::kNone);
}

NativeLoop LoopBody::describe() const {
  NativeLoop result;
  result.isRepeat = loop.isRepeat;
  result.isCounted = isCounted();
  result.countsItself = countsItself;
  result.counter = loop.tested;
  result.hasSkips = hasSkips;
  if (!loop.isRepeat)
    result.issues = closingStep()->issues;
  for (const MovingAccess &access : addresses.accesses) {
    NativeLoop::Access &a = result.accesses.emplace_back();
    a.start = access.address.constant;
    a.step = access.step.constant;
    a.startTerms = termsOf(access.address);
    a.stepTerms = termsOf(access.step);
    a.shift = static_cast<std::uint8_t>(std::countr_zero(access.bytes));
  }
  if (hasMatrix)
    for (const Issue &issue : issues)
      if (const auto call = matrixCallOf(issue.aux))
        call->isSingle ? result.singleWeights |= 1U << call->row | 1U << call->ofSet(1).row
                       : result.halfWeights |= 1U << call->group;
  return result;
}

} // namespace copse::ipud
