// Compares findLiveness() with a plain model, on random programs that are small enough to follow
// every path through them one element at a time.
#include "models.hpp"

#include "compiler/liveness.hpp"
#include "graph/run_list.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

namespace copse::compiler {
namespace {

using graph::ProgramNode;
using graph::ProgramPtr;
using graph::VariableId;
using graph::View;
namespace kind = graph::kind;

constexpr std::uint64_t kVariableElements = 4;
constexpr unsigned kVariables = 6;
using Element = std::pair<VariableId, std::uint64_t>;
using Elements = std::set<Element>;

/// One step on one path through the programs.
struct Step {
  std::size_t point = 0; ///< the same on all paths through the step
  Elements reads, writes, undefined;
  /// Sources and destinations of a copy, in order; without sources: new values.
  std::vector<Element> from, to;
};
using Way = std::vector<Step>;
using Ways = std::vector<Way>;

/// Returns every path of \p first, followed by every path of \p second.
Ways followedBy(const Ways &first, const Ways &second) {
  Ways out;
  for (const Way &a : first)
    for (const Way &b : second) {
      out.push_back(a);
      out.back().insert(out.back().end(), b.begin(), b.end());
    }
  return out;
}

/// Returns the number of paths.
double countWays(const graph::Model &model, const ProgramNode *node) {
  if (!node)
    return 1;
  double ways = 1;
  if (const auto *repeat = graph::as<kind::Repeat>(*node)) {
    ways = countWays(model, repeat->body.get());
    return ways + ways * ways + ways * ways * ways;
  }
  if (const auto *branch = graph::as<kind::If>(*node))
    return countWays(model, branch->taken.get()) + countWays(model, branch->otherwise.get());
  if (const auto *call = graph::as<kind::Call>(*node))
    return countWays(model, model.functions[call->function].get());
  visitChildren(*node, [&](const ProgramPtr &child) { ways *= countWays(model, child.get()); });
  return ways;
}

/// Finds all paths through a program. Each node, and each function for each of its callers, has
/// points of its own; the iterations of a loop share theirs.
class WayFinder {
public:
  WayFinder(const graph::Model &model, const ProgramPtr &program) : model_(model) {
    findCopied(program.get());
    for (const ProgramPtr &function : model.functions)
      findCopied(function.get());
  }

  Ways of(const ProgramNode *node) {
    if (!node)
      return {{}};
    if (const auto *sequence = graph::as<kind::Sequence>(*node)) {
      Ways ways{{}};
      for (const ProgramPtr &child : sequence->programs)
        ways = followedBy(ways, of(child.get()));
      return ways;
    }
    if (const auto *repeat = graph::as<kind::Repeat>(*node)) {
      const Ways round = of(repeat->body.get());
      Ways all = round, rounds = round;
      for (unsigned i = 0; i < 2; ++i) {
        rounds = followedBy(rounds, round);
        all.insert(all.end(), rounds.begin(), rounds.end());
      }
      return all;
    }
    if (const auto *branch = graph::as<kind::If>(*node)) {
      Step decide = newStep();
      add(branch->predicate.view, decide.reads);
      Ways branches = of(branch->taken.get());
      const Ways no = of(branch->otherwise.get());
      branches.insert(branches.end(), no.begin(), no.end());
      const Ways decided{{decide}};
      return followedBy(decided, branches);
    }
    if (const auto *call = graph::as<kind::Call>(*node))
      return of(model_.functions[call->function].get());
    Step step = newStep();
    if (const auto *undefined = graph::as<kind::WriteUndef>(*node)) {
      add(undefined->tensor.view, step.undefined);
      std::erase_if(step.undefined, [&](const Element &e) { return copied_.contains(e); });
      return {{step}};
    }
    const auto &copy = std::get<kind::Copy>(node->kind);
    add(copy.source.view, step.reads);
    add(copy.destination.view, step.writes);
    step.from = listOf(copy.source.view);
    step.to = listOf(copy.destination.view);
    return {{step}};
  }

private:
  void findCopied(const ProgramNode *node) {
    if (!node)
      return;
    if (const auto *copy = graph::as<kind::Copy>(*node))
      add(copy->destination.view, copied_);
    visitChildren(*node, [&](const ProgramPtr &child) { findCopied(child.get()); });
  }
  static std::vector<Element> listOf(const View &view) {
    std::vector<Element> out;
    for (const graph::Run &run : view.runs())
      for (std::uint64_t i = 0; i < run.count; ++i)
        out.emplace_back(run.variable, graph::elementOf(run, i));
    return out;
  }
  static void add(const View &view, Elements &elements) {
    for (const Element &element : listOf(view))
      elements.insert(element);
  }
  Step newStep() {
    Step step;
    step.point = points_++;
    return step;
  }

