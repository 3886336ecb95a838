// Tests that jagged lists reach codelets through every list layout, on Mk1, Mk2 and CPU.
#include "chip_devices.hpp"
#include "devices.hpp"

#include <numeric>
#include <sstream>

namespace copse::test {
namespace {

using namespace poplar;
using namespace poplar::program;

constexpr const char *kVectorListCodelets = R"(
#include <poplar/Vertex.hpp>
using namespace poplar;
template <VectorListLayout L> class Sums : public Vertex {
public:
  Input<VectorList<int, L, 8>> rows;
  Output<Vector<int>> sums;
  bool compute() {
    for (unsigned r = 0; r < rows.size(); ++r) {
      int s = 1000 * static_cast<int>(rows[r].size());
      for (unsigned i = 0; i < rows[r].size(); ++i) s += rows[r][i];
      sums[r] = s;
    }
    return true;
  }
};
template class Sums<VectorListLayout::DELTANELEMENTS>;
template class Sums<VectorListLayout::COMPACT_DELTAN>;
template <VectorListLayout L> class Fill : public Vertex {
public:
  Output<VectorList<short, L>> rows;
  bool compute() {
    short next = 1;
    for (unsigned r = 0; r < rows.size(); ++r)
      for (unsigned i = 0; i < rows[r].size(); ++i) rows[r][i] = next++;
    return true;
  }
};
template class Fill<VectorListLayout::DELTANELEMENTS>;
template class Fill<VectorListLayout::COMPACT_DELTAN>;
)";

const std::size_t kLengths[] = {3, 0, 5, 1};

struct ListTarget {
  const char *name, *version;
};

class VectorLists : public ::testing::TestWithParam<ListTarget> {
protected:
  VectorLists() : device_(deviceOfChip(GetParam().version)), graph_(device_) {
    std::stringstream source(kVectorListCodelets);
    graph_.addCodelets(source);
  }
  unsigned tile(unsigned wanted) const { return wanted % graph_.getTarget().getNumTiles(); }
  /// Returns rows of kLengths of one variable, some on the vertex's tile and some not.
  std::vector<Tensor> rowsOf(const Type &type, const char *name) {
    std::vector<Tensor> rows;
    for (std::size_t r = 0; r < std::size(kLengths); ++r) {
      rows.push_back(graph_.addVariable(type, {kLengths[r]}, name));
      graph_.setTileMapping(rows.back(), tile(r == 2 ? 1 : 0));
    }
    return rows;
  }
  void run(const char *type, std::vector<Tensor> rows, const Tensor *sums) {
    const ComputeSet set = graph_.addComputeSet("set");
    const VertexRef v = graph_.addVertex(set, type);
    graph_.connect(v["rows"], rows);
    if (sums)
      graph_.connect(v["sums"], *sums);
    graph_.setTileMapping(v, 0);
    engine_ = std::make_unique<Engine>(graph_, Execute(set));
    engine_->load(device_);
  }

  Device device_;
  Graph graph_;
  std::unique_ptr<Engine> engine_;
};

TEST_P(VectorLists, ReadRowsOfAllLengths) {
  for (const char *layout : {"DELTANELEMENTS", "COMPACT_DELTAN"}) {
    const auto rows = rowsOf(INT, "rows");
    const Tensor sums = graph_.addVariable(INT, {std::size(kLengths)}, "sums");
    graph_.setTileMapping(sums, 0);
    const std::string name(layout);
    graph_.createHostWrite(name + "/rows", concat(rows));
    graph_.createHostRead(name + "/sums", sums);
    run(("Sums<poplar::VectorListLayout::" + name + ">").c_str(), rows, &sums);
    std::vector<int> values(9), result(std::size(kLengths));
    std::iota(values.begin(), values.end(), 1);
    engine_->writeTensor(name + "/rows", values.data(), values.data() + values.size());
    engine_->run(0);
    engine_->readTensor(name + "/sums", result.data(), result.data() + result.size());
    EXPECT_THAT(result, ::testing::ElementsAre(3000 + 6, 0, 5000 + 30, 1000 + 9)) << layout;
  }
}

TEST_P(VectorLists, WriteRowsOfAllLengths) {
  for (const char *layout : {"DELTANELEMENTS", "COMPACT_DELTAN"}) {
    const auto rows = rowsOf(SHORT, "rows");
    const std::string name(layout);
    graph_.createHostRead(name, concat(rows));
    run(("Fill<poplar::VectorListLayout::" + name + ">").c_str(), rows, nullptr);
    std::vector<short> result(9);
    engine_->run(0);
    engine_->readTensor(name, result.data(), result.data() + result.size());
    EXPECT_THAT(result, ::testing::ElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 9)) << layout;
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, VectorLists,
                         ::testing::Values(ListTarget{"Mk1", "ipu1"}, ListTarget{"Mk2", "ipu2"},
                                           ListTarget{"Cpu", ""}),
                         [](const auto &p) { return p.param.name; });

} // namespace
} // namespace copse::test
