#include "operation_run.hpp"
#include "popnn/Pooling.hpp"

#include <algorithm>
#include <poplar/exceptions.hpp>
#include <poputil/exceptions.hpp>

namespace copse::test {
namespace {

using poplar::FLOAT;
using poplar::HALF;
using poplar::Tensor;
using popnn::PoolingType;
using popnn::pooling::PoolParams;
using Window = std::vector<std::size_t>;

/// Returns the windows of one dimension, computed from the sizes alone: for each output the inputs
/// in it.
std::vector<Window> windowsOf(const PoolParams &p, std::size_t d) {
  const int size = static_cast<int>(p.inputFieldShape[d]);
  const int lower = p.inputTruncationOrPaddingLower[d], upper = p.inputTruncationOrPaddingUpper[d];
  std::vector<int> padded;
  for (int i = -lower; i < size + upper; ++i)
    padded.push_back(i >= 0 && i < size ? i : -1);
  std::vector<Window> windows;
  for (std::size_t o = 0; o + p.kernelShape[d] <= padded.size(); o += p.stride[d]) {
    windows.emplace_back();
    for (std::size_t k = 0; k != p.kernelShape[d]; ++k)
      if (padded[o + k] >= 0)
        windows.back().push_back(static_cast<std::size_t>(padded[o + k]));
  }
  return windows;
}

/// Returns, for each output of the whole tensor, the inputs in its window. Two field dimensions.
std::vector<Window> allWindows(const PoolParams &p) {
  std::vector<Window> windows;
  for (std::size_t plane = 0; plane != p.batchSize * p.numChannels; ++plane)
    for (const Window &ys : windowsOf(p, 0))
      for (const Window &xs : windowsOf(p, 1)) {
        windows.emplace_back();
        for (const std::size_t y : ys)
          for (const std::size_t x : xs)
            windows.back().push_back((plane * p.inputFieldShape[0] + y) * p.inputFieldShape[1] + x);
      }
  return windows;
}

double pooledOf(PoolingType type, const Values &in, const Window &window) {
  double result = type == PoolingType::MAX ? -1e9 : 0;
  for (const std::size_t i : window)
    result = type == PoolingType::MAX ? std::max(result, in[i]) : result + in[i];
  return type == PoolingType::AVG ? result / static_cast<double>(window.size()) : result;
}

std::vector<PoolParams> cases(PoolingType type, const poplar::Type &elements) {
  return {
      {type, {6, 8}, {2, 2}, {2, 2}, {0, 0}, {0, 0}, 3, 2, elements},
      {type, {7, 5}, {3, 2}, {1, 1}, {1, 0}, {1, 1}, 17, 1, elements},
      {type, {9, 9}, {3, 3}, {2, 3}, {-1, 1}, {0, -2}, 4, 2, elements},
      {type, {5, 5}, {1, 2}, {3, 4}, {0, 0}, {0, 0}, 1, 3, elements},
  };
}

class Pooling : public ::testing::TestWithParam<Machine> {};

TEST_P(Pooling, ForwardAndGradientEqualPlainLoops) {
  for (const poplar::Type &type : {FLOAT, HALF})
    for (const PoolingType kind : {PoolingType::MAX, PoolingType::AVG, PoolingType::SUM})
      for (const PoolParams &p : cases(kind, type)) {
        SCOPED_TRACE(::testing::Message() << p);
        const bool max = kind == PoolingType::MAX;
        const auto windows = allWindows(p);
        const Shape inShape{p.batchSize, p.numChannels, p.inputFieldShape[0], p.inputFieldShape[1]};
        OperationRun c(GetParam());
        std::mt19937 random(1);
        Values in = randomValues(random, type, elementsOf(inShape));
        for (double &x : in)
          x = std::round(x * 4) / 4; // some are equal
        Values pooled(windows.size()), gradient = randomValues(random, type, windows.size());
        Values expected(in.size()), shared(in.size());
        for (std::size_t o = 0; o != windows.size(); ++o) {
          pooled[o] = pooledOf(kind, in, windows[o]);
          const auto equal = std::count_if(windows[o].begin(), windows[o].end(),
                                           [&](std::size_t i) { return in[i] == pooled[o]; });
          for (const std::size_t i : windows[o]) {
            if (max && in[i] != pooled[o])
              continue;
            const double weight =
                kind == PoolingType::AVG ? 1.0 / static_cast<double>(windows[o].size()) : 1.0;
            expected[i] += gradient[o] * weight;
            shared[i] += max ? gradient[o] / static_cast<double>(equal) : 0;
          }
        }
        const Tensor I = c.input(type, inShape, in);
        const Tensor out = popnn::pooling::pool(c.graph, p, I, c.prog);
        ASSERT_EQ(out.numElements(), windows.size());
        const Tensor G = c.input(type, out.shape(), gradient);
        const auto forward = c.output(out);
        const Tensor back = popnn::pooling::poolInputGradient(c.graph, p, I, out, G, false, c.prog);
        ASSERT_EQ(back.shape(), inShape);
        const auto backward = c.output(back);
        const auto other =
            c.output(max ? popnn::pooling::poolInputGradient(c.graph, p, I, out, G, true, c.prog)
                         : popnn::pooling::poolInputGradient(c.graph, p, 1, G, c.prog));
        c.run();
        const double relative = type == HALF ? 0.01 : 1e-4, absolute = type == HALF ? 4e-3 : 1e-5;
        EXPECT_TRUE(areClose(c.read(forward), pooled, relative, absolute));
        EXPECT_TRUE(areClose(c.read(backward), expected, relative, absolute));
        EXPECT_TRUE(areClose(c.read(other), max ? shared : expected, relative, absolute));
      }
}

INSTANTIATE_TEST_SUITE_P(Devices, Pooling,
                         ::testing::Values(Machine::Cpu, Machine::Model, Machine::TwoIpuModel),
                         [](const auto &p) { return machineName(p.param); });

TEST(PoolingErrors, NameTheReason) {
  OperationRun c(Machine::Model);
  const PoolParams p(PoolingType::MAX, {4, 4}, {2, 2}, {2, 2}, {0, 0}, {0, 0}, 3, 2, FLOAT);
  const auto message = [&](const PoolParams &params, const Shape &shape) {
    try {
      popnn::pooling::pool(c.graph, params, c.variable(FLOAT, shape), c.prog);
    } catch (const poputil::poplibs_error &e) {
      return std::string(e.what());
    }
    return std::string("no error");
  };
  EXPECT_EQ(message(p, {2, 3, 4, 5}), "pool: the input must be float of shape {2,3,4,4} by the "
                                      "parameters, not float of shape {2,3,4,5}");
  PoolParams wrong = p;
  wrong.stride = {1, 0};
  EXPECT_EQ(message(wrong, {2, 3, 4, 4}), "pool: the stride is zero in field dimension 1");
  EXPECT_THROW(popnn::pooling::pool(c.graph, p, c.variable(FLOAT, {2, 3, 4, 4}), c.prog, {},
                                    {{"optimiseForSpeed", "true"}}),
               poplar::invalid_option);
}

} // namespace
} // namespace copse::test