  const graph::Model &model_;
  Elements copied_; ///< by some step; WriteUndef leaves them alone
  std::size_t points_ = 0;
};

/// The result of the plain model.
struct Truth {
  std::set<VariableId> always;
  std::set<std::pair<VariableId, VariableId>> together;
};

/// \param homes  variables with the same home count as one
Truth truthOf(const graph::Model &model, const ProgramPtr &program,
              const std::vector<VariableId> &homes) {
  std::map<std::size_t, std::set<VariableId>> atPoint; // live before, in or after the step
  Truth truth;
  for (const Way &way : WayFinder(model, program).of(program.get())) {
    Elements live;
    for (auto step = way.rbegin(); step != way.rend(); ++step) {
      // Two variables conflict in a step if both are live after it, written or read by it.
      std::set<VariableId> &during = atPoint[step->point];
      for (const Element &element : live)
        during.insert(element.first);
      for (const Element &element : step->undefined)
        live.erase(element);
      for (const Element &element : step->writes) {
        during.insert(element.first);
        live.erase(element);
      }
      for (const Element &element : step->reads) {
        during.insert(element.first);
        live.insert(element);
      }
    }
    for (const Element &element : live)
      truth.always.insert(element.first);
  }
  for (const auto &[point, variables] : atPoint)
    for (const VariableId x : variables)
      for (const VariableId y : variables)
        truth.together.emplace(homes[x], homes[y]);
  return truth;
}

/// Returns true if programs read the same values when each variable uses the memory of its home.
bool readsTheSame(const Way &way, const std::vector<VariableId> &homes) {
  constexpr int kUndefined = -1;
  std::map<Element, int> own, joined; // 0 at the start
  int fresh = 0;
  const auto inHome = [&](const Element &element) {
    return Element(homes[element.first], element.second);
  };
  for (const Step &step : way) {
    for (const Element &element : step.reads)
      if (own[element] != kUndefined && own[element] != joined[inHome(element)])
        return false;
    for (const Element &element : step.undefined)
      own[element] = kUndefined;
    std::vector<std::pair<int, int>> values;
    for (std::size_t i = 0; i < step.to.size(); ++i) {
      const int next = ++fresh;
      values.push_back(step.from.empty()
                           ? std::pair(next, next)
                           : std::pair(own[step.from[i]], joined[inHome(step.from[i])]));
    }
    for (std::size_t i = 0; i < step.to.size(); ++i) {
      own[step.to[i]] = values[i].first;
      joined[inHome(step.to[i])] = values[i].second;
    }
  }
  return true;
}

/// Creates programs over six variables of four elements. Most steps read what was written before.
class RandomPrograms {
public:
  explicit RandomPrograms(unsigned seed) : random_(seed), model_(test::emptyModel(1, 1)) {
    for (unsigned v = 0; v < kVariables; ++v)
      test::addVariable(model_, "v" + std::to_string(v),
                        std::vector<std::uint32_t>(kVariableElements, 0));
    for (unsigned f = 0; f < 2; ++f)
      model_.functions.push_back(sequence(1 + below(3), 0, f));
  }
  const graph::Model &model() const { return model_; }

  ProgramPtr program() {
    // A variable that is first written completely is not live always.
    std::vector<ProgramPtr> steps;
    for (VariableId v = 0; v < kVariables; ++v)
      if (below(4) != 0)
        steps.push_back(copy(View(), View::ofVariable(v, {kVariableElements})));
    std::shuffle(steps.begin(), steps.end(), random_);
    steps.push_back(sequence(5, 2, static_cast<unsigned>(model_.functions.size())));
    return node(kind::Sequence{std::move(steps)});
  }

private:
  unsigned below(unsigned n) { return static_cast<unsigned>(random_() % n); }

