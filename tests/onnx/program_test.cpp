// Tests the program as a user starts it, and the files that it reads and writes.
#include "child_process.hpp"
#include "errors.hpp"
#include "model_writer.hpp"
#include "npy.hpp"
#include "spoiled_files.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <fstream>
#include <random>

namespace copse::test {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

TEST(NpyFiles, KeepTypesShapesAndElements) {
  const TemporaryFolder folder;
  const std::string path = folder.path() / "a.npy";
  const onnx::HostTensor reals = floats({2, 1, 2}, {1.5f, -2, 0, 1e30f});
  writeNpy(path, reals);
  EXPECT_EQ(onnx::readNpy(path).shape, reals.shape);
  EXPECT_EQ(onnx::readNpy(path).reals, reals.reals);
  for (const auto type : {onnx::ElementType::Int64, onnx::ElementType::Int8,
                          onnx::ElementType::UInt16, onnx::ElementType::Bool}) {
    const onnx::HostTensor integers = converted(onnx::integersOf({1, 0, 1}), type);
    writeNpy(path, integers);
    EXPECT_EQ(onnx::readNpy(path).type, type);
    EXPECT_EQ(onnx::readNpy(path).integers, integers.integers);
  }
}

TEST(NpyFiles, AreReadRowByRowEvenIfStoredByColumns) {
  const TemporaryFolder folder;
  const std::string path = folder.path() / "f.npy";
  std::string header = "{'descr': '|i1', 'fortran_order': True, 'shape': (2, 3), }\n";
  std::ofstream(path, std::ios::binary)
      << std::string("\x93NUMPY\x01\x00", 8) << static_cast<char>(header.size()) << '\0' << header
      << std::string("\1\2\3\4\5\6");
  EXPECT_EQ(onnx::readNpy(path).integers, (std::vector<std::int64_t>{1, 3, 5, 2, 4, 6}));
}

TEST(NpyFiles, AreRefusedIfTruncated) {
  const TemporaryFolder folder;
  const std::string path = folder.path() / "a.npy";
  writeNpy(path, floats({4}, {1, 2, 3, 4}));
  std::filesystem::resize_file(path, std::filesystem::file_size(path) - 1);
  EXPECT_THROW(onnx::readNpy(path), onnx::ModelError);
}

/// Returns a file of version 1 whose header is \p header.
std::string npyBytes(const std::string &header, const std::string &data) {
  return std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(header.size()) + '\0' + header +
         data;
}

void expectRefusal(const std::string &shape, const std::string &message) {
  const TemporaryFolder folder;
  const std::string path = folder.path() / "s.npy";
  std::ofstream(path, std::ios::binary)
      << npyBytes("{'descr': '|i1', 'fortran_order': False, 'shape': " + shape + ", }\n", "");
  try {
    onnx::readNpy(path);
    FAIL() << shape << " was read";
  } catch (const onnx::ModelError &error) {
    EXPECT_THAT(error.what(), HasSubstr(message));
  }
}

TEST(NpyFiles, AreRefusedIfTheirShapeIsTooLarge) {
  expectRefusal("(4294967296, 4294967296)", "more elements than can be counted");
  expectRefusal("(2, 9223372036854775808)", "more elements than can be counted");
  expectRefusal("(99999999999999999999,)", "no tuple of sizes");
  expectRefusal("(-1,)", "no tuple of sizes");
  expectRefusal("(2 3)", "no tuple of sizes");
  expectRefusal("3", "no tuple");
  expectRefusal("(1000000000,)", "0 bytes of data");
}

TEST(NpyFiles, AreRefusedIfTheyHaveMoreDimensionsThanNumPysArrays) {
  std::string sizes = "0"; // 65 of them
  for (unsigned i = 0; i < 64; ++i)
    sizes += ",1";
  expectRefusal("(" + sizes + ")", "more than 64 dimensions");
}

TEST(NpyFiles, AreReadOrRefusedWithAnyBytes) {
  const TemporaryFolder folder;
  const std::string path = folder.path() / "m.npy";
  const std::string whole = npyBytes("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }\n",
                                     std::string(24, '\1'));
  std::mt19937 draw(20);
  unsigned refused = 0;
  for (unsigned round = 0; round < 3000; ++round) {
    std::string bytes = whole.substr(0, round % 5 == 0 ? draw() % whole.size() : whole.size());
    for (unsigned change = draw() % 4; change > 0 && !bytes.empty(); --change)
      bytes[draw() % bytes.size()] =
          static_cast<char>(draw() % 2 == 0 ? draw() % 256 : "0123456789(),':- "[draw() % 17]);
    std::ofstream(path, std::ios::binary) << bytes;
    try {
      const onnx::HostTensor tensor = onnx::readNpy(path);
      EXPECT_EQ(tensor.elements(),
                isReal(tensor.type) ? tensor.reals.size() : tensor.integers.size());
    } catch (const onnx::ModelError &) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 1000u);
}

TEST(OnnxProgram, DrawsRandomInputs) {
  const TemporaryFolder folder;
  const std::string path = folder.path();
  ModelWriter writer;
  writer.input("x", {-1, 64}).node("Identity", {"x"}, {"y"}).output("y");
  writer.write(path + "/m.onnx");
  std::vector<std::vector<float>> drawn;
  for (const char *seed : {"random", "random:7", "random:7"}) {
    ChildProcess program({COPSE_PROGRAM, "onnx", path + "/m.onnx", "--device", "cpu", "--input",
                          std::string("x=") + seed, "--output", path});
    ASSERT_EQ(program.wait(60s), 0) << program.errors();
    drawn.push_back(onnx::readNpy(path + "/y.npy").reals);
  }
  EXPECT_EQ(drawn[0].size(), 64u);
  EXPECT_THAT(drawn[0], ::testing::Each(::testing::AllOf(::testing::Ge(-1), ::testing::Lt(1))));
  EXPECT_NE(drawn[0], drawn[1]);
  EXPECT_EQ(drawn[1], drawn[2]);
}

TEST(OnnxProgram, RefusesInputsThatTheModelLacks) {
  const TemporaryFolder folder;
  const std::string path = folder.path() / "m.onnx";
  ModelWriter writer;
  writer.input("x", {1, -1}).node("Identity", {"x"}, {"y"}).output("y").write(path);
  for (const auto &[input, message] : {std::pair{"z=random", "no input 'z'"},
                                       {"x=random", "dimension 1 is open"},
                                       {"x=random:", "no seed"}}) {
    ChildProcess program({COPSE_PROGRAM, "onnx", path, "--device", "cpu", "--input", input});
    EXPECT_EQ(program.wait(30s), 2);
    EXPECT_THAT(program.errors(), HasSubstr(message));
  }
}

TEST(OnnxProgram, WritesOutputsAndReportsModelledFigures) {
  const TemporaryFolder folder;
  const std::string path = folder.path();
  ModelWriter writer;
  writer.input("x", {-1, 2}).constant("one", floats({}, {1}));
  writer.node("Add", {"x", "one"}, {"sum"}).node("Tanh", {"sum"}, {"y/z"}).output("y/z");
  writer.write(path + "/m.onnx");
  onnx::writeNpy(path + "/x.npy", floats({2, 2}, {-1, 0, 1, 2}));
  ChildProcess program({COPSE_PROGRAM, "onnx", path + "/m.onnx", "--device", "ipumodel", "--input",
                        "x=" + path + "/x.npy", "--output", path + "/out"});
  ASSERT_EQ(program.wait(60s), 0) << program.errors();
  EXPECT_THAT(program.output(), HasSubstr("modelled latency"));
  EXPECT_THAT(program.output(), HasSubstr("batches/s"));
  const onnx::HostTensor y = onnx::readNpy(path + "/out/y_z.npy");
  EXPECT_EQ(y.shape, (onnx::Shape{2, 2}));
  EXPECT_FLOAT_EQ(y.reals[0], 0);
  EXPECT_NEAR(y.reals[3], std::tanh(3.0f), 1e-6);
}

TEST(OnnxProgram, SharesBatchesAmongReplicasOfSeveralIpusAndSummarisesTheProfile) {
  const TemporaryFolder folder;
  const std::string path = folder.path();
  ModelWriter writer;
  writer.input("x", {1, 2}).constant("one", floats({}, {1}));
  writer.node("Add", {"x", "one"}, {"sum"}).node("Tanh", {"sum"}, {"y"}).output("y");
  writer.write(path + "/m.onnx");
  onnx::writeNpy(path + "/x.npy", floats({4, 2}, {-1, 0, 1, 2, 3, -2, -3, 0.5f}));
  ChildProcess program({COPSE_PROGRAM, "onnx", path + "/m.onnx", "--device", "ipu", "--replicas",
                        "2", "--ipus-per-replica", "2", "--profile", "--input",
                        "x=" + path + "/x.npy", "--output", path});
  ASSERT_EQ(program.wait(120s), 0) << program.errors();
  const onnx::HostTensor y = onnx::readNpy(path + "/y.npy");
  EXPECT_EQ(y.shape, (onnx::Shape{4, 2}));
  EXPECT_NEAR(y.reals[2], std::tanh(2.0f), 1e-6);
  EXPECT_NEAR(y.reals[7], std::tanh(1.5f), 1e-6);
  EXPECT_THAT(program.output(), HasSubstr("4 batches"));
  for (const char *of : {"Total cycles", "Total compute cycles"})
    EXPECT_THAT(program.output(), HasSubstr(of));
}

std::size_t filesIn(const std::string &folder) {
  std::error_code none;
  return static_cast<std::size_t>(
      std::distance(std::filesystem::directory_iterator(folder, none), {}));
}

/// Runs a program with a cache of its own.
class CachedModel : public ::testing::Test {
protected:
  onnx::HostTensor run(const std::vector<std::string> &inputs) {
    std::vector<std::string> command{
        COPSE_PROGRAM, "onnx", path + "/m.onnx", "--device", "ipumodel", "--output", path};
    for (const std::string &input : inputs)
      command.insert(command.end(), {"--input", input});
    ChildProcess program(command, {{"COPSE_CACHE_DIR", path + "/cache"}});
    EXPECT_EQ(program.wait(60s), 0) << program.errors();
    return onnx::readNpy(path + "/y.npy");
  }
  std::size_t kept() const { return filesIn(path + "/cache/models"); }

