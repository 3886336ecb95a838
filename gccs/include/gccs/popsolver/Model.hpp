#pragma once

#include <cstdint>
#include <functional>
#include <gccs/popsolver/DataType.hpp>
#include <gccs/popsolver/Solution.hpp>
#include <gccs/popsolver/Variable.hpp>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

/// A solver of constraints over counts, with which PopLibs from 2.6 on chooses how to split operations over tiles. (C++17.)
namespace gccs::popsolver {

/// Variables that are chosen earlier or later than others; of one model.
struct PriorityGroupID {
  std::uint32_t id = 0;
};

/// Variables, each a count between two bounds, and constraints between them; minimize() finds the values that fulfil all
/// constraints and for which an objective is least.
///
/// A function that returns a variable adds one, which has that value in each solution; \c name is for messages. Values are
/// exact: where one would be negative, divided by zero or above DataType::max(), there is no solution.
/// \throws std::out_of_range of each function that is given a variable of another model, one that this one does not have
class Model {
public:
  Model();
  ~Model();
  Model(Model &&) noexcept;
  Model &operator=(Model &&) noexcept;

  /// From 0 to DataType::max().
  Variable addVariable(const std::string &name = {});
  /// Both bounds are values of the variable. \throws std::invalid_argument if \p min is above \p max
  Variable addVariable(DataType min, DataType max, const std::string &name = {});
  template <typename T, typename U,
            typename = std::enable_if_t<std::is_arithmetic_v<T> && std::is_arithmetic_v<U>>>
  Variable addVariable(T min, U max, const std::string &name = {}) {
    return addVariable(DataType(min), DataType(max), name);
  }
  Variable addConstant(DataType value, const std::string &name = {});
  template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>>
  Variable addConstant(T value, const std::string &name = {}) {
    return addConstant(DataType(value), name);
  }
  Variable zero(); ///< the constant, the same at each call
  Variable one();  ///< the constant, the same at each call

  Variable sum(std::vector<Variable> terms, const std::string &name = {});
  Variable product(std::vector<Variable> factors, const std::string &name = {});
  /// \throws std::invalid_argument of both if \p variables is empty
  Variable max(std::vector<Variable> variables, const std::string &name = {});
  Variable min(std::vector<Variable> variables, const std::string &name = {});
  Variable sub(Variable left, Variable right, const std::string &name = {});
  Variable floordiv(Variable dividend, Variable divisor, const std::string &name = {});
  Variable ceildiv(Variable dividend, Variable divisor, const std::string &name = {});
  /// ceildiv() of the least divisor that gives this quotient: of the ways to cut \p dividend things into parts, those that
  /// leave no part empty without need.
  Variable ceildivConstrainDivisor(Variable dividend, Variable divisor,
                                   const std::string &name = {});
  Variable mod(Variable dividend, Variable divisor, const std::string &name = {});

  /// 1 or 0: whether it is so.
  Variable reifiedLess(Variable left, Variable right, const std::string &name = {});
  Variable reifiedLessOrEqual(Variable left, Variable right, const std::string &name = {});
  /// Of variables that are 0 or 1, which these functions see to.
  Variable booleanNot(Variable operand, const std::string &name = {});
  Variable booleanAnd(Variable left, Variable right, const std::string &name = {});
  Variable booleanOr(Variable left, Variable right, const std::string &name = {});

  void less(Variable left, Variable right);
  void less(Variable left, DataType right) { less(left, addConstant(right)); }
  void less(DataType left, Variable right) { less(addConstant(left), right); }
  void lessOrEqual(Variable left, Variable right);
  void lessOrEqual(Variable left, DataType right) { lessOrEqual(left, addConstant(right)); }
  void lessOrEqual(DataType left, Variable right) { lessOrEqual(addConstant(left), right); }
  void equal(Variable left, Variable right);
  void equal(Variable left, DataType right) { equal(left, addConstant(right)); }
  void equal(DataType left, Variable right) { equal(addConstant(left), right); }
  /// \p factor divides \p multiple without remainder.
  void factorOf(Variable multiple, Variable factor);

  /// The value of \p function, which returns a DataType or a boost::optional or std::optional of one, for a vector of the
  /// values of \p arguments. If it returns none, there is no solution with these values; nor is there one with values that \p T
  /// cannot hold. The function is called when all arguments have their values, any number of times.
  template <typename T, typename Function>
  Variable call(std::vector<Variable> arguments, Function function, const std::string &name = {}) {
    return addCall(
        std::move(arguments),
        [function = std::move(function)](
            const std::vector<DataType> &values) mutable -> std::optional<DataType> {
          std::vector<T> converted;
          converted.reserve(values.size());
          for (const DataType value : values) {
            converted.push_back(value.getAs<T>());
            if (DataType(converted.back()) != value)
              return std::nullopt;
          }
          return resultOf(function(converted));
        },
        name);
  }

  /// minimize() gives values to the variables of one group before those of another. Each variable is in the default group
  /// until it is put into another.
  PriorityGroupID getDefaultPriorityGroup() const { return {}; }
  PriorityGroupID addPriorityGroup();
  void setPriorityGroup(Variable variable, PriorityGroupID group);
  /// \p first comes before \p later. \throws std::invalid_argument if it comes behind it already
  void prioritiseOver(PriorityGroupID first, PriorityGroupID later);

  /// The values that fulfil all constraints and make the first objective least; of those, the second; and so on. Without an
  /// objective, any values that fulfil them. The model is as before and can be minimized again.
  Solution minimize(const std::vector<Variable> &objectives) const;
  Solution minimize(Variable objective) const { return minimize(std::vector{objective}); }

private:
  class Impl;
  using Called = std::function<std::optional<DataType>(const std::vector<DataType> &)>;

  Variable addCall(std::vector<Variable> arguments, Called function, const std::string &name);

  template <typename R> static std::optional<DataType> resultOf(const R &result) {
    if constexpr (std::is_same_v<R, DataType>)
      return result;
    else
      return result ? std::optional<DataType>(*result) : std::nullopt;
  }

  std::unique_ptr<Impl> impl_;
};

} // namespace gccs::popsolver
