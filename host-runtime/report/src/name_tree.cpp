#include "name_tree.hpp"

#include <algorithm>
#include <vector>

namespace copse::report {

using Json = nlohmann::json;

void NameTree::add(std::string_view path, std::uint64_t amount) {
  if (path.empty())
    path = "(no name)";
  Node *node = &root_;
  node->amount += amount;
  while (!path.empty()) {
    const std::size_t slash = path.find('/');
    const std::string_view part = path.substr(0, slash);
    path.remove_prefix(slash == std::string_view::npos ? path.size() : slash + 1);
    if (part.empty())
      continue;
    const auto found = node->children.find(part);
    node = found != node->children.end() ? &found->second : &node->children[std::string(part)];
    node->amount += amount;
  }
}

Json NameTree::nodeOf(const std::string &name, const Node &node, std::uint64_t least) {
  // Joins a branch without a fork into one line: "a/b/c".
  if (node.children.size() == 1 && node.children.begin()->second.amount == node.amount) {
    const auto &[part, child] = *node.children.begin();
    return nodeOf(name.empty() ? part : name + '/' + part, child, least);
  }
  Json children = Json::array();
  std::uint64_t smaller = 0, count = 0;
  std::vector<const std::pair<const std::string, Node> *> bySize;
  for (const auto &child : node.children)
    bySize.push_back(&child);
  std::ranges::stable_sort(bySize, std::ranges::greater{},
                           [](const auto *child) { return child->second.amount; });
  for (const auto *child : bySize)
    if (child->second.amount >= least)
      children.push_back(nodeOf(child->first, child->second, least));
    else {
      smaller += child->second.amount;
      ++count;
    }
  if (smaller > 0)
    children.push_back({{"name", "(" + std::to_string(count) + " smaller)"}, {"amount", smaller}});
  Json json{{"name", name}, {"amount", node.amount}};
  if (!children.empty())
    json["children"] = std::move(children);
  return json;
}

} // namespace copse::report
