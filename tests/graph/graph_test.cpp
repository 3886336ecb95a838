#include "graph_fixture.hpp"

#include "graph/estimates.hpp"
#include "popc/popc.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <unistd.h>

namespace copse::graph {
namespace {

using namespace poplar;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class GraphTest : public ::testing::Test {
protected:
  const Model &model() const { return *modelOf(graph); }
  template <typename T> std::vector<T> valuesOf(const InitialValue &value) const {
    std::vector<T> out(value.bytes.size() / sizeof(T));
    std::memcpy(out.data(), value.bytes.data(), value.bytes.size());
    return out;
  }
  template <typename T> std::vector<T> lastConstant() const {
    return valuesOf<T>(model().variables.back().initial.front());
  }
  Graph graph{test::ipuTarget()};
};

TEST_F(GraphTest, AnEmptyGraphIsReported) {
  Graph empty;
  EXPECT_THROW(empty.addVariable(FLOAT, {1}), poplar_error);
  EXPECT_THROW(modelOf(empty), poplar_error);
}

TEST_F(GraphTest, TheModelOutlivesTheGraph) {
  graph.addVariable(FLOAT, {3}, "x");
  const auto kept = modelOf(graph);
  graph = Graph();
  EXPECT_EQ(kept->variables.front().name, "x");
}

TEST_F(GraphTest, ConstantsAreConvertedByValue) {
  graph.addConstant(FLOAT, {3}, 2);
  EXPECT_THAT(lastConstant<float>(), ElementsAre(2.0f));
  graph.addConstant<double>(INT, {3}, {1.9, -1.9, 3e9});
  EXPECT_THAT(lastConstant<std::int32_t>()[0], 1);
  EXPECT_THAT(lastConstant<std::int32_t>()[1], -1);
  graph.addConstant<float>(HALF, {2}, {0.5f, 1e6f});
  EXPECT_THAT(lastConstant<std::uint16_t>(), ElementsAre(0x3800, 0x7c00));
  graph.addConstant<int>(BOOL, {3}, {0, 1, 7});
  EXPECT_THAT(lastConstant<std::uint8_t>(), ElementsAre(0, 1, 1));
  graph.addConstant(UNSIGNED_LONGLONG, {}, std::uint64_t(1) << 63);
  EXPECT_THAT(lastConstant<std::uint64_t>(), ElementsAre(std::uint64_t(1) << 63));
  graph.addConstantHalf(HALF, {5}, std::uint16_t(0x3555));
  EXPECT_THAT(lastConstant<std::uint16_t>(), ElementsAre(0x3555));
}

TEST_F(GraphTest, HalvesAreFloatsOnACpuWithoutThem) {
  Graph cpu(Target::createCPUTarget());
  cpu.addConstant(HALF, {}, 0.5f);
  EXPECT_EQ(modelOf(cpu)->variables.back().initial.front().bytes.size(), 4u);
  EXPECT_EQ(modelOf(cpu)->arch, popc::Architecture::Cpu);
}

TEST_F(GraphTest, AConstantNeedsAValueForEachElement) {
  const std::vector<float> three{1, 2, 3};
  EXPECT_THROW(graph.addConstant(FLOAT, {4}, ArrayRef<float>(three)), poplar_error);
  EXPECT_NO_THROW(graph.addConstant(FLOAT, {0}, 1.0f));
}

TEST_F(GraphTest, InitialValuesOfAShuffledRangeAreStoredInItsOrder) {
  const Tensor t = graph.addVariable(INT, {3, 2});
  graph.setInitialValue<int>(t.slice(1, 3).transpose(), {1, 2, 3, 4});
  const auto &initial = model().variables.back().initial;
  ASSERT_EQ(initial.size(), 1u);
  EXPECT_EQ(initial[0].begin, 2u);
  EXPECT_THAT(valuesOf<int>(initial[0]), ElementsAre(1, 3, 2, 4));
}

TEST_F(GraphTest, InitialValuesWithGapsFollowTheViewsRuns) {
  const Tensor t = graph.addVariable(INT, {2, 3});
  graph.setInitialValue<int>(concat(t.slice(0, 1, 1).transpose(), t.slice(2, 3, 1).transpose()),
                             {1, 2, 3, 4});
  const auto &initial = model().variables.back().initial;
  ASSERT_EQ(initial.size(), 2u);
  EXPECT_EQ(initial[1].begin, 2u);
  EXPECT_EQ(initial[1].stride, 3);
  EXPECT_THAT(valuesOf<int>(initial[1]), ElementsAre(3, 4));
}

TEST_F(GraphTest, OneInitialValueInBracesFillsTheTensor) {
  const Tensor t = graph.addVariable(INT, {3});
  EXPECT_NO_THROW(graph.setInitialValue<int>(t, {7}));
  EXPECT_NO_THROW(graph.setInitialValue<int>(t, {1, 2, 3}));
  EXPECT_THROW(graph.setInitialValue<int>(t, {1, 2}), poplar_error);
}

/// Shapes of every kind, with metadata and without.
TEST_F(GraphTest, VariablesOfQuartersTakeShapesOfEveryKind) {
  const Tensor metadata = createVariableMetadataTensor(graph, {});
  const std::vector<std::size_t> shape{2, 3};
  EXPECT_EQ(graph.addVariable(QUARTER, metadata, {2, 3}).shape(), shape);
  EXPECT_EQ(graph.addVariable(QUARTER, metadata, shape).shape(), shape);
  EXPECT_EQ(graph.addVariable(QUARTER, metadata, ArrayRef<std::size_t>(shape)).shape(), shape);
  EXPECT_EQ(graph.addVariable(FLOAT, {}, ArrayRef<std::size_t>(shape)).shape(), shape);
  EXPECT_EQ(graph.addVariable(QUARTER, metadata, shape, VariableMappingMethod::LINEAR).shape(),
            shape);
  EXPECT_TRUE(graph.addVariable(FLOAT, {}, "scalar").shape().empty());
  const Tensor clones = graph.cloneN(QUARTER, metadata, graph.addVariable(FLOAT, {4}), 3);
  EXPECT_EQ(clones.shape(), (std::vector<std::size_t>{3, 4}));
  EXPECT_EQ(clones.elementType(), QUARTER);
  EXPECT_TRUE(clones.hasMetadata());
}

TEST_F(GraphTest, ClonesMayBeOfAnotherType) {
  const Tensor clones = graph.cloneN(HALF, graph.addVariable(FLOAT, {4}), 2);
  EXPECT_EQ(clones.elementType(), HALF);
  EXPECT_EQ(clones.shape(), (std::vector<std::size_t>{2, 4}));
}

TEST_F(GraphTest, LaterInitialValuesOfAnElementWin) {
  const Tensor t = graph.addVariable(INT, {2});
  graph.setInitialValue<int>(concat(t.reverse(0), t.slice(0, 1)), {1, 2, 3});
  const auto &initial = model().variables.back().initial;
  EXPECT_EQ(initial.back().begin, 0u);
  EXPECT_THAT(valuesOf<int>(initial.back()), ElementsAre(3));
}

TEST_F(GraphTest, InitialValuesFitTheTensor) {
  const Tensor t = graph.addVariable(INT, {2, 2});
  EXPECT_THROW(graph.setInitialValue<int>(t, {1, 2}), poplar_error);
  EXPECT_THROW(graph.setInitialValue(graph.addConstant(INT, {}, 1), 2), poplar_error);
}

TEST_F(GraphTest, HandlesAreUniqueInEachDirection) {
  const Tensor t = graph.addVariable(FLOAT, {2});
  graph.createHostWrite("h", t);
  graph.createHostRead("h", t);
  EXPECT_THROW(graph.createHostWrite("h", t), poplar_error);
  EXPECT_THROW(graph.createHostRead("h", t), poplar_error);
}

TEST_F(GraphTest, ConstantsAreReadByTheHostButNotWritten) {
  const Tensor one = graph.addConstant(INT, {1}, 1);
  EXPECT_THROW(graph.createHostWrite("one", one), poplar_error);
  EXPECT_NO_THROW(graph.createHostRead("one", one));
}

TEST_F(GraphTest, StreamsKeepTheirArguments) {
  const DataStream in = graph.addHostToDeviceFIFO("in", HALF, 6, ReplicatedStreamMode::BROADCAST,
                                                  {{"bufferingDepth", "3"}});
  EXPECT_EQ(in.handle(), "in");
  EXPECT_EQ(in.numElements(), 6u);
  EXPECT_EQ(in.elementType(), HALF);
  EXPECT_EQ(in.type(), DataStreamType::HostToDeviceFIFO);
  EXPECT_EQ(in.replicatedMode(), ReplicatedStreamMode::BROADCAST);
  EXPECT_EQ(model().streams.front().bufferingDepth, 3u);
  EXPECT_THROW(graph.addDeviceToHostFIFO("in", HALF, 6), stream_connection_error);
  EXPECT_THROW(graph.addDeviceToHostFIFO("out", HALF, 6, {{"depth", "3"}}), invalid_option);
  EXPECT_THROW(DataStream().handle(), poplar_error);
}

TEST_F(GraphTest, RemoteBuffersKeepTheirArguments) {
  const RemoteBuffer buffer = graph.addRemoteBuffer("r", FLOAT, 6, 10, true);
  EXPECT_EQ(buffer.handle(), "r");
  EXPECT_EQ(buffer.numElements(), 6u);
  EXPECT_EQ(buffer.getRepeats(), 10u);
  EXPECT_TRUE(buffer.isRearrangeOnHost());
  EXPECT_FALSE(buffer.isOptimisedForMemory());
  EXPECT_THROW(graph.addRemoteBuffer("r", FLOAT, 6), poplar_error);
}

class EstimatesTest : public GraphTest {
protected:
  EstimatesTest() {
    using popc::ElementType;
    using popc::FieldDirection;
    using popc::FieldKind;
    test::addVertexType(
        graph, "T",
        {test::field("in", FieldDirection::Input, FieldKind::Vector),
         test::field("rows", FieldDirection::Input, FieldKind::VectorOfVectors,
                     ElementType::UnsignedShort, 2),
         test::field("n", FieldDirection::State, FieldKind::Scalar, ElementType::Short, 2)});
    v = graph.addVertex(cs, "T");
    graph.addVertex(cs, "T");
    graph.connect(v["in"], graph.addVariable(FLOAT, {7}));
    graph.connect(v["rows"], {graph.addConstant<unsigned>(UNSIGNED_SHORT, {2}, {5, 6}),
                              graph.addConstant<unsigned>(UNSIGNED_SHORT, {1}, {7})});
    graph.setInitialValue(v["n"], -3);
  }
  ComputeSet cs = graph.addComputeSet("cs");
  VertexRef v;
};

TEST_F(EstimatesTest, AreMissingUnlessGiven) {
  EXPECT_FALSE(Estimates(graph).of(v.getId()).has_value());
}

TEST_F(EstimatesTest, ComeFromTheTypesEstimator) {
  graph.registerPerfEstimator("T", [](const VertexIntrospector &vertex, const Target &target) {
    const FieldData rows = vertex.getFieldInfo("rows");
    EXPECT_EQ(rows.rank(), 2u);
    EXPECT_EQ(rows.size(), 2u);
    EXPECT_EQ(rows[1].size(), 1u);
    EXPECT_EQ(rows.getInitialValues<std::vector<unsigned>>(target),
              (std::vector<std::vector<unsigned>>{{5, 6}, {7}}));
    EXPECT_EQ(vertex.getFieldInfo("n").getInitialValue<int>(target), -3);
    EXPECT_THROW(vertex.getFieldInfo("in").getInitialValues<float>(target), poplar_error);
    return VertexPerfEstimate(vertex.getFieldInfo("in").size(), 2);
  });
  const auto estimate = Estimates(graph).of(v.getId());
  ASSERT_TRUE(estimate.has_value());
  EXPECT_EQ(estimate->cycles, 7u);
  EXPECT_EQ(estimate->flops, 2u);
}

TEST_F(EstimatesTest, PreferTheVertexToItsType) {
  graph.registerPerfEstimator("T", [](const VertexIntrospector &, const Target &) { return 1; });
  graph.setPerfEstimate(v, 100, 20);
  EXPECT_EQ(Estimates(graph).of(v.getId())->cycles, 100u);
  EXPECT_EQ(Estimates(graph).of(v.getId())->flops, 20u);
  EXPECT_EQ(Estimates(graph).of(v.getId() + 1)->cycles, 1u);
}

/// Codelets are compiled by the system's compiler; the cache is in a folder of the test's own.
class CodeletsTest : public GraphTest {
protected:
  void SetUp() override {
    directory_ =
        std::filesystem::temp_directory_path() / ("copse-graph-test-" + std::to_string(::getpid()));
    std::filesystem::create_directories(directory_);
    ::setenv("COPSE_CACHE_DIR", (directory_ / "cache").c_str(), 1);
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }
  std::string write(const std::string &name, const std::string &text) const {
    std::ofstream(directory_ / name) << text;
    return (directory_ / name).string();
  }
  const std::string good_ = "#include <poplar/Vertex.hpp>\n"
                            "struct Twice : poplar::Vertex {\n"
                            "  poplar::Input<poplar::Vector<float>> in;\n"
                            "  poplar::Output<poplar::Vector<float>> out;\n"
                            "  bool compute() {\n"
                            "    for (unsigned i = 0; i < in.size(); ++i) out[i] = 2 * in[i];\n"
                            "    return true;\n  }\n};\n";

private:
  std::filesystem::path directory_;
};

TEST_F(CodeletsTest, AFileIsAddedOnceHoweverOftenItIsGiven) {
  const std::string path = write("twice.cpp", good_);
  EXPECT_TRUE(graph.addCodelets(path));
  EXPECT_TRUE(graph.addCodelets({path, path}));
  EXPECT_TRUE(graph.createVirtualGraph(0, 1).hasCodelet("Twice"));
  EXPECT_EQ(model().modules.size(), 1u);
  EXPECT_EQ(model().modules.front()->arch, popc::Architecture::Ipu2);
}

TEST_F(CodeletsTest, SourceTextMayComeFromAStream) {
  std::stringstream source(good_);
  graph.addCodelets(source);
  const Tensor t = graph.addVariable(FLOAT, {2, 4});
  EXPECT_NO_THROW(graph.addVertex(graph.addComputeSet(), "Twice", {{"in", t[0]}, {"out", t[1]}}));
}

TEST_F(CodeletsTest, APlaceholderMayDescribeAMissingVertex) {
  std::stringstream none(R"({"codelets": []})"), some(R"({"codelets": [{"name": "V"}]})"), bad("[");
  EXPECT_NO_THROW(graph.addCodeletPlaceholder(none, "Anything"));
  EXPECT_THROW(graph.addCodeletPlaceholder(some, "Anything"), graph_object_creation_error);
  EXPECT_THROW(graph.addCodeletPlaceholder(bad, "Anything"), parse_error);
}

TEST_F(CodeletsTest, AMissingFileIsNamed) {
  try {
    graph.addCodelets("no/such/file.cpp");
    FAIL() << "nothing was thrown";
  } catch (const file_load_error &e) {
    EXPECT_THAT(e.what(), HasSubstr("no/such/file.cpp"));
  }
  EXPECT_THROW(graph.addCodelets(write("bad.gp", "this is no .gp file")), file_load_error);
}

TEST_F(CodeletsTest, AFileThatLacksSymbolsOfAnotherIsRefused) {
  popc::CompileOptions options;
  options.targets = {popc::Architecture::Ipu2};
  options.mayLackSymbols = true;
  const auto modules = popc::compileSource("#include <poplar/Vertex.hpp>\nint helper(int);\n"
                                           "struct V : poplar::Vertex { int n; bool compute() { "
                                           "return helper(n); } };\n",
                                           "v.cpp", options);
  const std::string path = write("v.gp", "");
  std::ofstream file(path, std::ios::binary);
  popc::writeGp(file, modules);
  file.close();
  try {
    graph.addCodelets(path);
    FAIL() << "nothing was thrown";
  } catch (const graph_program_compilation_error &e) {
    EXPECT_THAT(e.what(), HasSubstr("v.cpp: error: undefined symbol 'helper(int)'"));
    EXPECT_THAT(e.what(), HasSubstr("v.gp"));
  }
  EXPECT_THROW(graph.addCodelets({path, write("twice.cpp", good_)}),
               graph_program_compilation_error);
}

TEST_F(CodeletsTest, ACompilersMessageIsPassedOn) {
  const std::string path = write("broken.cpp", "#include <poplar/Vertex.hpp>\nint x = nonsense;\n");
  std::ostringstream output;
  try {
    graph.addCodelets(path, CodeletFileType::Auto, "-O1", output);
    FAIL() << "nothing was thrown";
  } catch (const graph_program_compilation_error &e) {
    EXPECT_THAT(e.what(), HasSubstr("broken.cpp"));
    EXPECT_THAT(e.what(), HasSubstr("nonsense"));
  }
  EXPECT_THAT(output.str(), HasSubstr("nonsense"));
}

} // namespace
} // namespace copse::graph
