#include "gccs/popsolver/Model.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <optional>
#include <random>
#include <sstream>
#include <vector>

namespace {

using namespace gccs::popsolver;
using Numbers = std::vector<std::uint64_t>;

/// A kind of constraint between variables: how it is added to a model, and whether it holds.
struct Kind {
  const char *name;
  std::size_t operands;
  std::function<std::optional<Variable>(Model &, const std::vector<Variable> &)> add;
  /// Returns the result for the operands; nothing if there is no solution. 0 for a kind without a
  /// result.
  std::function<std::optional<std::uint64_t>(const Numbers &)> value;
};

std::optional<std::uint64_t> when(bool holds, std::uint64_t value = 0) {
  return holds ? std::optional(value) : std::nullopt;
}

std::uint64_t ceilOf(std::uint64_t a, std::uint64_t b) { return (a + b - 1) / b; }

const std::vector<Kind> &kinds() {
  using V = std::vector<Variable>;
  static const std::vector<Kind> all{
      {"sum", 3, [](Model &m, const V &v) { return m.sum(v); },
       [](const Numbers &n) { return when(true, n[0] + n[1] + n[2]); }},
      {"product", 3, [](Model &m, const V &v) { return m.product(v); },
       [](const Numbers &n) { return when(true, n[0] * n[1] * n[2]); }},
      {"max", 3, [](Model &m, const V &v) { return m.max(v); },
       [](const Numbers &n) {
         return when(true, std::max({n[0], n[1], n[2]}));
       }},
      {"min", 3, [](Model &m, const V &v) { return m.min(v); },
       [](const Numbers &n) {
         return when(true, std::min({n[0], n[1], n[2]}));
       }},
      {"sub", 2, [](Model &m, const V &v) { return m.sub(v[0], v[1]); },
       [](const Numbers &n) { return when(n[0] >= n[1], n[0] - n[1]); }},
      {"floordiv", 2, [](Model &m, const V &v) { return m.floordiv(v[0], v[1]); },
       [](const Numbers &n) { return n[1] ? when(true, n[0] / n[1]) : when(false); }},
      {"ceildiv", 2, [](Model &m, const V &v) { return m.ceildiv(v[0], v[1]); },
       [](const Numbers &n) { return n[1] ? when(true, ceilOf(n[0], n[1])) : when(false); }},
      {"ceildivConstrainDivisor", 2,
       [](Model &m, const V &v) { return m.ceildivConstrainDivisor(v[0], v[1]); },
       [](const Numbers &n) {
         for (std::uint64_t less = 1; less < n[1]; ++less)
           if (ceilOf(n[0], less) == ceilOf(n[0], n[1]))
             return when(false);
         return n[1] ? when(true, ceilOf(n[0], n[1])) : when(false);
       }},
      {"mod", 2, [](Model &m, const V &v) { return m.mod(v[0], v[1]); },
       [](const Numbers &n) { return n[1] ? when(true, n[0] % n[1]) : when(false); }},
      {"reifiedLess", 2, [](Model &m, const V &v) { return m.reifiedLess(v[0], v[1]); },
       [](const Numbers &n) { return when(true, n[0] < n[1]); }},
      {"reifiedLessOrEqual", 2,
       [](Model &m, const V &v) { return m.reifiedLessOrEqual(v[0], v[1]); },
       [](const Numbers &n) { return when(true, n[0] <= n[1]); }},
      {"booleanNot", 1, [](Model &m, const V &v) { return m.booleanNot(v[0]); },
       [](const Numbers &n) { return when(n[0] < 2, 1 - n[0]); }},
      {"booleanAnd", 2, [](Model &m, const V &v) { return m.booleanAnd(v[0], v[1]); },
       [](const Numbers &n) { return when(n[0] < 2 && n[1] < 2, n[0] & n[1]); }},
      {"booleanOr", 2, [](Model &m, const V &v) { return m.booleanOr(v[0], v[1]); },
       [](const Numbers &n) { return when(n[0] < 2 && n[1] < 2, n[0] | n[1]); }},
      {"call", 2,
       [](Model &m, const V &v) {
         return m.call<unsigned>(v, [](const std::vector<unsigned> &n) -> std::optional<DataType> {
           return n[0] == 3 ? std::nullopt : std::optional(DataType(n[0] * 7 % 5 + n[1]));
         });
       },
       [](const Numbers &n) { return when(n[0] != 3, n[0] * 7 % 5 + n[1]); }},
      {"less", 2,
       [](Model &m, const V &v) { return m.less(v[0], v[1]), std::optional<Variable>(); },
       [](const Numbers &n) { return when(n[0] < n[1]); }},
      {"lessOrEqual", 2,
       [](Model &m, const V &v) { return m.lessOrEqual(v[0], v[1]), std::optional<Variable>(); },
       [](const Numbers &n) { return when(n[0] <= n[1]); }},
      {"equal", 2,
       [](Model &m, const V &v) { return m.equal(v[0], v[1]), std::optional<Variable>(); },
       [](const Numbers &n) { return when(n[0] == n[1]); }},
      {"factorOf", 2,
       [](Model &m, const V &v) { return m.factorOf(v[0], v[1]), std::optional<Variable>(); },
       [](const Numbers &n) { return n[1] ? when(n[0] % n[1] == 0) : when(false); }},
  };
  return all;
}

class PopsolverKind : public ::testing::TestWithParam<Kind> {};

/// If the operands are fixed, the result has one value; if the result is fixed, the operands have
/// the values that give it.
TEST_P(PopsolverKind, HoldsForTheRightValues) {
  constexpr std::uint64_t kMost = 7;
  const Kind &kind = GetParam();
  Numbers n(kind.operands);
  const std::function<void(std::size_t)> forAll = [&](std::size_t first) {
    for (n[first] = 0; n[first] <= kMost; ++n[first]) {
      if (first > 0) {
        forAll(first - 1);
        continue;
      }
      Model m;
      std::vector<Variable> operands;
      for (std::size_t i = 0; i < n.size(); ++i)
        operands.push_back(m.addVariable(0, kMost));
      const auto result = kind.add(m, operands);
      for (std::size_t i = 0; i < n.size(); ++i)
        m.equal(operands[i], DataType(n[i]));
      const Solution solution = m.minimize(std::vector<Variable>());
      const auto expected = kind.value(n);
      ASSERT_EQ(solution.validSolution(), expected.has_value()) << ::testing::PrintToString(n);
      if (expected && result) {
        ASSERT_EQ(*solution[*result], *expected) << ::testing::PrintToString(n);
      }
    }
  };
  forAll(n.size() - 1);
}

INSTANTIATE_TEST_SUITE_P(All, PopsolverKind, ::testing::ValuesIn(kinds()),
                         [](const auto &kind) { return std::string(kind.param.name); });

/// A random model of a few small variables, and its solutions, found by trying all values.
class RandomModel {
public:
  explicit RandomModel(unsigned seed) : random_(seed) {
    for (unsigned i = 0; i < kVariables; ++i) {
      const std::uint64_t min = upTo(3);
      bounds_.push_back({min, min + upTo(5)});
      variables_.push_back(model.addVariable(min, bounds_.back().second));
    }
    for (unsigned i = 0; i < kConstraints; ++i)
      addConstraint();
  }

