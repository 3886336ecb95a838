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

/// A solver of constraints over counts. PopLibs from 2.6 on uses it to choose how to split
/// operations over tiles. (C++17.)
namespace gccs::popsolver {

/// Names a group of variables of one model that get their values earlier or later than others.
struct PriorityGroupID {
  /// The number of the group.
  std::uint32_t id = 0;
};

/// Finds values that obey constraints and minimize a cost, as a choice among many plans needs. A
/// model has variables, each a count between two bounds, and constraints between them. minimize()
/// finds the values that fulfil all constraints and minimize an objective.
///
/// A function that returns a variable adds one, which has the described value in every solution; \c
/// name is for messages. Values are exact: if a value would be negative, a quotient by zero, or
/// above DataType::max(), there is no solution.
///
/// \code
/// Model m;  auto tiles = m.addVariable(1, 1472), work = m.ceildiv(m.addConstant(n), tiles);
/// const Solution s = m.minimize(m.sum({work, tiles}));  // s[tiles], if s.validSolution()
/// \endcode
///
/// Errors: std::out_of_range from every function that gets a variable that this model does not
/// have.
class Model {
public:
  /// Makes a model without variables.
  Model();
  /// Releases the model; solutions stay usable.
  ~Model();

  ///@{

  /// Takes over the other model.
  Model(Model &&) noexcept;
  Model &operator=(Model &&) noexcept;
  ///@}

  /// Adds a variable from 0 to DataType::max().
  Variable addVariable(const std::string &name = {});
  /// Adds a variable from \p min to \p max, both included.
  /// \throws std::invalid_argument  if \p min is above \p max
  Variable addVariable(DataType min, DataType max, const std::string &name = {});
  /// Adds a variable from \p min to \p max, both included; errors as above.
  template <typename T, typename U,
            typename = std::enable_if_t<std::is_arithmetic_v<T> && std::is_arithmetic_v<U>>>
  Variable addVariable(T min, U max, const std::string &name = {}) {
    return addVariable(DataType(min), DataType(max), name);
  }

  ///@{

  /// Adds a variable with a fixed value.
  Variable addConstant(DataType value, const std::string &name = {});
  template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>>
  Variable addConstant(T value, const std::string &name = {}) {
    return addConstant(DataType(value), name);
  }
  ///@}

  ///@{

  /// Returns the constant 0 or 1; one for all calls.
  Variable zero();
  Variable one(); ///< returns one constant for all calls
  ///@}

  /// Adds the sum of \p terms.
  Variable sum(std::vector<Variable> terms, const std::string &name = {});
  /// Adds the product of \p factors.
  Variable product(std::vector<Variable> factors, const std::string &name = {});
  /// Adds the largest value of \p variables.
  /// \throws std::invalid_argument if \p variables is empty
  Variable max(std::vector<Variable> variables, const std::string &name = {});
  /// Adds the smallest value of \p variables.
  /// \throws std::invalid_argument if \p variables is empty
  Variable min(std::vector<Variable> variables, const std::string &name = {});
  /// Adds left - right.
  Variable sub(Variable left, Variable right, const std::string &name = {});
  /// Adds the quotient, rounded down.
  Variable floordiv(Variable dividend, Variable divisor, const std::string &name = {});
  /// Adds the quotient, rounded up.
  Variable ceildiv(Variable dividend, Variable divisor, const std::string &name = {});
  /// Adds ceildiv(), and constrains the divisor to the smallest one that gives this quotient. In
  /// other words, among the ways to cut \p dividend things into parts it excludes those with
  /// needlessly empty parts.
  Variable ceildivConstrainDivisor(Variable dividend, Variable divisor,
                                   const std::string &name = {});
  /// Adds the remainder.
  Variable mod(Variable dividend, Variable divisor, const std::string &name = {});

  ///@{

  /// Adds 1 if the comparison holds, else 0.
  Variable reifiedLess(Variable left, Variable right, const std::string &name = {});
  Variable reifiedLessOrEqual(Variable left, Variable right, const std::string &name = {});
  ///@}

  ///@{

  /// Adds a boolean, 0 or 1, and constrains the operands to booleans.
  Variable booleanNot(Variable operand, const std::string &name = {});
  Variable booleanAnd(Variable left, Variable right, const std::string &name = {});
  Variable booleanOr(Variable left, Variable right, const std::string &name = {});
  ///@}

  ///@{

  /// Constrains variables to the relation of the function's name.
  void less(Variable left, Variable right);
  void less(Variable left, DataType right) { less(left, addConstant(right)); }
  void less(DataType left, Variable right) { less(addConstant(left), right); }
  void lessOrEqual(Variable left, Variable right);
  void lessOrEqual(Variable left, DataType right) { lessOrEqual(left, addConstant(right)); }
  void lessOrEqual(DataType left, Variable right) { lessOrEqual(addConstant(left), right); }
  void equal(Variable left, Variable right);
  void equal(Variable left, DataType right) { equal(left, addConstant(right)); }
  void equal(DataType left, Variable right) { equal(addConstant(left), right); }
  ///@}

  /// Constrains \p multiple to multiples of \p factor.
  void factorOf(Variable multiple, Variable factor);

  /// Adds the value of \p function, which gets a vector of the values of \p arguments and returns a
  /// DataType, or a boost::optional or std::optional of one. If it returns an empty optional, or if
  /// \p T cannot hold a value, these values are no solution. The function is called when all
  /// arguments have values, any number of times.
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

  /// Returns the group that a variable is in until it is put into another. Variables of one group
  /// get their values before the variables of a later group.
  PriorityGroupID getDefaultPriorityGroup() const { return {}; }
  /// Adds a group.
  PriorityGroupID addPriorityGroup();
  /// Puts a variable into a group.
  void setPriorityGroup(Variable variable, PriorityGroupID group);
  /// Puts \p first before \p later.
  /// \throws std::invalid_argument if \p first already comes after \p later
  void prioritiseOver(PriorityGroupID first, PriorityGroupID later);

  ///@{

  /// Returns the values that fulfil all constraints and minimize the first objective; among these,
  /// the second; and so on. Without objectives, it returns any values that fulfil the constraints.
  /// The model does not change and can be minimized again.
  Solution minimize(const std::vector<Variable> &objectives) const;
  Solution minimize(Variable objective) const { return minimize(std::vector{objective}); }
  ///@}

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