  TemporaryFolder folder;
  std::string path = folder.path();
};

TEST_F(CachedModel, RunsWithOtherElements) {
  ModelWriter writer;
  writer.input("x", {-1}).constant("one", floats({}, {1}));
  writer.node("Add", {"x", "one"}, {"y"}).output("y").write(path + "/m.onnx");
  onnx::writeNpy(path + "/a.npy", floats({2}, {1, 2}));
  onnx::writeNpy(path + "/b.npy", floats({2}, {5, 6}));
  onnx::writeNpy(path + "/c.npy", floats({3}, {7, 8, 9}));
  EXPECT_EQ(run({"x=" + path + "/a.npy"}).reals, (std::vector<float>{2, 3}));
  EXPECT_EQ(kept(), 1U);
  EXPECT_EQ(run({"x=" + path + "/b.npy"}).reals, (std::vector<float>{6, 7}));
  EXPECT_EQ(kept(), 1U);
  EXPECT_EQ(run({"x=" + path + "/c.npy"}).reals, (std::vector<float>{8, 9, 10}));
  EXPECT_EQ(kept(), 2U) << "another shape is another program";
}

TEST_F(CachedModel, IsCompiledAgainForElementsThatShapeTheProgram) {
  ModelWriter writer;
  writer.input("x", {4}).input("shape", {2}, onnx::ElementType::Int64);
  writer.node("Reshape", {"x", "shape"}, {"y"}).output("y").write(path + "/m.onnx");
  onnx::writeNpy(path + "/x.npy", floats({4}, {1, 2, 3, 4}));
  onnx::writeNpy(path + "/wide.npy", onnx::integersOf({1, 4}));
  onnx::writeNpy(path + "/square.npy", onnx::integersOf({2, 2}));
  for (const auto &[file, shape] :
       {std::pair{"wide", onnx::Shape{1, 4}}, {"square", {2, 2}}, {"square", {2, 2}}})
    EXPECT_EQ(run({"x=" + path + "/x.npy", "shape=" + path + "/" + file + ".npy"}).shape, shape);
}

TEST_F(CachedModel, IsCompiledAgainIfItIsDamaged) {
  ModelWriter writer;
  writer.input("x", {1}).node("Neg", {"x"}, {"y"}).output("y").write(path + "/m.onnx");
  onnx::writeNpy(path + "/x.npy", floats({1}, {3}));
  run({"x=" + path + "/x.npy"});
  const std::filesystem::path file =
      std::filesystem::directory_iterator(path + "/cache/models")->path();
  for (const auto &[kind, spoil] : spoiledFiles()) {
    spoil(file);
    EXPECT_EQ(run({"x=" + path + "/x.npy"}).reals, std::vector<float>{-3}) << "it is " << kind;
    std::filesystem::remove_all(file);
    run({"x=" + path + "/x.npy"});
  }
}

TEST(OnnxProgram, RefusesANumberOfTilesForIpuDevices) {
  ChildProcess program(
      {COPSE_PROGRAM, "onnx", "m.onnx", "--device", "ipu", "--tiles-per-ipu", "4"});
  EXPECT_EQ(program.wait(30s), 2);
  EXPECT_THAT(program.errors(), HasSubstr("--device ipumodel"));
}

TEST(OnnxProgram, EndsWithCode2IfTheFileIsNotAModel) {
  const TemporaryFolder folder;
  const std::string path = folder.path() / "text.onnx";
  std::ofstream(path) << "no model at all";
  ChildProcess program({COPSE_PROGRAM, "onnx", path});
  EXPECT_EQ(program.wait(30s), 2);
  EXPECT_THAT(program.errors(), HasSubstr("text.onnx"));
}

} // namespace
} // namespace copse::test
