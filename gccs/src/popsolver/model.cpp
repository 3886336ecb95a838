#include "gccs/popsolver/Model.hpp"

#include "popsolver/comparisons.hpp"
#include "popsolver/divisions.hpp"
#include "popsolver/extremes.hpp"
#include "popsolver/priorities.hpp"
#include "popsolver/search.hpp"
#include "popsolver/sums_and_products.hpp"
#include "popsolver/user_function.hpp"

#include <array>
#include <ostream>
#include <stdexcept>
#include <utility>

namespace gccs::popsolver {

std::ostream &operator<<(std::ostream &out, const ConstraintEvaluationSummary &summary) {
  return out << summary.total() << " (" << summary.call << " of them calls)";
}

class Model::Impl {
public:
  Variable add(Bounds bounds, const std::string &name) {
    if (bounds.min > bounds.max)
      throw std::invalid_argument("variable '" + name + "' has no values: its minimum " +
                                  std::to_string(bounds.min) + " is above its maximum " +
                                  std::to_string(bounds.max));
    bounds_.push_back(bounds);
    return Variable(static_cast<std::uint32_t>(bounds_.size() - 1));
  }
  Variable addResult(const std::string &name) { return add({0, *DataType::max()}, name); }

  template <typename Kind, typename... Args> void constrain(Args &&...args) {
    auto constraint = std::make_unique<Kind>(std::forward<Args>(args)...);
    for (const Variable v : constraint->variables())
      check(v);
    constraints_.push_back(std::move(constraint));
  }
  /// \returns a new variable, the result of a constraint whose constructor takes it before \p
  ///   operands
  template <typename Kind, typename... Operands>
  Variable resultOf(const std::string &name, Operands &&...operands) {
    const Variable result = addResult(name);
    constrain<Kind>(result, std::forward<Operands>(operands)...);
    return result;
  }
  void makeBoolean(Variable v) { constrain<LessOrEqual>(v, constant(true), 0); }

  /// Returns the constant 0 or 1.
  Variable constant(bool value) {
    std::optional<Variable> &known = constants_[value];
    if (!known)
      known = add({value, value}, {});
    return *known;
  }
  void check(Variable v) const {
    if (v.id >= bounds_.size())
      throw std::out_of_range("variable " + std::to_string(v.id) +
                              " is not in this model, which has " + std::to_string(bounds_.size()));
  }
  void check(PriorityGroupID group) const {
    if (!priorities.has(group.id))
      throw std::out_of_range("priority group " + std::to_string(group.id) +
                              " is not in this model");
  }

  Priorities priorities;

