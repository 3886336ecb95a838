// Tests tensors in files of their own.
#include "errors.hpp"
#include "model_writer.hpp"
#include "temporary_folder.hpp"

#include <gmock/gmock.h>

#include <fstream>

namespace copse::test {
namespace {

class OnnxExternalData : public ::testing::Test {
protected:
  /// Returns a model whose weights are two floats of a file, from the second on.
  onnx::Model modelWith(const std::string &location) {
    ModelWriter writer;
    writer.input("x", {2}).externalConstant("w", floats({2}, {0, 0}), location, 4);
    writer.node("Add", {"x", "w"}, {"y"}).output("y").write(path + "/model.onnx");
    return onnx::readModel(path + "/model.onnx");
  }
  void writeWeights(const std::vector<float> &values) {
    const std::vector<char> bytes = encodeElements(floats({values.size()}, values));
    std::ofstream(path + "/weights.bin", std::ios::binary)
        .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }
  std::string refusalOf(const std::string &location) {
    try {
      modelWith(location);
    } catch (const onnx::ModelError &error) {
      return error.what();
    }
    return "";
  }

  TemporaryFolder folder;
  std::string path = folder.path();
};

TEST_F(OnnxExternalData, IsReadFromItsOffsetInAFileOfTheModelsFolder) {
  writeWeights({1, 2.5f, -3});
  EXPECT_EQ(modelWith("weights.bin").initializers.at("w")->reals, (std::vector<float>{2.5f, -3}));
}

/// A cached executable for one file of weights must not be used for another.
TEST_F(OnnxExternalData, IsPartOfTheModelsDigest) {
  writeWeights({1, 2, 3});
  const std::string first = modelWith("weights.bin").digest;
  EXPECT_EQ(modelWith("weights.bin").digest, first);
  writeWeights({1, 2, 4});
  EXPECT_NE(modelWith("weights.bin").digest, first);
}

TEST_F(OnnxExternalData, IsRefusedOutsideTheFolderAndBeyondTheFile) {
  writeWeights({1, 2});
  EXPECT_THAT(refusalOf("weights.bin"), ::testing::HasSubstr("has only 8 bytes"));
  EXPECT_THAT(refusalOf("none.bin"), ::testing::HasSubstr("cannot be opened"));
  for (const char *outside : {"../weights.bin", "/etc/passwd", "a/../../weights.bin", ""})
    EXPECT_THAT(refusalOf(outside), ::testing::HasSubstr("is no file in the model's folder"))
        << outside;
}

} // namespace
} // namespace copse::test
