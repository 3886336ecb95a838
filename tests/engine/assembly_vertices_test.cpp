// Tests that vertices in assembly read the states that the compiler lays out, like those in C++, on
// Mk1 and Mk2.
#include "devices.hpp"

#include <numeric>

namespace copse::test {
namespace {

using namespace poplar;
using namespace poplar::program;
using ::testing::ElementsAre;

class AssemblyVertices : public ::testing::TestWithParam<const char *> {
protected:
  AssemblyVertices() : device_(makeDevice()), graph_(device_) {
    const std::string folder = ASSEMBLY_SOURCES;
    graph_.addCodelets({folder + "/layouts.cpp", folder + "/layouts.S"});
  }
  static Device makeDevice() {
    IPUModel model(GetParam());
    model.tilesPerIPU = 4;
    return model.createDevice();
  }

  /// Returns 1, 2, 3, .. of \p count, beginning in the middle of a variable.
  Tensor numbers(std::size_t count, unsigned tile) {
    std::vector<int> values(count + 8);
    std::iota(values.begin(), values.end(), -3);
    const Tensor all = graph_.addConstant<int>(INT, {count + 8}, values.data());
    graph_.setTileMapping(all, tile);
    return all.slice(4, 4 + count);
  }
  Tensor output(const std::string &name, const Type &type, std::size_t count) {
    const Tensor t = graph_.addVariable(type, {count}, name);
    graph_.setTileMapping(t, 0);
    graph_.createHostRead(name, t);
    return t;
  }
  VertexRef vertex(const std::string &type) {
    const ComputeSet set = graph_.addComputeSet(type);
    const VertexRef v = graph_.addVertex(set, type);
    graph_.setTileMapping(v, 0);
    sequence_.add(Execute(set));
    return v;
  }
  void run() {
    engine_ = std::make_unique<Engine>(graph_, sequence_);
    engine_->load(device_);
    engine_->run(0);
  }
  template <class T = int> std::vector<T> read(const std::string &name, std::size_t count) {
    std::vector<T> values(count);
    engine_->readTensor(name, values.data(), values.data() + count);
    return values;
  }

  Device device_;
  Graph graph_;
  Sequence sequence_;
  std::unique_ptr<Engine> engine_;
};

TEST_P(AssemblyVertices, ReadEveryLayoutOfAVector) {
  const std::string types[] = {"ONE_PTR,4",        "SPAN,8",        "SHORT_SPAN,4",
                               "SCALED_PTR128,16", "COMPACT_PTR,4", "COMPACT_PTR,8",
                               "COMPACT_PTR,16"};
  for (const std::string &type : types)
    for (const std::string name : {"Sum", "SumAsm"}) {
      const std::string full = name + "<poplar::VectorLayout::" + type + ">";
      const VertexRef v = vertex(full);
      graph_.connect(v["x"], numbers(13, 0));
      graph_.connect(v["sum"], output(full, INT, 1)[0]);
      graph_.setInitialValue(v["n"], 13U);
    }
  run();
  for (const std::string &type : types) {
    EXPECT_THAT(read("Sum<poplar::VectorLayout::" + type + ">", 1), ElementsAre(13 * 14 / 2))
        << type;
    EXPECT_THAT(read("SumAsm<poplar::VectorLayout::" + type + ">", 1), ElementsAre(13 * 14 / 2))
        << type;
  }
}

TEST_P(AssemblyVertices, ReadListsOfRows) {
  const std::size_t lengths[] = {3, 0, 5, 1};
  for (const std::string name : {"Rows", "RowsAsm"}) {
    const VertexRef v = vertex(name + "<poplar::VectorListLayout::COMPACT_DELTAN>");
    std::vector<Tensor> rows;
    for (std::size_t r = 0; r < std::size(lengths); ++r)
      rows.push_back(numbers(lengths[r], r == 2 ? 1 : 0)); // one comes from another tile
    graph_.connect(v["rows"], rows);
    graph_.connect(v["sums"], output(name, INT, std::size(lengths)));
  }
  for (const std::string name : {"Nested", "NestedAsm"}) {
    const VertexRef v = vertex(name);
    graph_.connect(v["rows"], std::vector<Tensor>{numbers(2, 0), numbers(7, 1), numbers(4095, 0)});
    graph_.connect(v["sums"], output(name, INT, 3));
  }
  run();
  for (const std::string name : {"Rows", "RowsAsm"})
    EXPECT_THAT(read(name, 4), ElementsAre(3006, 0, 5015, 1001)) << name;
  for (const std::string name : {"Nested", "NestedAsm"})
    EXPECT_THAT(read(name, 3), ElementsAre(2003, 7028, 4095 * 1000 + 4095 * 2048)) << name;
}

TEST_P(AssemblyVertices, ReadFieldsOfAllSizes) {
  for (const bool flag : {true, false})
    for (const std::string name : {"Mixed", "MixedAsm"}) {
      const std::string key = name + (flag ? "1" : "0");
      const VertexRef v = vertex(name);
      const Tensor value = output(key, INT, 1);
      graph_.setInitialValue(value, poplar::ArrayRef<int>({1000}));
      graph_.connect(v["value"], value[0]);
      graph_.connect(v["result"], output(key + "f", FLOAT, 1)[0]);
      graph_.setInitialValue(v["flag"], flag);
      graph_.setInitialValue(v["small"], static_cast<short>(-300));
      graph_.setInitialValue(v["scale"], 1.5F);
      graph_.setInitialValue(v["byte"], static_cast<unsigned char>(200));
      graph_.setInitialValue(v["factor"], -2.25F);
    }
  run();
  for (const std::string name : {"Mixed", "MixedAsm"}) {
    EXPECT_THAT(read(name + "1", 1), ElementsAre(700)) << name;
    EXPECT_THAT(read(name + "0", 1), ElementsAre(1200)) << name;
    EXPECT_THAT(read<float>(name + "1f", 1), ElementsAre(-3.375F)) << name;
  }
}

TEST_P(AssemblyVertices, ShareWorkAndCallFunctions) {
  const unsigned n = 20;
  for (const std::string name : {"TripleAll", "TripleSupervised"}) {
    const VertexRef v = vertex(name);
    graph_.connect(v["in"], numbers(n, 0));
    graph_.connect(v["out"], output(name, INT, n));
    graph_.setInitialValue(v["n"], n);
  }
  run();
  std::vector<int> expected(n);
  for (unsigned i = 0; i < n; ++i)
    expected[i] = 3 * static_cast<int>(i + 1);
  EXPECT_EQ(read("TripleAll", n), expected);
  EXPECT_EQ(read("TripleSupervised", n), expected);
}

INSTANTIATE_TEST_SUITE_P(Targets, AssemblyVertices, ::testing::Values("ipu1", "ipu2"),
                         [](const auto &p) { return std::string(p.param); });

} // namespace
} // namespace copse::test
