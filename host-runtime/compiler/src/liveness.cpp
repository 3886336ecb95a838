#include "compiler/liveness.hpp"

#include "call_paths.hpp"
#include "copy_sources.hpp"
#include "effects.hpp"
#include "program_tree.hpp"
#include "summaries.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>
#include <unordered_map>

namespace copse::compiler {

using graph::ProgramNode;
using graph::ProgramPtr;
using graph::VariableId;
namespace kind = graph::kind;

namespace {

/// Walks programs from end to start, and counts steps on the way; take() reverses the numbers.
class Walker {
public:
  Walker(const graph::Model &model, const VertexIndex &index, std::span<const ProgramPtr> programs);

  void walkProgram(const ProgramPtr &program);
  Liveness take();

private:
  /// A variable, or (numbered after all variables) a compute set's buffers, and when it was live.
  struct Record {
    std::uint32_t item;
    LiveInterval backwards; ///< reversed: `first` is the later step
  };
  /// The changes that a branch makes to what is live after all branches.
  struct Changes {
    std::vector<PartId> killed, come;
  };

  std::uint32_t itemOf(std::uint32_t computeSet) const {
    return static_cast<std::uint32_t>(model_.variables.size()) + computeSet;
  }
  void walk(const ProgramNode *program);
  void walkSequence(const kind::Sequence &sequence);
  void walkRepeat(const ProgramNode &node, const kind::Repeat &repeat);
  void walkWhile(const ProgramNode &node, const kind::RepeatWhile &loop);
  void walkBranches(std::span<const ProgramPtr> branches, bool orNone);
  Changes changesSince(std::size_t mark) const;
  void walkCall(const ProgramNode &node, std::uint32_t called);
  void apply(const Effects &effects);
  void makeLive(PartId part);
  void kill(PartId part);
  /// Moves one step back, to \p node.
  void comeTo(const ProgramNode &node) {
    ++now_;
    visits_.push_back({&node, now_});
  }
  void touch(std::uint32_t item) { records_.push_back({item, {now_, now_}}); }
  void keepCopiesOf(VariableId written, const Effects &effects);
  void joinCopies(Liveness &liveness);

