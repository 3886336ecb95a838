#include "program_order.hpp"

#include <set>

namespace copse::graph {
namespace {

class ComputeSetOrder {
public:
  explicit ComputeSetOrder(const Model &model) : model_(model) {}
  void visit(const ProgramNode &node) {
    if (const auto *execute = as<kind::Execute>(node);
        execute && seen_.insert(execute->computeSet).second)
      order_.push_back(execute->computeSet);
    if (const auto *call = as<kind::Call>(node); call && calls_.insert(call->function).second)
      visit(*model_.functions.at(call->function));
    visitChildren(node, [this](const ProgramPtr &child) {
      if (child)
        visit(*child);
    });
  }
  std::vector<std::uint32_t> take() { return std::move(order_); }

private:
  const Model &model_;
  std::set<std::uint32_t> seen_, calls_;
  std::vector<std::uint32_t> order_;
};

} // namespace

std::vector<std::uint32_t> computeSetsOf(const Model &model, std::span<const ProgramPtr> programs) {
  ComputeSetOrder order(model);
  for (const ProgramPtr &program : programs)
    order.visit(*program);
  return order.take();
}

} // namespace copse::graph
