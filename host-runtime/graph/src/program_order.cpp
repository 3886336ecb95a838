#include "program_order.hpp"

#include <set>

namespace copse::graph {
namespace {

class ComputeSetOrder {
public:
  explicit ComputeSetOrder(const Model &model) : model_(model) {}
  void visit(const ProgramNode &node) {
    if (node.kind == ProgramNode::Kind::Execute && seen_.insert(node.computeSet).second)
      order_.push_back(node.computeSet);
    if (node.kind == ProgramNode::Kind::Call && calls_.insert(node.index).second)
      visit(*model_.functions.at(node.index));
    for (const ProgramPtr &child : node.children)
      if (child)
        visit(*child);
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
