#include "processor/translator/code_region.hpp"

#include "processor/executor.hpp"
#include "processor/translator/known_instructions.hpp"

#include <algorithm>
#include <map>

namespace copse::ipud {
namespace {

bool is(const MicroOp &step, Label label) { return step.label == addressOf(label); }

std::span<const MicroOp> stepsOf(const CodePage &page, const Issue &issue) {
  const std::size_t first = page.start[issue.word], end = page.start[issue.word + issue.words];
  return std::span(page.steps).subspan(first, end - first);
}

bool isTest(const MicroOp &step, bool isNear) {
  return isNear ? is(step, Label::IfZeroNear) || is(step, Label::IfNotZeroNear) ||
                      is(step, Label::IfNegativeNear) || is(step, Label::IfPositiveNear)
                : is(step, Label::IfZeroFar) || is(step, Label::IfNotZeroFar) ||
                      is(step, Label::IfNegativeFar) || is(step, Label::IfPositiveFar);
}

Flow flowOf(const MicroOp &step) {
  if (is(step, Label::JumpNear))
    return Flow::Jump;
  if (is(step, Label::CallNear))
    return Flow::Call;
  if (is(step, Label::CountDownNear))
    return Flow::Count;
  if (is(step, Label::Repeat))
    return (step.r[3] & MicroOp::kNearRepeat) != 0 ? Flow::Repeat : Flow::Leave;
  if (is(step, Label::JumpToRegister))
    return Flow::Return;
  if (isTest(step, true))
    return Flow::Test;
  return isTest(step, false) ? Flow::TestFar : Flow::Leave;
}

CodeRegion::Control controlOf(const CodePage &page, const Issue &issue) {
  CodeRegion::Control control;
  for (const MicroOp &step : stepsOf(page, issue))
    if (isControl(step) && !is(step, Label::EnterLoop) && !is(step, Label::RepeatEnd))
      control = {flowOf(step), &step, issue.main};
  // The target of such a bundle is checked before its other half executes.
  if (control.flow == Flow::Return && issue.words > 1)
    control.flow = Flow::Leave;
  return control;
}

/// Groups the issues of a page by which of them are reached together.
class Discovery {
public:
  Discovery(const CodePage &page, const Chip &chip) : page_(page) {
    const DecodeOptions options{.chip = &chip};
    issues_ = IssueReader(page, options).readAll(0, static_cast<std::uint32_t>(page.words.size()));
    for (std::size_t i = 0; i < issues_.size(); ++i) {
      numbers_[issues_[i].word] = i;
      controls_.push_back(controlOf(page, issues_[i]));
    }
    groups_.assign(issues_.size(), CodeRegion::kNone);
  }

  /// Collects everything reachable from \p word into one group, merging groups that this meets.
  void visit(std::uint32_t word) {
    const std::size_t group = count_++;
    std::vector<std::uint32_t> open{word};
    while (!open.empty()) {
      const auto at = numbers_.find(open.back());
      open.pop_back();
      if (at == numbers_.end())
        continue;
      const std::size_t known = groups_[at->second];
      if (known != group && known != CodeRegion::kNone)
        std::ranges::replace(groups_, known, group);
      if (known != CodeRegion::kNone)
        continue;
      groups_[at->second] = group;
      appendSuccessors(at->second, open);
    }
  }

  std::vector<CodeRegion> regions() const {
    std::map<std::size_t, CodeRegion> found;
    for (std::size_t i = 0; i < issues_.size(); ++i)
      if (groups_[i] != CodeRegion::kNone)
        found.try_emplace(groups_[i], page_).first->second.add(issues_[i], controls_[i]);
    std::vector<CodeRegion> result;
    for (auto &[group, region] : found)
      result.push_back(std::move(region));
    return result;
  }

private:
  void appendSuccessors(std::size_t number, std::vector<std::uint32_t> &words) const {
    const Issue &issue = issues_[number];
    const auto &[flow, step, main] = controls_[number];
    const std::uint32_t next = issue.word + issue.words;
    if (flow != Flow::Leave && flow != Flow::Jump && flow != Flow::Return)
      words.push_back(next);
    if (flow == Flow::Jump || flow == Flow::Call || flow == Flow::Test || flow == Flow::Count)
      words.push_back(targetOf(*step)->at);
    if (flow == Flow::Repeat)
      words.push_back(step[step->immediate].at);
  }

  const CodePage &page_;
  std::vector<Issue> issues_;
  std::vector<CodeRegion::Control> controls_;    ///< shape [issues_]
  std::vector<std::size_t> groups_;              ///< shape [issues_]
  std::map<std::uint32_t, std::size_t> numbers_; ///< index of each issue, by word
  std::size_t count_ = 0;
};

} // namespace

void CodeRegion::add(Issue issue, const Control &control) {
  if (control.flow != Flow::Leave) {
    countRegisters(issue.main);
    countRegisters(issue.aux);
    if (control.flow != Flow::Next)
      issue.main.opcode = isa::Opcode::Invalid;
    calls = calls || isCalled(issue.main) || isCalled(issue.aux);
  }
  issues.push_back(issue);
  controls.push_back(control);
}

std::size_t CodeRegion::find(std::uint32_t word) const {
  const auto at = std::ranges::lower_bound(issues, word, {}, &Issue::word);
  return at != issues.end() && at->word == word ? static_cast<std::size_t>(at - issues.begin())
                                                : kNone;
}

std::vector<CodeRegion> regionsOf(const CodePage &page, const Chip &chip,
                                  std::span<const std::uint32_t> entries) {
  Discovery discovery(page, chip);
  for (const std::uint32_t word : entries)
    discovery.visit(word);
  return discovery.regions();
}

const MicroOp *targetOf(const MicroOp &branch) {
  return reinterpret_cast<const MicroOp *>(reinterpret_cast<const std::byte *>(&branch) +
                                           branch.distance);
}

const CodeLoop *loopAt(const CodePage &page, std::uint32_t word) {
  const MicroOp &first = page.steps[page.start[word]];
  return is(first, Label::EnterLoop) && first.at == word
             ? &page.loops[static_cast<std::size_t>(first.immediate)]
             : nullptr;
}

bool endsRepeat(const CodePage &page, const Issue &issue) {
  const auto steps = stepsOf(page, issue);
  return !steps.empty() && is(steps.back(), Label::RepeatEnd);
}

} // namespace copse::ipud
