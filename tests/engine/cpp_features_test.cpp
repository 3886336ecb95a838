// Tests C++20 in codelets: a feature computes the same on a device as on the host.
#include "cpp_features.hpp"
#include "devices.hpp"

#include <bit>
#include <sstream>
#include <tuple>

namespace copse::test {
namespace {

using namespace poplar;
using namespace poplar::program;

/// One vertex class for each feature.
const char *const kFeatureCodelets = R"(
#include <poplar/Vertex.hpp>
#include "cpp_features.hpp"
template <class Feature> class Runs : public poplar::Vertex {
public:
  poplar::Input<poplar::Vector<float>> in;
  poplar::Output<poplar::Vector<float>> out;
  bool compute() {
    Feature::run(&in[0], &out[0]);
    return true;
  }
};
#define INSTANTIATE(Name) template class Runs<features::Name>;
COPSE_CPP_FEATURES(INSTANTIATE)
)";

struct Feature {
  const char *name;
  void (*run)(const float *in, float *out);
};
#define COPSE_ROW(Name) {#Name, features::Name::run},
const Feature kFeatures[] = {COPSE_CPP_FEATURES(COPSE_ROW)};
#undef COPSE_ROW

class CppFeatures : public OnDevice,
                    public ::testing::WithParamInterface<std::tuple<Feature, DeviceKind>> {
protected:
  CppFeatures() : OnDevice(std::get<1>(GetParam())) {}
};

TEST_P(CppFeatures, ComputeTheSameAsTheHost) {
  const Feature &feature = std::get<0>(GetParam());
  std::vector<float> in(features::kCount), expected(features::kCount), out(features::kCount);
  for (std::size_t i = 0; i < in.size(); ++i)
    in[i] = static_cast<float>(static_cast<int>(i * 37 % 23) - 8) / 2;
  feature.run(in.data(), expected.data());

  std::stringstream codelets(kFeatureCodelets);
  graph_.addCodelets(codelets, "-std=c++20 -Wall -Wextra -Werror -I " + std::string(ENGINE_TESTS));
  const Tensor x = graph_.addVariable(FLOAT, {features::kCount}, "in"),
               y = graph_.addVariable(FLOAT, {features::kCount}, "out");
  const ComputeSet set = graph_.addComputeSet("set");
  const VertexRef v = graph_.addVertex(set, "Runs<features::" + std::string(feature.name) + ">",
                                       {{"in", x}, {"out", y}});
  for (const Tensor &t : {x, y})
    graph_.setTileMapping(t, 0);
  graph_.setTileMapping(v, 0);
  graph_.createHostWrite("in", x);
  graph_.createHostRead("out", y);
  Engine engine(graph_, Execute(set));
  engine.load(device_);
  engine.writeTensor("in", in.data(), in.data() + in.size());
  engine.run(0);
  engine.readTensor("out", out.data(), out.data() + out.size());
  for (std::size_t i = 0; i < out.size(); ++i)
    EXPECT_EQ(std::bit_cast<std::uint32_t>(out[i]), std::bit_cast<std::uint32_t>(expected[i]))
        << "element " << i << ": " << out[i] << " instead of " << expected[i];
}

const DeviceKind kCpuModelAndIpu[] = {{"Cpu1", TargetType::CPU, 1},
                                      {"Model1", TargetType::IPU_MODEL, 1},
                                      {"Ipu1", TargetType::IPU, 1}};

INSTANTIATE_TEST_SUITE_P(Table, CppFeatures,
                         ::testing::Combine(::testing::ValuesIn(kFeatures),
                                            ::testing::ValuesIn(kCpuModelAndIpu)),
                         [](const auto &p) {
                           return std::string(std::get<0>(p.param).name) + "On" +
                                  std::get<1>(p.param).name;
                         });

} // namespace
} // namespace copse::test
