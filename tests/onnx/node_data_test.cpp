// Runs ONNX's own node tests: a model of one node each, inputs and outputs. ONNX's source package
// and its wheels contain them (onnx/backend/test/data/node), Debian's packages do not.
#include "errors.hpp"
#include "session.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

namespace copse::test {
namespace {

namespace fs = std::filesystem;

bool close(double a, double b) {
  return a == b || (std::isnan(a) && std::isnan(b)) ||
         std::abs(a - b) <= 1e-5 + 2e-3 * std::max(std::abs(a), std::abs(b));
}

/// \returns the difference; empty if there is none
std::string difference(const onnx::HostTensor &is, const onnx::HostTensor &expected) {
  if (is.type != expected.type || is.shape != expected.shape)
    return nameOf(is.type) + " " + onnx::textOf(is.shape) + " instead of " + nameOf(expected.type) +
           " " + onnx::textOf(expected.shape);
  for (std::size_t i = 0; i < is.elements(); ++i)
    if (!close(is.at(i), expected.at(i)))
      return "element " + std::to_string(i) + " is " + std::to_string(is.at(i)) + " instead of " +
             std::to_string(expected.at(i));
  return "";
}

/// \throws onnx::ModelError if the node is not supported
std::string runNodeTest(const fs::path &folder) {
  const onnx::Model model = onnx::readModel(folder / "model.onnx");
  const fs::path data = folder / "test_data_set_0";
  onnx::Request request;
  const char *const device = std::getenv("COPSE_ONNX_NODE_DEVICE");
  request.device = device == nullptr ? "cpu" : device;
  for (std::size_t i = 0; i < model.inputs.size(); ++i)
    request.inputs[model.inputs[i].name] =
        onnx::readTensor(data / ("input_" + std::to_string(i) + ".pb"));
  const onnx::Outcome outcome = onnx::runModel(model, request);
  for (std::size_t i = 0; i < model.outputs.size(); ++i) {
    const std::string wrong =
        difference(outcome.outputs.at(model.outputs[i]),
                   onnx::readTensor(data / ("output_" + std::to_string(i) + ".pb")));
    if (!wrong.empty())
      return "output " + std::to_string(i) + ": " + wrong;
  }
  return "";
}

TEST(OnnxNodeData, MatchesTheOutputsOfEverySupportedNode) {
  const char *const path = std::getenv("COPSE_ONNX_NODE_DATA");
  if (path == nullptr)
    GTEST_SKIP() << "COPSE_ONNX_NODE_DATA does not name a folder onnx/backend/test/data/node";
  unsigned right = 0, refused = 0, all = 0;
  for (const auto &entry : fs::directory_iterator(path)) {
    ++all;
    const std::string name = entry.path().filename();
    try {
      const std::string wrong = runNodeTest(entry.path());
      right += wrong.empty();
      EXPECT_EQ(wrong, "") << name;
    } catch (const onnx::ModelError &error) {
      ++refused;
      std::printf("not supported: %s: %s\n", name.c_str(), error.what());
    } catch (const std::exception &error) {
      ADD_FAILURE() << name << ": " << error.what();
    }
  }
  std::printf("node tests: %u of %u are right, %u are refused\n", right, all, refused);
  EXPECT_GT(right, 0u);
}

} // namespace
} // namespace copse::test