  /// Returns the numbers of the free variables and of all results; nothing if these values violate
  /// a constraint.
  std::optional<Numbers> valuesFrom(Numbers values) const {
    for (const Used &used : used_) {
      Numbers operands;
      for (const std::size_t operand : used.operands)
        operands.push_back(values[operand]);
      const auto result = used.kind->value(operands);
      if (!result || (used.most && *result > *used.most))
        return std::nullopt;
      if (used.hasResult)
        values.push_back(*result);
    }
    return values;
  }

  std::optional<Numbers> leastByTrying(const std::vector<std::size_t> &objectives) const {
    std::optional<Numbers> least;
    Numbers free(kVariables);
    const std::function<void(std::size_t)> forAll = [&](std::size_t i) {
      if (i == kVariables) {
        if (const auto all = valuesFrom(free)) {
          Numbers its;
          for (const std::size_t objective : objectives)
            its.push_back((*all)[objective]);
          if (!least || its < *least)
            least = its;
        }
        return;
      }
      for (free[i] = bounds_[i].first; free[i] <= bounds_[i].second; ++free[i])
        forAll(i + 1);
    };
    forAll(0);
    return least;
  }

  std::size_t upTo(std::size_t most) { return random_() % (most + 1); }
  const std::vector<Variable> &variables() const { return variables_; }

