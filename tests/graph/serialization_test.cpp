#include "graph_fixture.hpp"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <poplar/exceptions.hpp>
#include <random>
#include <sstream>

namespace copse::graph {
namespace {

using namespace poplar;
using nlohmann::json;
using ::testing::HasSubstr;

class TensorFiles : public ::testing::TestWithParam<SerializationFormat> {
protected:
  std::string written(const std::vector<Tensor> &tensors) const {
    std::ostringstream out;
    graph.serializeTensors(out, tensors, GetParam());
    return out.str();
  }
  static std::vector<Tensor> read(Graph &into, const std::string &bytes) {
    std::istringstream in(bytes);
    return into.deserializeTensors(in, GetParam());
  }
  /// Returns the file of one tensor, with a change.
  std::string changed(const std::function<void(json &)> &change) const {
    const std::string file = written({a.slice(1, 3).transpose()});
    json document =
        GetParam() == SerializationFormat::JSON ? json::parse(file) : json::from_cbor(file);
    change(document);
    std::string out;
    if (GetParam() == SerializationFormat::JSON)
      out = document.dump();
    else
      json::to_cbor(document, out);
    return out;
  }
  Graph graph{test::ipuTarget()}, other{test::ipuTarget()};
  Tensor a = graph.addVariable(FLOAT, {4, 3}, "a"), b = graph.addVariable(UNSIGNED_INT, {5}, "b"),
         c = graph.addVariable(FLOAT, {2, 3}, "c");
};

TEST_P(TensorFiles, RestoreTheSameElementsInAnotherGraph) {
  other.addVariable(INT, {1}, "there before");
  const std::vector<Tensor> tensors{concat(a.slice(1, 3), c).transpose(), b.reverse(0).slice(1, 4),
                                    a[0][1].expand({0}).broadcast(3, 0), b.slice(2, 2), a};
  const std::vector<Tensor> again = read(other, written(tensors));
  ASSERT_EQ(again.size(), tensors.size());
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    EXPECT_EQ(again[i].shape(), tensors[i].shape()) << i;
    EXPECT_EQ(again[i].elementType(), tensors[i].elementType()) << i;
    // Equal elements of the same variables; either graph numbers these in the order a, c, b.
    test::Elements expected = test::elementsOf(tensors[i]);
    const std::map<unsigned, unsigned> numbers{{0, 1}, {2, 2}, {1, 3}};
    for (auto &[variable, element] : expected)
      variable = numbers.at(variable);
    EXPECT_EQ(test::elementsOf(again[i]), expected) << i;
  }
}

TEST_P(TensorFiles, RefuseATensorOfAnotherGraph) {
  EXPECT_THROW(written({a, other.addVariable(INT, {1})}), poplar_error);
  EXPECT_THROW(written({Tensor()}), poplar_error);
}

TEST_P(TensorFiles, AreRefusedIfTheyAreInvalid) {
  const std::function<void(json &)> changes[] = {
      [](json &file) { file["format"] = "copse tensors 2"; },
      [](json &file) { file.erase("tensors"); },
      [](json &file) { file["variables"][0]["elements"] = 8; },
      [](json &file) { file["variables"][0]["elements"] = -1; },
      [](json &file) { file["variables"][0]["type"] = "quark"; },
      [](json &file) { file["variables"][0]["type"] = "int"; },
      [](json &file) { file["variables"] = json::array(); },
      [](json &file) {
        file["tensors"][0]["shape"] = {3, 3};
      },
      [](json &file) {
        file["tensors"][0]["shape"] = {1ull << 32, 1ull << 32};
      },
      [](json &file) { file["tensors"][0]["runs"][0][1] = 1ull << 62; },
      [](json &file) { file["tensors"][0]["runs"][0][2] = 0; },
      [](json &file) { file["tensors"][0]["runs"][0][3] = -9; },
      [](json &file) { file["tensors"][0]["runs"][0][3] = INT64_MIN; },
      [](json &file) { file["tensors"][0]["runs"][0][0] = 1; },
      [](json &file) { file["tensors"][0]["runs"][0] = "all"; },
  };
  EXPECT_EQ(read(other, changed([](json &) {})).size(), 1u);
  const std::size_t variables = other.addVariable(INT, {1}).getVarRegions()[0].var.id;
  for (std::size_t i = 0; i < std::size(changes); ++i)
    EXPECT_THROW(read(other, changed(changes[i])), parse_error) << i;
  // and no variable was added
  EXPECT_EQ(other.addVariable(INT, {1}).getVarRegions()[0].var.id, variables + 1);
}

TEST_P(TensorFiles, AreSafeToReadWithAnyBytes) {
  const std::string file = written({a.slice(1, 3).transpose(), b});
  std::mt19937 random(3);
  for (int round = 0; round < 2000; ++round) {
    std::string damaged = file;
    for (int flips = 1 + static_cast<int>(random() % 3); flips > 0; --flips)
      damaged[random() % damaged.size()] ^= static_cast<char>(1 << random() % 8);
    if (round % 5 == 0)
      damaged.resize(random() % damaged.size());
    try {
      for (const Tensor &t : read(other, damaged))
        EXPECT_FALSE(t.shapeToString().empty());
    } catch (const parse_error &) {
    }
  }
}

TEST_P(TensorFiles, AreRefusedIfNestedTooDeeply) {
  const std::string lists(1'000'000, GetParam() == SerializationFormat::JSON ? '[' : '\x81');
  EXPECT_THROW(read(other, lists), parse_error);
}

INSTANTIATE_TEST_SUITE_P(Formats, TensorFiles,
                         ::testing::Values(SerializationFormat::Binary, SerializationFormat::JSON),
                         [](const auto &format) {
                           return format.param == SerializationFormat::JSON ? "Json" : "Binary";
                         });

TEST(GraphFile, ListsVariablesVerticesAndEdges) {
  Graph graph(test::ipuTarget());
  test::addVertexType(graph, "T",
                      {test::field("in", popc::FieldDirection::Input, popc::FieldKind::Vector,
                                   popc::ElementType::Half, 2)});
  const Tensor t = graph.addVariable(HALF, {4}, "t");
  graph.setTileMapping(t.slice(0, 3), 2);
  const ComputeSet set = graph.addComputeSet("set");
  graph.setTileMapping(graph.addVertex(set, "T", {{"in", t.slice(1, 3)}}), 1);
  std::ostringstream text, binary;
  graph.serialize(text, SerializationFormat::JSON);
  graph.serialize(binary, SerializationFormat::Binary);
  const json file = json::parse(text.str());
  EXPECT_EQ(json::from_cbor(binary.str()), file);
  EXPECT_EQ(file["variables"], json::parse(R"([{"name": "t", "type": "half", "shape": [4],
      "constant": false, "tiles": [[0, 3, 2], [3, 4, null]]}])"));
  EXPECT_EQ(file["computeSets"], json::parse(R"(["set"])"));
  EXPECT_EQ(file["vertices"], json::parse(R"([{"type": "T", "computeSet": 0, "tile": 1}])"));
  EXPECT_EQ(file["edges"],
            json::parse(R"([{"vertex": 0, "field": "in", "index": 0, "runs": [[0, 1, 2, 1]]}])"));
  EXPECT_EQ(file["programs"], json::array());
}

TEST(GraphFile, ListsProgramsAsTrees) {
  Graph graph(test::ipuTarget());
  const ComputeSet set = graph.addComputeSet("set");
  const program::Sequence twice(program::Repeat(2, program::Execute(set)));
  std::ostringstream out;
  graph.serialize(out, {twice, program::Sync(SyncType::INTERNAL)}, SerializationFormat::JSON);
  EXPECT_EQ(json::parse(out.str())["programs"], json::parse(R"([
      {"kind": "Sequence", "programs": [{"kind": "Repeat", "count": 2, "programs": [
          {"kind": "Execute", "computeSet": "set"}]}]},
      {"kind": "Sync"}])"));
}

} // namespace
} // namespace copse::graph