  Solution minimize(const std::vector<Variable> &objectives) const {
    for (const Variable v : objectives)
      check(v);
    const auto count = static_cast<std::uint32_t>(bounds_.size());
    return Search(bounds_, constraints_, priorities.groups(count), objectives).best();
  }

private:
  std::vector<Bounds> bounds_; ///< by variable
  Search::Constraints constraints_;
  std::array<std::optional<Variable>, 2> constants_; ///< 0 and 1, after their first use
};

namespace {

void checkNotEmpty(const std::vector<Variable> &variables, const std::string &name) {
  if (variables.empty())
    throw std::invalid_argument("'" + name +
                                "' is the extreme of no variables; give it one at least");
}

} // namespace

Model::Model() : impl_(std::make_unique<Impl>()) {}
Model::~Model() = default;
Model::Model(Model &&) noexcept = default;
Model &Model::operator=(Model &&) noexcept = default;

Variable Model::addVariable(const std::string &name) { return impl_->addResult(name); }
Variable Model::addVariable(DataType min, DataType max, const std::string &name) {
  return impl_->add({*min, *max}, name);
}
Variable Model::addConstant(DataType value, const std::string &name) {
  return impl_->add({*value, *value}, name);
}
Variable Model::zero() { return impl_->constant(false); }
Variable Model::one() { return impl_->constant(true); }

Variable Model::sum(std::vector<Variable> terms, const std::string &name) {
  return impl_->resultOf<Sum>(name, std::move(terms));
}
Variable Model::product(std::vector<Variable> factors, const std::string &name) {
  return impl_->resultOf<Product>(name, std::move(factors));
}
Variable Model::max(std::vector<Variable> variables, const std::string &name) {
  checkNotEmpty(variables, name);
  return impl_->resultOf<Greatest>(name, std::move(variables));
}
Variable Model::min(std::vector<Variable> variables, const std::string &name) {
  checkNotEmpty(variables, name);
  return impl_->resultOf<Least>(name, std::move(variables));
}
Variable Model::sub(Variable left, Variable right, const std::string &name) {
  const Variable difference = impl_->addResult(name);
  impl_->constrain<Sum>(left, std::vector{right, difference});
  return difference;
}
Variable Model::floordiv(Variable dividend, Variable divisor, const std::string &name) {
  return impl_->resultOf<FloorDivision>(name, dividend, divisor);
}
Variable Model::ceildiv(Variable dividend, Variable divisor, const std::string &name) {
  return impl_->resultOf<CeilDivision>(name, dividend, divisor);
}
Variable Model::ceildivConstrainDivisor(Variable dividend, Variable divisor,
                                        const std::string &name) {
  impl_->constrain<LeastDivisor>(dividend, divisor);
  return ceildiv(dividend, divisor, name);
}
Variable Model::mod(Variable dividend, Variable divisor, const std::string &name) {
  return impl_->resultOf<Remainder>(name, dividend, divisor);
}

Variable Model::reifiedLess(Variable left, Variable right, const std::string &name) {
  return impl_->resultOf<IsLessOrEqual>(name, left, right, 1);
}
Variable Model::reifiedLessOrEqual(Variable left, Variable right, const std::string &name) {
  return impl_->resultOf<IsLessOrEqual>(name, left, right, 0);
}
Variable Model::booleanNot(Variable operand, const std::string &name) {
  return sub(one(), operand, name);
}
Variable Model::booleanAnd(Variable left, Variable right, const std::string &name) {
  impl_->makeBoolean(left);
  impl_->makeBoolean(right);
  return min({left, right}, name);
}
Variable Model::booleanOr(Variable left, Variable right, const std::string &name) {
  impl_->makeBoolean(left);
  impl_->makeBoolean(right);
  return max({left, right}, name);
}

void Model::less(Variable left, Variable right) { impl_->constrain<LessOrEqual>(left, right, 1); }
void Model::lessOrEqual(Variable left, Variable right) {
  impl_->constrain<LessOrEqual>(left, right, 0);
}
void Model::equal(Variable left, Variable right) { impl_->constrain<Equal>(left, right); }
void Model::factorOf(Variable multiple, Variable factor) {
  impl_->constrain<FactorOf>(multiple, factor);
}

Variable Model::addCall(std::vector<Variable> arguments, Called function, const std::string &name) {
  return impl_->resultOf<UserFunction>(name, std::move(arguments), std::move(function));
}

PriorityGroupID Model::addPriorityGroup() { return {impl_->priorities.addGroup()}; }
void Model::setPriorityGroup(Variable variable, PriorityGroupID group) {
  impl_->check(variable);
  impl_->check(group);
  impl_->priorities.put(variable, group.id);
}
void Model::prioritiseOver(PriorityGroupID first, PriorityGroupID later) {
  impl_->check(first);
  impl_->check(later);
  if (!impl_->priorities.order(first.id, later.id))
    throw std::invalid_argument("group " + std::to_string(first.id) + " comes behind group " +
                                std::to_string(later.id) + " already");
}

Solution Model::minimize(const std::vector<Variable> &objectives) const {
  return impl_->minimize(objectives);
}

} // namespace gccs::popsolver