  Model model;
  static constexpr std::size_t kVariables = 4;

private:
  static constexpr unsigned kConstraints = 6;
  struct Used {
    const Kind *kind;
    std::vector<std::size_t> operands;
    bool hasResult;
    std::optional<std::uint64_t> most; ///< largest value of the result
  };

  void addConstraint() {
    Used used{&kinds()[upTo(kinds().size() - 1)], {}, false, {}};
    std::vector<Variable> operands;
    for (std::size_t i = 0; i < used.kind->operands; ++i) {
      used.operands.push_back(upTo(variables_.size() - 1));
      operands.push_back(variables_[used.operands.back()]);
    }
    if (const auto result = used.kind->add(model, operands)) {
      used.hasResult = true;
      variables_.push_back(*result);
      if (upTo(2) == 0) {
        used.most = upTo(40);
        model.lessOrEqual(*result, DataType(*used.most));
      }
    }
    used_.push_back(used);
  }

  std::mt19937 random_;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> bounds_;
  std::vector<Variable> variables_; ///< free ones, then results
  std::vector<Used> used_;
};

TEST(Popsolver, FindsTheSolutionOfTryingAllValues) {
  unsigned solved = 0;
  for (unsigned seed = 0; seed < 3000; ++seed) {
    RandomModel random(seed);
    std::vector<std::size_t> objectives{random.upTo(random.variables().size() - 1),
                                        random.upTo(random.variables().size() - 1)};
    if (seed % 2 == 0) {
      const auto group = random.model.addPriorityGroup();
      random.model.prioritiseOver(group, random.model.getDefaultPriorityGroup());
      random.model.setPriorityGroup(random.variables()[2], group);
    }
    const Solution solution = random.model.minimize(
        {random.variables()[objectives[0]], random.variables()[objectives[1]]});
    const auto expected = random.leastByTrying(objectives);
    ASSERT_EQ(solution.validSolution(), expected.has_value()) << "seed " << seed;
    if (!expected)
      continue;
    ++solved;
    for (std::size_t i = 0; i < objectives.size(); ++i)
      ASSERT_EQ(*solution[random.variables()[objectives[i]]], (*expected)[i]) << "seed " << seed;
    Numbers free;
    for (std::size_t i = 0; i < RandomModel::kVariables; ++i)
      free.push_back(*solution[random.variables()[i]]);
    const auto values = random.valuesFrom(free);
    ASSERT_TRUE(values.has_value()) << "seed " << seed;
    for (std::size_t i = 0; i < values->size(); ++i)
      ASSERT_EQ(*solution[random.variables()[i]], (*values)[i])
          << "seed " << seed << ", variable " << i;
  }
  EXPECT_GT(solved, 500u);
}

TEST(Popsolver, SkipsValuesThatCannotBeBetter) {
  Model m;
  const Variable rows = m.addVariable(1, 100'000), columns = m.addVariable(1, 100'000);
  m.lessOrEqual(m.product({rows, columns}), DataType(1472));
  const Variable perTile = m.product({m.ceildivConstrainDivisor(m.addConstant(100'000), rows),
                                      m.ceildivConstrainDivisor(m.addConstant(64), columns)});
  const Solution solution = m.minimize({perTile, m.sum({rows, columns})});
  ASSERT_TRUE(solution.validSolution());
  EXPECT_EQ(*solution[perTile], 4348u);
  EXPECT_EQ(*solution[rows] * *solution[columns], 1472u);
  EXPECT_LT(solution.constraintsEvaluated().total(), 20'000u);
}

TEST(Popsolver, CallsAFunctionOnceItsArgumentsAreKnown) {
  Model m;
  const Variable a = m.addVariable(2, 4), b = m.addVariable(5, 5);
  std::vector<Numbers> seen;
  const Variable c = m.call<std::uint64_t>({a, b}, [&](const Numbers &n) {
    seen.push_back(n);
    return DataType(10 - n[0]);
  });
  const Solution solution = m.minimize(c);
  EXPECT_EQ(*solution[c], 6u);
  EXPECT_EQ(solution[a].getAs<unsigned>(), 4u);
  EXPECT_THAT(seen, ::testing::UnorderedElementsAre(Numbers{2, 5}, Numbers{3, 5}, Numbers{4, 5}));
  EXPECT_EQ(solution.constraintsEvaluated().call, 5u) << "two looks at states with several values";
}

TEST(Popsolver, HasNoSolutionWhereAValueWouldBeTooLarge) {
  Model m;
  const Variable large = m.addConstant(DataType::max());
  EXPECT_TRUE(m.minimize(large).validSolution());
  EXPECT_FALSE(m.call<unsigned>({large}, [](const auto &) { return DataType(0); }) == large);
  EXPECT_FALSE(m.minimize(large).validSolution()) << "unsigned does not hold it";

  Model sum, product;
  sum.sum({sum.addConstant(DataType::max()), sum.one()});
  product.product({product.addConstant(1ull << 32), product.addConstant(1ull << 32)});
  EXPECT_FALSE(sum.minimize(std::vector<Variable>()).validSolution());
  EXPECT_FALSE(product.minimize(std::vector<Variable>()).validSolution());
}

TEST(Popsolver, TriesValuesInTheOrderOfPriorities) {
  for (const bool secondFirst : {false, true}) {
    Model m;
    const Variable a = m.addVariable(0, 3), b = m.addVariable(0, 3);
    m.equal(m.sum({a, b}), DataType(3));
    const auto group = m.addPriorityGroup();
    m.setPriorityGroup(secondFirst ? b : a, group);
    m.prioritiseOver(group, m.getDefaultPriorityGroup());
    const Solution any = m.minimize(std::vector<Variable>());
    EXPECT_EQ(*any[secondFirst ? b : a], 0u) << "its least value is tried first";
  }
}

TEST(Popsolver, RefusesInvalidModels) {
  Model m;
  EXPECT_THROW(m.addVariable(3, 2, "rows"), std::invalid_argument);
  EXPECT_THROW(m.max({}), std::invalid_argument);
  EXPECT_THROW(m.sum({Variable(7)}), std::out_of_range);
  EXPECT_THROW(m.minimize(Variable(700)), std::out_of_range);
  const auto a = m.addPriorityGroup(), b = m.addPriorityGroup();
  m.prioritiseOver(a, b);
  m.prioritiseOver(b, m.getDefaultPriorityGroup());
  EXPECT_THROW(m.prioritiseOver(m.getDefaultPriorityGroup(), a), std::invalid_argument);
  EXPECT_THROW(m.prioritiseOver(a, {17}), std::out_of_range);
  EXPECT_THROW((void)Solution()[Variable()], std::out_of_range);
}

TEST(Popsolver, ValuesAreReadAndWritten) {
  std::stringstream text("42");
  DataType value;
  text >> value;
  EXPECT_EQ(value, DataType(42));
  std::stringstream written;
  written << value << ' ' << ConstraintEvaluationSummary{2, 3};
  EXPECT_EQ(written.str(), "42 5 (2 of them calls)");
}

} // namespace
