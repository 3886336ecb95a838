#include "compiler/liveness.hpp"

#include "compiler/effects.hpp"
#include "compiler/program_tree.hpp"
#include "compiler/summaries.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace copse::compiler {

using graph::ProgramNode;
using graph::ProgramPtr;
using graph::VariableId;
using Kind = ProgramNode::Kind;

namespace {

/// Walks programs from their ends to their starts, and counts steps on the way; take() turns their
/// numbers round.
class Walker {
public:
  Walker(const graph::Model &model, const VertexIndex &index, std::span<const ProgramPtr> programs);

  void walkProgram(const ProgramPtr &program);
  Liveness take();

private:
  /// A variable, or after all variables a compute set's buffers, and when it was live.
  struct Record {
    std::uint32_t item;
    LiveInterval backwards; ///< first: the later step
  };

  std::uint32_t itemOf(std::uint32_t computeSet) const {
    return static_cast<std::uint32_t>(model_.variables.size()) + computeSet;
  }
  void countCalls(std::span<const ProgramPtr> programs);
  void walk(const ProgramNode *program);
  void walkSequence(const ProgramNode &node);
  void walkRepeat(const ProgramNode &node);
  void walkWhile(const ProgramNode &node);
  void walkBranches(std::span<const ProgramPtr> branches, bool orNone);
  std::vector<VariableId> killedSince(std::size_t mark) const;
  void walkCall(const ProgramNode &node);
  void apply(const Effects &effects);
  void makeLive(VariableId variable);
  void kill(VariableId variable);
  void touch(std::uint32_t item) { records_.push_back({item, {now_, now_}}); }

