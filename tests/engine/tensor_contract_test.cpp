#include "contract_table.hpp"

namespace copse::test {
namespace {

using namespace poplar;
using namespace poplar::program;

// Tests every view of Tensor.hpp. The device copies through the view; the test picks the same
// elements of a plain list, whose values are their positions.
using List = std::vector<int>;

constexpr int at(int i, int j, int k) { return (i * 3 + j) * 4 + k; } // element of shape {2, 3, 4}

const struct ViewCase {
  const char *name;
  Tensor (*view)(const Tensor &);
  std::vector<std::size_t> shape;
  int (*element)(int a, int b, int c); ///< at an index of the view, of up to three dimensions
} kViews[] = {
    {"operator[]",
     [](const Tensor &t) { return t[1]; },
     {3, 4},
     [](int a, int b, int) { return at(1, a, b); }},
    {"index",
     [](const Tensor &t) {
       return t.index({1, 2});
     },
     {4},
     [](int a, int, int) { return at(1, 2, a); }},
    {"index of all dimensions",
     [](const Tensor &t) {
       return t.index({1, 2, 3});
     },
     {},
     [](int, int, int) { return at(1, 2, 3); }},
    {"slice of a dimension",
     [](const Tensor &t) { return t.slice(1, 3, 2); },
     {2, 3, 2},
     [](int a, int b, int c) { return at(a, b, c + 1); }},
    {"slice of the first dimension",
     [](const Tensor &t) { return t.slice(1, 2); },
     {1, 3, 4},
     [](int a, int b, int c) { return at(a + 1, b, c); }},
    {"slice by Interval",
     [](const Tensor &t) { return t.slice(Interval(1, 3), 1); },
     {2, 2, 4},
     [](int a, int b, int c) { return at(a, b + 1, c); }},
    {"slice of a box",
     [](const Tensor &t) {
       return t.slice({0, 1, 2}, {1, 3, 4});
     },
     {1, 2, 2},
     [](int a, int b, int c) { return at(a, b + 1, c + 2); }},
    {"slice of leading dimensions",
     [](const Tensor &t) {
       return t.slice({1, 1}, {2, 3});
     },
     {1, 2, 4},
     [](int a, int b, int c) { return at(a + 1, b + 1, c); }},
    {"empty slice",
     [](const Tensor &t) { return t.slice(2, 2, 1); },
     {2, 0, 4},
     [](int, int, int) { return 0; }},
    {"slices by one Interval",
     [](const Tensor &t) {
       return t.slices({{1, 3}}, 2)[0];
     },
     {2, 3, 2},
     [](int a, int b, int c) { return at(a, b, c + 1); }},
    {"slices by Intervals",
     [](const Tensor &t) {
       return concat(t.slices({{2, 3}, {0, 1}}, 1), 1);
     },
     {2, 2, 4},
     [](int a, int b, int c) { return at(a, b == 0 ? 2 : 0, c); }},
    {"slices by lists of Intervals",
     [](const Tensor &t) {
       return t.slices(std::vector<std::vector<Interval>>{{{3, 4}, {0, 1}}}, 2)[0];
     },
     {2, 3, 2},
     [](int a, int b, int c) { return at(a, b, c == 0 ? 3 : 0); }},
    {"slices by indices",
     [](const Tensor &t) {
       return concat(t.slices(std::vector<unsigned>{3, 1}, 2), 2);
     },
     {2, 3, 2},
     [](int a, int b, int c) { return at(a, b, c == 0 ? 3 : 1); }},
    {"subSample",
     [](const Tensor &t) { return t.subSample(2, 1); },
     {2, 2, 4},
     [](int a, int b, int c) { return at(a, 2 * b, c); }},
    {"upsample",
     [](const Tensor &t) { return t.upsample(2, 1, UpsampleMethod::REPEAT); },
     {2, 6, 4},
     [](int a, int b, int c) { return at(a, b / 2, c); }},
    {"broadcast",
     [](const Tensor &t) { return t.broadcast(2, 1); },
     {2, 6, 4},
     [](int a, int b, int c) { return at(a, b % 3, c); }},
    {"broadcast to nothing",
     [](const Tensor &t) { return t.broadcast(0, 0); },
     {0, 3, 4},
     [](int, int, int) { return 0; }},
    {"reshape",
     [](const Tensor &t) {
       return t.reshape({4, 6});
     },
     {4, 6},
     [](int a, int b, int) { return 6 * a + b; }},
    {"reshapePartial",
     [](const Tensor &t) { return t.reshapePartial(0, 2, {6}); },
     {6, 4},
     [](int a, int b, int) { return 4 * a + b; }},
    {"reshapePartial that inserts",
     [](const Tensor &t) { return t[0].reshapePartial(1, 1, {1}); },
     {3, 1, 4},
     [](int a, int, int c) { return at(0, a, c); }},
    {"flatten",
     [](const Tensor &t) { return t.flatten(); },
     {24},
     [](int a, int, int) { return a; }},
    {"flatten of some dimensions",
     [](const Tensor &t) { return t.flatten(1, 3); },
     {2, 12},
     [](int a, int b, int) { return 12 * a + b; }},
    {"dimShuffle",
     [](const Tensor &t) {
       return t.dimShuffle({2, 0, 1});
     },
     {4, 2, 3},
     [](int a, int b, int c) { return at(b, c, a); }},
    {"dimShufflePartial",
     [](const Tensor &t) { return t.dimShufflePartial({0}, {2}); },
     {3, 4, 2},
     [](int a, int b, int c) { return at(c, a, b); }},
    {"dimRoll",
     [](const Tensor &t) { return t.dimRoll(2); },
     {4, 2, 3},
     [](int a, int b, int c) { return at(b, c, a); }},
    {"dimRoll to an index",
     [](const Tensor &t) { return t.dimRoll(0, 1); },
     {3, 2, 4},
     [](int a, int b, int c) { return at(b, a, c); }},
    {"transpose",
     [](const Tensor &t) { return t[0].transpose(); },
     {4, 3},
     [](int a, int b, int) { return at(0, b, a); }},
    {"expand",
     [](const Tensor &t) { return t[0].expand({1}); },
     {3, 1, 4},
     [](int a, int, int c) { return at(0, a, c); }},
    {"expand at the end",
     [](const Tensor &t) { return t[0].expand({2}); },
     {3, 4, 1},
     [](int a, int b, int) { return at(0, a, b); }},
    {"squeeze",
     [](const Tensor &t) { return t.slice(1, 2).squeeze({0}); },
     {3, 4},
     [](int a, int b, int) { return at(1, a, b); }},
    {"squeeze of nothing", [](const Tensor &t) { return t.squeeze({}); }, {2, 3, 4}, at},
    {"reverse",
     [](const Tensor &t) { return t.reverse(1); },
     {2, 3, 4},
     [](int a, int b, int c) { return at(a, 2 - b, c); }},
    {"reinterpret",
     [](const Tensor &t) { return t.reinterpret(UNSIGNED_INT).reinterpret(INT); },
     {2, 3, 4},
     at},
    {"concat",
     [](const Tensor &t) { return concat(t, t, 2); },
     {2, 3, 8},
     [](int a, int b, int c) { return at(a, b, c % 4); }},
    {"concat of a list with an empty part",
     [](const Tensor &t) {
       return concat({t.slice(0, 0, 1), t.slice(2, 3, 1), t.slice(0, 1, 1)}, 1);
     },
     {2, 2, 4},
     [](int a, int b, int c) { return at(a, b == 0 ? 2 : 0, c); }},
    {"append",
     [](const Tensor &t) { return append(t, t[0]); },
     {3, 3, 4},
     [](int a, int b, int c) { return at(a % 2, b, c); }},
    {"append along a dimension",
     [](const Tensor &t) { return append(t[0], t[1].transpose()[2], 1); },
     {3, 5},
     [](int a, int b, int) { return b < 4 ? at(0, a, b) : at(1, a, 2); }},
};

List expected(const ViewCase &view) {
  std::size_t shape[3] = {1, 1, 1};
  std::copy(view.shape.begin(), view.shape.end(), shape);
  List all;
  for (std::size_t a = 0; a < shape[0]; ++a)
    for (std::size_t b = 0; b < shape[1]; ++b)
      for (std::size_t c = 0; c < shape[2]; ++c)
        all.push_back(view.element(static_cast<int>(a), static_cast<int>(b), static_cast<int>(c)));
  return all;
}

class TensorHeader : public ContractTable, public ::testing::WithParamInterface<DeviceKind> {
protected:
  TensorHeader() : ContractTable(GetParam()) {}
};
INSTANTIATE_TEST_SUITE_P(Devices, TensorHeader, ::testing::ValuesIn(kDevices), deviceName);

TEST_P(TensorHeader, ViewsReadTheElementsOfAPlainList) {
  const Tensor source = counted(INT, {2, 3, 4});
  Sequence copies;
  std::vector<std::pair<const ViewCase *, std::string>> results;
  for (const ViewCase &one : kViews) {
    SCOPED_TRACE(one.name);
    const Tensor view = one.view(source);
    EXPECT_EQ(view.shape(), one.shape);
    const Tensor copy = over(INT, one.shape, 1);
    copies.add(Copy(view, copy));
    results.emplace_back(&one, readable(copy));
  }
  Engine engine = load(copies);
  engine.run();
  for (const auto &[one, handle] : results) {
    SCOPED_TRACE(one->name);
    EXPECT_EQ(read<int>(engine, handle.c_str(), expected(*one).size()), expected(*one));
  }
}

TEST_P(TensorHeader, ViewsWithoutAliasesWriteTheElementsOfAPlainList) {
  Sequence copies;
  std::vector<std::pair<const ViewCase *, std::string>> results;
  for (const ViewCase &one : kViews) {
    SCOPED_TRACE(one.name);
    const Tensor whole = over(INT, {2, 3, 4});
    const Tensor view = one.view(whole);
    EXPECT_EQ(view.isParallelWriteable(), !view.containsAliases());
    if (view.containsAliases())
      continue;
    graph_.setInitialValue(whole, -1);
    copies.add(Copy(counted(INT, one.shape), view));
    results.emplace_back(&one, readable(whole));
  }
  Engine engine = load(copies);
  engine.run();
  for (const auto &[one, handle] : results) {
    SCOPED_TRACE(one->name);
    List plain(24, -1);
    const List elements = expected(*one);
    for (std::size_t i = 0; i < elements.size(); ++i)
      plain[static_cast<std::size_t>(elements[i])] = static_cast<int>(i);
    EXPECT_EQ(read<int>(engine, handle.c_str(), 24), plain);
  }
}

} // namespace
} // namespace copse::test
