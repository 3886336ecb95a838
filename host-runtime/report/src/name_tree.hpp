#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace copse::report {

/// Amounts by debug path, as the tree of debug contexts: "model/layer0/weights" is a leaf of
/// "layer0" in "model".
class NameTree {
public:
  /// \param path  parts separated by '/'; if empty, "(no name)" is used
  void add(std::string_view path, std::uint64_t amount);

  /// Returns {"name", "amount", "children"}, largest first. Children of less than \p least are
  /// merged.
  nlohmann::json take(std::uint64_t least) const { return nodeOf("", root_, least); }

  std::uint64_t amount() const { return root_.amount; }

private:
  struct Node {
    std::uint64_t amount = 0;
    std::map<std::string, Node, std::less<>> children;
  };
  static nlohmann::json nodeOf(const std::string &name, const Node &node, std::uint64_t least);

  Node root_;
};

} // namespace copse::report