  const graph::Model &model_;
  EffectsOfSteps effects_;
  Summaries summaries_;
  std::vector<std::uint32_t> calls_; ///< shape [functions]: places that call them
  std::uint32_t now_ = 0;            ///< steps from the end of all programs
  std::vector<bool> live_;           ///< shape [variables]
  std::vector<std::uint32_t> since_; ///< shape [variables]: the last step that needs what is live
  std::vector<VariableId> changes_;  ///< whose live_ changed, in the program in hand
  std::vector<bool> always_;         ///< shape [variables]
  std::vector<Record> records_;
};

Walker::Walker(const graph::Model &model, const VertexIndex &index,
               std::span<const ProgramPtr> programs)
    : model_(model), effects_(model, index), summaries_(model, effects_),
      calls_(model.functions.size(), 0), live_(model.variables.size(), false),
      since_(model.variables.size(), 0), always_(model.variables.size(), false) {
  for (VariableId v = 0; v < model.variables.size(); ++v) {
    const graph::Variable &variable = model.variables[v];
    always_[v] = variable.constant || variable.replicaIndex || !variable.initial.empty();
  }
  for (const graph::HostAccessDef &access : model.hostAccesses)
    for (const graph::Run &run : access.view.elementRuns())
      always_[run.variable] = true;
  countCalls(programs);
}

void Walker::countCalls(std::span<const ProgramPtr> programs) {
  const auto count = [&](const ProgramNode &node) {
    if (node.kind == Kind::Call)
      ++calls_[node.index];
  };
  for (const ProgramPtr &program : programs)
    visitNodes(program, count);
  for (const ProgramPtr &function : model_.functions)
    visitNodes(function, count);
}

void Walker::walkProgram(const ProgramPtr &program) {
  changes_.clear();
  ++now_;
  walk(program.get());
  // What is live before the first step has its value from another run, or from the load.
  for (const VariableId v : changes_)
    if (live_[v]) {
      live_[v] = false;
      always_[v] = true;
    }
  ++now_;
}

void Walker::makeLive(VariableId variable) {
  if (live_[variable] || always_[variable])
    return;
  live_[variable] = true;
  since_[variable] = now_;
  changes_.push_back(variable);
}

void Walker::kill(VariableId variable) {
  if (!live_[variable])
    return;
  live_[variable] = false;
  records_.push_back({variable, {since_[variable], now_}});
  changes_.push_back(variable);
}

void Walker::apply(const Effects &effects) {
  for (const VariableId v : effects.writes)
    if (!live_[v] && !always_[v])
      touch(v);
  for (const VariableId v : effects.kills)
    kill(v);
  for (const VariableId v : effects.reads)
    makeLive(v);
}

void Walker::walk(const ProgramNode *program) {
  if (!program)
    return;
  const ProgramNode &node = *program;
  switch (node.kind) {
  case Kind::Sequence:
    return walkSequence(node);
  case Kind::Repeat:
    return walkRepeat(node);
  case Kind::RepeatWhile:
    return walkWhile(node);
  case Kind::If:
    walkBranches(node.children, false);
    break;
  case Kind::Switch:
    walkBranches(node.children, node.children.size() == node.caseValues.size());
    break;
  case Kind::Call:
    return walkCall(node);
  case Kind::Execute:
    ++now_;
    touch(itemOf(node.computeSet));
    return apply(effects_.of(node));
  default:
    break;
  }
  ++now_;
  apply(effects_.of(node));
}

void Walker::walkSequence(const ProgramNode &node) {
  std::vector<const ProgramNode *> leaves;
  flatten(node, leaves);
  for (std::size_t i = leaves.size(); i > 0; --i) {
    const bool joins =
        i < leaves.size() && isStreamCopy(*leaves[i]) && isStreamCopy(*leaves[i - 1]);
    if (joins)
      apply(effects_.of(*leaves[i - 1])); // one transfer, one step
    else
      walk(leaves[i - 1]);
  }
}

void Walker::walkRepeat(const ProgramNode &node) {
  ++now_;
  // The end of one round is the start of the next one.
  for (const VariableId v : summaries_.of(node.children[0].get()).reads)
    makeLive(v);
  walkBranches(node.children, node.index == 0);
  ++now_;
}

void Walker::walkWhile(const ProgramNode &node) {
  ++now_;
  for (const VariableId v : summaries_.of(&node).reads)
    makeLive(v);
  walkBranches(std::span(node.children).subspan(1), true);
  ++now_;
  apply(effects_.of(node));
  walk(node.children[0].get());
  ++now_;
}

/// Exactly one of \p branches runs, or, with \p orNone, perhaps none. What some branch needs is
/// live before them all, and is taken for live in those that are walked after it.
void Walker::walkBranches(std::span<const ProgramPtr> branches, bool orNone) {
  std::map<VariableId, std::size_t> killedIn;
  for (const ProgramPtr &branch : branches) {
    ++now_;
    const std::size_t mark = changes_.size();
    walk(branch.get());
    ++now_;
    for (const VariableId v : killedSince(mark)) {
      ++killedIn[v];
      makeLive(v); // as it was at the end of this branch, and is at the ends of the others
    }
  }
  ++now_;
  const std::size_t ways = branches.size() + (orNone ? 1 : 0);
  for (const auto &[variable, times] : killedIn)
    if (times == ways)
      kill(variable);
}

/// Variables that were live when changes_ was \p mark long and are not now; not those that came and
/// went in between.
std::vector<VariableId> Walker::killedSince(std::size_t mark) const {
  std::vector<VariableId> changed(changes_.begin() + static_cast<std::ptrdiff_t>(mark),
                                  changes_.end());
  std::sort(changed.begin(), changed.end());
  std::vector<VariableId> killed;
  for (auto first = changed.begin(); first != changed.end();) {
    const auto last = std::upper_bound(first, changed.end(), *first);
    const bool wasLive = live_[*first] != ((last - first) % 2 == 1);
    if (wasLive && !live_[*first])
      killed.push_back(*first);
    first = last;
  }
  return killed;
}

void Walker::walkCall(const ProgramNode &node) {
  if (calls_[node.index] == 1)
    return walk(model_.functions[node.index].get());
  ++now_;
  const Summary &function = summaries_.ofFunction(node.index);
  for (const std::uint32_t set : function.computeSets)
    touch(itemOf(set));
  apply({function.reads, function.touches, function.kills});
}

Liveness Walker::take() {
  std::sort(records_.begin(), records_.end(), [](const Record &a, const Record &b) {
    return std::tie(a.item, b.backwards.last) < std::tie(b.item, a.backwards.last);
  });
  Liveness liveness = nothingShared(model_);
  std::fill(liveness.computeSets.begin(), liveness.computeSets.end(), LiveRanges::kNever);
  std::vector<LiveInterval> intervals;
  for (auto record = records_.begin(); record != records_.end();) {
    const std::uint32_t item = record->item;
    intervals.clear();
    for (; record != records_.end() && record->item == item; ++record) {
      const LiveInterval next{now_ - record->backwards.last, now_ - record->backwards.first};
      if (!intervals.empty() && next.first <= intervals.back().last)
        intervals.back().last = std::max(intervals.back().last, next.last);
      else
        intervals.push_back(next);
    }
    if (item >= model_.variables.size())
      liveness.computeSets[item - model_.variables.size()] = liveness.ranges.add(intervals);
    else if (!always_[item])
      liveness.variables[item] = liveness.ranges.add(intervals);
  }
  return liveness;
}

} // namespace

Liveness findLiveness(const graph::Model &model, std::span<const ProgramPtr> programs,
                      const VertexIndex &index) {
  Walker walker(model, index, programs);
  for (const ProgramPtr &program : programs)
    walker.walkProgram(program);
  return walker.take();
}

Liveness nothingShared(const graph::Model &model) {
  Liveness liveness;
  liveness.variables.assign(model.variables.size(), LiveRanges::kAlways);
  liveness.computeSets.assign(model.computeSets.size(), LiveRanges::kAlways);
  return liveness;
}

} // namespace copse::compiler