  static ProgramPtr node(graph::ProgramKind kind) {
    return std::make_shared<const ProgramNode>(ProgramNode{"", std::move(kind)});
  }
  static graph::TypedView typed(View view) { return {graph::ElementType::Float, std::move(view)}; }
  static ProgramPtr copy(View from, View to) {
    return node(kind::Copy{typed(std::move(from)), typed(std::move(to))});
  }
  View some() { return some(below(5)); }
  View some(unsigned part) {
    const View all = View::ofVariable(below(kVariables), {kVariableElements});
    switch (part) {
    case 0:
      return all.slice(0, 2, 0);
    case 1:
      return all.slice(2, 4, 0);
    case 2:
      return all.subSample(2, 0);
    case 3:
      return all.reverse(0);
    default:
      return all;
    }
  }
  ProgramPtr undefined() { return node(kind::WriteUndef{typed(some())}); }
  ProgramPtr branch(unsigned depth, unsigned functions) {
    View predicate = View::ofVariable(below(kVariables), {kVariableElements}).slice(1, 2, 0);
    ProgramPtr taken = sequence(below(3), depth - 1, functions);
    ProgramPtr otherwise = sequence(below(3), depth - 1, functions);
    return node(kind::If{typed(std::move(predicate)), std::move(taken), std::move(otherwise)});
  }
  ProgramPtr call(unsigned functions) { return node(kind::Call{below(functions)}); }
  ProgramPtr sequence(unsigned steps, unsigned depth, unsigned functions) {
    std::vector<ProgramPtr> children;
    for (unsigned i = 0; i < steps; ++i)
      switch (below(8)) {
      case 0:
        children.push_back(undefined());
        break;
      case 1:
        if (functions > 0)
          children.push_back(call(functions));
        break;
      case 2:
        if (depth > 0)
          children.push_back(branch(depth, functions));
        break;
      case 3:
        if (depth > 0)
          children.push_back(node(kind::Repeat{2, sequence(1 + below(3), depth - 1, functions)}));
        break;
      default: {
        const unsigned part = below(5), sizes = part < 3 ? below(3) : 3 + below(2);
        children.push_back(copy(some(part), below(2) == 0 ? some(part) : some(sizes)));
      }
      }
    return node(kind::Sequence{std::move(children)});
  }

  std::mt19937 random_;
  graph::Model model_;
};

class LivenessModel : public ::testing::TestWithParam<unsigned> {};

TEST_P(LivenessModel, AgreesWithEveryPathThroughAProgram) {
  constexpr double kMostWays = 1000;
  std::size_t apart = 0, joined = 0;
  for (unsigned i = 0; i < 25; ++i) {
    RandomPrograms random(GetParam() * 1000 + i);
    const ProgramPtr program = random.program();
    if (countWays(random.model(), program.get()) > kMostWays)
      continue;
    const Liveness liveness =
        findLiveness(random.model(), std::vector{program}, VertexIndex(random.model()));
    const Truth truth = truthOf(random.model(), program, liveness.homes);
    for (const Way &way : WayFinder(random.model(), program).of(program.get()))
      EXPECT_TRUE(readsTheSame(way, liveness.homes)) << "program " << i;
    for (VariableId x = 0; x < kVariables; ++x) {
      joined += liveness.homes[x] == x ? 0 : 1;
      if (liveness.homes[x] != x)
        continue;
      EXPECT_EQ(liveness.variables[x] == LiveRanges::kAlways, truth.always.contains(x))
          << "program " << i << ", variable " << x;
      for (VariableId y = 0; y < x; ++y) {
        if (liveness.homes[y] != y)
          continue;
        if (truth.always.contains(x) || truth.always.contains(y))
          continue;
        const bool together = truth.together.contains({x, y});
        EXPECT_EQ(liveness.ranges.overlap(liveness.variables[x], liveness.variables[y]), together)
            << "program " << i << ", variables " << x << " and " << y;
        apart += together ? 0 : 1;
      }
    }
  }
  EXPECT_GT(apart, 0u) << "these programs show nothing";
  EXPECT_GT(joined, 0u) << "these programs show nothing";
}
INSTANTIATE_TEST_SUITE_P(Seeds, LivenessModel, ::testing::Range(0u, 10u));

} // namespace
} // namespace copse::compiler
