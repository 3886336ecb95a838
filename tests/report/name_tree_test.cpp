#include "name_tree.hpp"

#include <gmock/gmock.h>

namespace copse::report {
namespace {

using nlohmann::json;

TEST(NameTree, AddsUpThePathsOfAContext) {
  NameTree tree;
  tree.add("model/a/weights", 10);
  tree.add("model/a/bias", 5);
  tree.add("model/b", 100);
  tree.add("other", 1);
  EXPECT_EQ(tree.take(0), json::parse(R"json({"name": "", "amount": 116, "children": [
    {"name": "model", "amount": 115, "children": [
      {"name": "b", "amount": 100},
      {"name": "a", "amount": 15, "children": [{"name": "weights", "amount": 10}, {"name": "bias", "amount": 5}]}]},
    {"name": "other", "amount": 1}]})json"));
}

TEST(NameTree, WritesABranchWithoutForksAsOneLine) {
  NameTree tree;
  tree.add("a/b/c", 1);
  tree.add("d", 1);
  EXPECT_EQ(tree.take(0)["children"][0]["name"], "a/b/c");
}

TEST(NameTree, KeepsFiguresOfAContextItself) {
  NameTree tree;
  tree.add("a", 3);
  tree.add("a/b", 4);
  const json a = tree.take(0);
  EXPECT_EQ(a["name"], "a");
  EXPECT_EQ(a["amount"], 7);
  EXPECT_EQ(a["children"], json::parse(R"json([{"name": "b", "amount": 4}])json"));
}

TEST(NameTree, JoinsSmallBranches) {
  NameTree tree;
  tree.add("large", 1000);
  for (int i = 0; i < 50; ++i)
    tree.add("small" + std::to_string(i), 2);
  const json children = tree.take(10)["children"];
  ASSERT_EQ(children.size(), 2u);
  EXPECT_EQ(children[1], json::parse(R"json({"name": "(50 smaller)", "amount": 100
})json"));
}

TEST(NameTree, SkipsEmptyPartsOfAPath) {
  NameTree tree;
  tree.add("/a//b", 1);
  tree.add("a/c/", 2);
  const json a = tree.take(0);
  EXPECT_EQ(a["name"], "a");
  EXPECT_EQ(a["children"][0], json::parse(R"({"name": "c", "amount": 2})"));
}

TEST(NameTree, NamesNamelessEntries) {
  NameTree tree;
  tree.add("", 1);
  tree.add("a", 1);
  EXPECT_EQ(tree.take(0)["children"][0]["name"], "(no name)");
}

} // namespace
} // namespace copse::report
