#include "plan.hpp"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace copse::test {
namespace {

using namespace gcl;

/// The contributions to an entry of a member's matrix, in the order in which they were added:
/// (member, row of that member).
using Sum = std::vector<std::pair<unsigned, unsigned>>;

/// Runs a plan on symbols. Halves are done one after the other.
class Symbols {
public:
  Symbols(const Plan &plan, Part half) : plan_(plan), half_(half), rows_(plan.members) {
    for (unsigned member = 0; member < plan.members; ++member) {
      rows_[member].resize(plan.rows);
      for (unsigned row = 0; row < (plan.wholeRows ? 1 : plan.members); ++row)
        rows_[member][row] = {{member, row}};
    }
  }
  void run() {
    for (const Step &step : plan_.steps) {
      for (const unsigned first : step.reorders)
        reorder(first);
      for (auto &member : rows_)
        for (const auto &[from, to] : step.copies)
          member[to] = member[from];
      const auto before = rows_;
      for (const Move &move : step.moves)
        if (isHere(move.part))
          for (unsigned p = 0; p < plan_.members; ++p)
            rows_[(p + move.shift) % plan_.members][move.to] = before[p][move.from];
      for (const Fold &fold : step.folds)
        if (isHere(fold.part))
          for (auto &member : rows_)
            for (unsigned i = 0; i < fold.rows; ++i)
              member[fold.into].insert(member[fold.into].end(), member[fold.first + i].begin(),
                                       member[fold.first + i].end());
    }
  }
  const Sum &at(unsigned member, unsigned row) const { return rows_[member][row]; }

private:
  bool isHere(Part part) const { return part == Part::All || part == half_; }
  void reorder(unsigned first) {
    for (unsigned p = 0; p < plan_.members; ++p) {
      const auto before = rows_[p];
      for (unsigned i = 0; i < plan_.members; ++i)
        rows_[p][first + i] = before[first + (p + plan_.members - i) % plan_.members];
    }
  }

  const Plan &plan_;
  Part half_;
  std::vector<std::vector<Sum>> rows_; ///< [member][row]
};

/// Expects one contribution of each member, from one row.
void expectAllOf(const Sum &sum, unsigned members, unsigned row) {
  std::set<unsigned> from;
  for (const auto &[member, ofRow] : sum) {
    EXPECT_EQ(ofRow, row);
    EXPECT_TRUE(from.insert(member).second) << "member " << member << " counts twice";
  }
  EXPECT_EQ(from.size(), members);
}

struct PlanCase {
  Method method;
  unsigned members;
};
class Plans : public ::testing::TestWithParam<PlanCase> {
protected:
  Method method() const { return GetParam().method; }
  unsigned members() const { return GetParam().members; }
  template <typename F> void forBothHalves(const Plan &plan, const F &f) {
    for (const Part half : {Part::FirstHalf, Part::SecondHalf}) {
      Symbols symbols(plan, half);
      symbols.run();
      for (unsigned member = 0; member < members(); ++member)
        f(symbols, member);
    }
  }
};
std::vector<PlanCase> planCases() {
  std::vector<PlanCase> all;
  for (const Method method :
       {Method::ClockwiseRing, Method::AnticlockwiseRing, Method::BidirectionalRingPair,
        Method::MeetInMiddleRing, Method::Direct, Method::Broadcast})
    for (const unsigned members : {1u, 2u, 3u, 4u, 5u, 8u, 13u})
      all.push_back({method, members});
  return all;
}
INSTANTIATE_TEST_SUITE_P(Methods, Plans, ::testing::ValuesIn(planCases()), [](const auto &p) {
  return nameOf(p.param.method) + "_" + std::to_string(p.param.members);
});

TEST_P(Plans, ReduceScatterGivesEachMemberItsReducedRow) {
  forBothHalves(reduceScatterPlan(method(), members()), [&](const Symbols &s, unsigned member) {
    expectAllOf(s.at(member, 0), members(), member);
  });
}

TEST_P(Plans, AllGatherHasTheRowOfEachMember) {
  forBothHalves(allGatherPlan(method(), members()), [&](const Symbols &s, unsigned member) {
    for (unsigned row = 0; row < members(); ++row)
      EXPECT_EQ(s.at(member, row), (Sum{{row, 0}}));
  });
}

TEST_P(Plans, AllReduceAddsEachRowInTheSameOrderEverywhere) {
  const Plan plan = allReducePlan(method(), members());
  for (const Part half : {Part::FirstHalf, Part::SecondHalf}) {
    Symbols symbols(plan, half);
    symbols.run();
    for (unsigned row = 0; row < (plan.wholeRows ? 1 : members()); ++row) {
      expectAllOf(symbols.at(0, row), members(), row);
      for (unsigned member = 1; member < members(); ++member)
        EXPECT_EQ(symbols.at(member, row), symbols.at(0, row));
    }
  }
}

TEST_P(Plans, AllToAllHasARowOfEachMember) {
  forBothHalves(allToAllPlan(members()), [&](const Symbols &s, unsigned member) {
    for (unsigned row = 0; row < members(); ++row)
      EXPECT_EQ(s.at(member, members() + row), (Sum{{row, member}}));
  });
}

} // namespace
} // namespace copse::test
