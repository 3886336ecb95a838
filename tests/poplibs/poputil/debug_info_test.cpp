#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <poputil/DebugInfo.hpp>
#include <sstream>

namespace {

using poputil::ArgType;
using poputil::toProfileValue;
using ::testing::HasSubstr;

enum class Colour { RED = 3 };
struct Point {
  int x;
};

} // namespace

namespace poputil {
template <> poplar::ProfileValue toProfileValue(const Point &point) { return point.x; }
} // namespace poputil

namespace {

std::string textOf(const poplar::ProfileValue &value) {
  std::ostringstream text;
  text << value;
  return text.str();
}

TEST(ProfileValues, DescribeArguments) {
  poplar::Graph graph(poplar::Target::createIPUTarget(1, 4, "ipu2"));
  const poplar::Tensor t = graph.addVariable(poplar::HALF, {2, 3});
  const float scale = 0.5f;
  const std::vector<std::size_t> dims = {0, 2};
  EXPECT_EQ(textOf(toProfileValue(scale)), "0.5");
  EXPECT_EQ(textOf(toProfileValue(Colour::RED)), "3");
  EXPECT_EQ(textOf(toProfileValue(Point{7})), "7");
  EXPECT_EQ(textOf(toProfileValue(std::string("text"))), "\"text\"");
  EXPECT_EQ(textOf(toProfileValue(dims)), "[0,2]");
  EXPECT_EQ(textOf(toProfileValue(std::vector<bool>{true, false})), "[true,false]");
  EXPECT_EQ(textOf(toProfileValue(&dims)), "[0,2]");
  EXPECT_EQ(textOf(toProfileValue(static_cast<const float *>(nullptr))), "null");
  EXPECT_EQ(textOf(toProfileValue(poplar::HALF)), "\"half\"");
  EXPECT_EQ(textOf(toProfileValue(t)), R"({"elementType":"half","shape":[2,3],"type":"tensor"})");
  EXPECT_EQ(textOf(toProfileValue(poplar::OptionFlags{{"a", "1"}})), R"({"a":"1"})");
  EXPECT_EQ(textOf(toProfileValue(std::pair<int, bool>(1, true))), R"({"first":1,"second":true})");
}

TEST(DebugArguments, HaveTheNamesOfTheirVariables) {
  const unsigned count = 4;
  const Point point{5};
  const std::vector<ArgType> args = DI_ARGS(count, point.x, std::max(1, 2), point);
  ASSERT_EQ(args.size(), 4u);
  EXPECT_EQ(args[0].n, "count");
  EXPECT_EQ(args[0].pv, poplar::ProfileValue(4u));
  EXPECT_EQ(args[1].n, "point.x");
  EXPECT_EQ(args[2].n, "std::max(1, 2)");
  EXPECT_EQ(args[3].pv, poplar::ProfileValue(5));
  EXPECT_TRUE(std::vector<ArgType>(DI_ARGS()).empty());
}

/// Executes an operation in the form of programs in the style of PopLibs.
void operation(poplar::Graph &graph, const poplar::Tensor &t, bool fast,
               const poplar::DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(t, fast));
  const poplar::Tensor out = graph.clone(t, {di, "out"});
  di.addOutputs(DI_ARGS(out));
}
void withoutArguments(const poplar::DebugContext &debugContext, const poplar::Tensor &t) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS());
  EXPECT_EQ(di.getPathName(), "mine/inner");
  di.addOutput(t);
}

TEST(OperationDebugInfo, RecordsFunctionArgumentsAndResults) {
  const std::filesystem::path file =
      std::filesystem::path(::testing::TempDir()) / "poputil_debug_info_test.json";
  poplar::Graph graph(poplar::Target::createIPUTarget(1, 4, "ipu2"));
  const poplar::Tensor t = graph.addVariable(poplar::FLOAT, {3});
  poplar::DebugInfo::initializeStreamer(file.string(), poplar::DebugSerializationFormat::JSON);
  operation(graph, t, true, "mine");
  withoutArguments({"mine/inner"}, t);
  poplar::DebugInfo::closeStreamer();
  std::stringstream text;
  text << std::ifstream(file).rdbuf();
  std::filesystem::remove(file);
  const std::string tensor = R"({"elementType":"float","shape":[3],"type":"tensor"})";
  EXPECT_THAT(text.str(), HasSubstr(R"("layer":"poplibs")"));
  EXPECT_THAT(text.str(), HasSubstr(R"("api":"operation")"));
  EXPECT_THAT(text.str(), HasSubstr(R"("args":{"fast":true,"t":)" + tensor + "}"));
  EXPECT_THAT(text.str(), HasSubstr(R"("outputs":{"out":)" + tensor + "}"));
  EXPECT_THAT(text.str(), HasSubstr(R"("api":"withoutArguments")"));
  EXPECT_THAT(text.str(), HasSubstr(R"("output":)" + tensor));
}

} // namespace
