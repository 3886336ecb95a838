// The program as a user starts it, and the files that it reads and writes.
#include "child_process.hpp"
#include "errors.hpp"
#include "model_writer.hpp"
#include "npy.hpp"

#include <gmock/gmock.h>

#include <fstream>

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

TEST(NpyFiles, InOrderOfColumnsAreReadRowByRow) {
  const TemporaryFolder folder;
  const std::string path = folder.path() / "f.npy";
  std::string header = "{'descr': '|i1', 'fortran_order': True, 'shape': (2, 3), }\n";
  std::ofstream(path, std::ios::binary)
      << std::string("\x93NUMPY\x01\x00", 8) << static_cast<char>(header.size()) << '\0' << header
      << std::string("\1\2\3\4\5\6");
  EXPECT_EQ(onnx::readNpy(path).integers, (std::vector<std::int64_t>{1, 3, 5, 2, 4, 6}));
}

TEST(NpyFiles, ThatAreCutOffAreRefused) {
  const TemporaryFolder folder;
  const std::string path = folder.path() / "a.npy";
  writeNpy(path, floats({4}, {1, 2, 3, 4}));
  std::filesystem::resize_file(path, std::filesystem::file_size(path) - 1);
  EXPECT_THROW(onnx::readNpy(path), onnx::ModelError);
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

TEST(OnnxProgram, EndsWithTwoIfTheFileIsNoModel) {
  const TemporaryFolder folder;
  const std::string path = folder.path() / "text.onnx";
  std::ofstream(path) << "no model at all";
  ChildProcess program({COPSE_PROGRAM, "onnx", path});
  EXPECT_EQ(program.wait(30s), 2);
  EXPECT_THAT(program.errors(), HasSubstr("text.onnx"));
}

} // namespace
} // namespace copse::test