  const graph::Model &model_;
  EffectsOfSteps effects_;
  Summaries summaries_;
  std::vector<bool> follow_;             ///< shape [functions]
  std::uint32_t now_ = 0;                ///< number of steps to the end of all programs
  std::vector<bool> live_;               ///< shape [parts]
  std::vector<std::uint32_t> liveParts_; ///< shape [variables]: number of live parts
  std::vector<std::uint32_t> since_;     ///< shape [variables]: last step that needs the live parts
  std::vector<PartId> changes_;          ///< parts whose live_ changed in the current program
  std::vector<bool> always_;             ///< shape [variables]
  std::vector<VariableId> sources_;      ///< shape [variables]: see copySources()
  std::unordered_map<VariableId, std::vector<VariableId>> copiesOf_;
  std::vector<Record> records_;
  std::vector<Liveness::Visit> visits_; ///< with reversed times
};

Walker::Walker(const graph::Model &model, const VertexIndex &index,
               std::span<const ProgramPtr> programs)
    : model_(model), effects_(model, index, programs), summaries_(model, effects_),
      follow_(functionsToFollow(model, programs)), live_(effects_.parts().size(), false),
      liveParts_(model.variables.size(), 0), since_(model.variables.size(), 0),
      always_(model.variables.size(), false), sources_(copySources(model, programs, index)) {
  for (VariableId v = 0; v < model.variables.size(); ++v) {
    const graph::Variable &variable = model.variables[v];
    always_[v] = variable.constant || variable.replicaIndex || !variable.initial.empty();
  }
  for (const graph::HostAccessDef &access : model.hostAccesses)
    for (const graph::Run &run : access.view.elementRuns())
      always_[run.variable] = true;
  for (VariableId v = 0; v < sources_.size(); ++v)
    if (sources_[v] != kNoSource)
      copiesOf_[sources_[v]].push_back(v);
}

void Walker::walkProgram(const ProgramPtr &program) {
  changes_.clear();
  ++now_;
  walk(program.get());
  // A part that is live before the first step has its value from another run, or from the load.
  for (const PartId part : changes_)
    if (live_[part]) {
      const VariableId variable = effects_.parts().variableOf(part);
      live_[part] = false;
      liveParts_[variable] = 0;
      always_[variable] = true;
    }
  ++now_;
}

void Walker::makeLive(PartId part) {
  const VariableId variable = effects_.parts().variableOf(part);
  if (live_[part] || always_[variable])
    return;
  live_[part] = true;
  if (liveParts_[variable]++ == 0)
    since_[variable] = now_;
  changes_.push_back(part);
}

void Walker::kill(PartId part) {
  if (!live_[part])
    return;
  const VariableId variable = effects_.parts().variableOf(part);
  live_[part] = false;
  if (--liveParts_[variable] == 0)
    records_.push_back({variable, {since_[variable], now_}});
  changes_.push_back(part);
}

/// Excludes copies from sharing that are read in or after this step, which writes their source.
void Walker::keepCopiesOf(VariableId written, const Effects &effects) {
  const auto copies = copiesOf_.find(written);
  if (copies == copiesOf_.end())
    return;
  for (const VariableId copy : copies->second) {
    const bool read = std::ranges::any_of(
        effects.reads, [&](PartId part) { return effects_.parts().variableOf(part) == copy; });
    const bool readLater = liveParts_[copy] > 0;
    if (read || readLater)
      sources_[copy] = kNoSource;
  }
}

void Walker::apply(const Effects &effects) {
  for (const VariableId v : effects.writes) {
    keepCopiesOf(v, effects);
    if (liveParts_[v] == 0 && !always_[v])
      touch(v);
  }
  for (const PartId part : effects.kills)
    kill(part);
  for (const PartId part : effects.reads)
    makeLive(part);
}

void Walker::walk(const ProgramNode *program) {
  if (!program)
    return;
  const ProgramNode &node = *program;
  const auto walkStep = [&] {
    comeTo(node);
    apply(effects_.of(node));
  };
  graph::visitKind(
      node, [&](const kind::Sequence &sequence) { walkSequence(sequence); },
      [&](const kind::Repeat &repeat) { walkRepeat(node, repeat); },
      [&](const kind::RepeatWhile &loop) { walkWhile(node, loop); },
      [&](const graph::OneOf<kind::If, kind::Switch> auto &) {
        walkBranches(branchesOf(node), false);
        walkStep();
      },
      [&](const kind::Call &call) { walkCall(node, call.function); },
      [&](const kind::Execute &execute) {
        comeTo(node);
        touch(itemOf(execute.computeSet));
        apply(effects_.of(node));
      },
      [&](const graph::OneOf<kind::Copy, kind::StreamCopy, kind::RemoteCopy, kind::PrintTensor,
                             kind::Sync, kind::WriteUndef, kind::CrossReplicaCopy,
                             kind::AssumeEqual, kind::Abort, kind::ReadClock> auto &) {
        walkStep();
      });
}

void Walker::walkSequence(const kind::Sequence &sequence) {
  std::vector<const ProgramNode *> leaves;
  flatten(sequence, leaves);
  for (std::size_t i = leaves.size(); i > 0; --i) {
    const bool joins =
        i < leaves.size() && isStreamCopy(*leaves[i]) && isStreamCopy(*leaves[i - 1]);
    if (joins) {
      visits_.push_back({leaves[i - 1], now_});
      apply(effects_.of(*leaves[i - 1])); // one transfer, one step
    } else {
      walk(leaves[i - 1]);
    }
  }
}

void Walker::walkRepeat(const ProgramNode &node, const kind::Repeat &repeat) {
  ++now_;
  // The end of one iteration is the start of the next.
  for (const PartId part : summaries_.of(&node).reads)
    makeLive(part);
  walkBranches({&repeat.body, 1}, repeat.count == 0);
  ++now_;
}

void Walker::walkWhile(const ProgramNode &node, const kind::RepeatWhile &loop) {
  ++now_;
  for (const PartId part : summaries_.of(&node).reads)
    makeLive(part);
  walkBranches({&loop.body, 1}, true);
  comeTo(node);
  apply(effects_.of(node));
  walk(loop.condition.get());
  ++now_;
}

/// Walks branches of which exactly one runs (or, with \p orNone, possibly none). Each is walked
/// from what is live after all of them. A variable that one branch needs is live before all
/// of them, but not in the others.
void Walker::walkBranches(std::span<const ProgramPtr> branches, bool orNone) {
  std::map<PartId, std::size_t> killedIn;
  std::vector<PartId> needed;
  for (const ProgramPtr &branch : branches) {
    ++now_;
    const std::size_t mark = changes_.size();
    walk(branch.get());
    ++now_;
    const Changes changes = changesSince(mark);
    for (const PartId part : changes.come)
      kill(part);
    needed.insert(needed.end(), changes.come.begin(), changes.come.end());
    for (const PartId part : changes.killed) {
      ++killedIn[part];
      makeLive(part);
    }
  }
  ++now_;
  const std::size_t ways = branches.size() + (orNone ? 1 : 0);
  for (const auto &[part, times] : killedIn)
    if (times == ways)
      kill(part);
  for (const PartId part : needed)
    makeLive(part);
}

/// Returns the parts whose liveness differs from when changes_ had length \p mark, without those
/// that changed back.
Walker::Changes Walker::changesSince(std::size_t mark) const {
  std::vector<PartId> changed(changes_.begin() + static_cast<std::ptrdiff_t>(mark), changes_.end());
  std::sort(changed.begin(), changed.end());
  Changes changes;
  for (auto first = changed.begin(); first != changed.end();) {
    const auto last = std::upper_bound(first, changed.end(), *first);
    if ((last - first) % 2 == 1)
      (live_[*first] ? changes.come : changes.killed).push_back(*first);
    first = last;
  }
  return changes;
}

void Walker::walkCall(const ProgramNode &node, std::uint32_t called) {
  if (follow_[called])
    return walk(model_.functions[called].get());
  comeTo(node);
  const Summary &function = summaries_.ofFunction(called);
  for (const std::uint32_t set : function.computeSets)
    touch(itemOf(set));
  for (const VariableId v : function.touches)
    sources_[v] = kNoSource; // their order is unknown
  apply({function.reads, function.touches, function.kills});
}

/// Makes variables that are other names use the memory of the variable they name.
void Walker::joinCopies(Liveness &liveness) {
  for (VariableId v = 0; v < sources_.size(); ++v)
    if (sources_[v] != kNoSource && !always_[v])
      liveness.homes[v] = sources_[v];
  for (Record &record : records_)
    if (record.item < liveness.homes.size())
      record.item = liveness.homes[record.item];
}

Liveness Walker::take() {
  Liveness liveness = nothingShared(model_);
  joinCopies(liveness);
  std::sort(records_.begin(), records_.end(), [](const Record &a, const Record &b) {
    return std::tie(a.item, b.backwards.last) < std::tie(b.item, a.backwards.last);
  });
  std::fill(liveness.computeSets.begin(), liveness.computeSets.end(), LiveRanges::kNever);
  for (VariableId v = 0; v < always_.size(); ++v)
    if (!always_[v])
      liveness.variables[v] = LiveRanges::kNever; // unless a step uses it
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
  for (VariableId v = 0; v < liveness.homes.size(); ++v)
    liveness.variables[v] = liveness.variables[liveness.homes[v]];
  for (Liveness::Visit &visit : visits_)
    visit.time = now_ - visit.time;
  liveness.visits = std::move(visits_);
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
  liveness.homes.resize(model.variables.size());
  std::iota(liveness.homes.begin(), liveness.homes.end(), VariableId{0});
  return liveness;
}

} // namespace copse::compiler
