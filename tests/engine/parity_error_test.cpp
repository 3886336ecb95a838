// Tests parity errors of tile memory that the environment injects, through the public API.
#include "devices.hpp"

#include <cstdlib>
#include <poplar/exceptions.hpp>
#include <sstream>

namespace copse::test {
namespace {

using namespace poplar;
using namespace poplar::program;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr const char *kParityErrorCodelets = R"(
#include <poplar/Vertex.hpp>
struct AddAll : poplar::Vertex {
  poplar::Input<poplar::Vector<int>> in;
  poplar::Output<int> sum;
  bool compute() {
    int total = 0;
    for (unsigned i = 0; i < in.size(); ++i)
      total += in[i];
    *sum = total;
    return true;
  }
};
)";

/// Sets POPLAR_SIMULATOR_OPTIONS while a device starts.
class Injected {
public:
  explicit Injected(const std::string &errors) {
    ::setenv("POPLAR_SIMULATOR_OPTIONS", (R"({"parityErrors": ")" + errors + R"("})").c_str(), 1);
  }
  ~Injected() { ::unsetenv("POPLAR_SIMULATOR_OPTIONS"); }
  Injected(const Injected &) = delete;
  Injected &operator=(const Injected &) = delete;
};

/// Sums numbers of the last IPU's tile 0. They are the only variables there, so they lie at its
/// lowest addresses.
class ParityErrors : public OnEveryDevice {
protected:
  static constexpr unsigned kNumbers = 1000, kTile = 0;

  ParityErrors() {
    std::stringstream source(kParityErrorCodelets);
    graph_.addCodelets(source);
    const unsigned first = (GetParam().ipus - 1) * graph_.getTarget().getTilesPerIPU() + kTile;
    in_ = graph_.addVariable(INT, {kNumbers}, "in");
    const Tensor sum = graph_.addVariable(INT, {}, "sum");
    graph_.setTileMapping(in_, first);
    graph_.setTileMapping(sum, first);
    graph_.createHostWrite("in", in_);
    graph_.createHostRead("in", in_);
    graph_.createHostRead("sum", sum);
    const ComputeSet set = graph_.addComputeSet("set");
    graph_.setTileMapping(graph_.addVertex(set, "AddAll", {{"in", in_}, {"sum", sum}}), first);
    program_ = Execute(set);
  }
  int sum(Engine &engine) {
    write(engine, "in", std::vector<int>(kNumbers, 3));
    engine.run();
    return read<int>(engine, "sum", 1).front();
  }
  static std::string place(unsigned address) {
    return std::to_string(GetParam().ipus - 1) + ":0:" + std::to_string(address);
  }
  Tensor in_;
  Program program_;
};
INSTANTIATE_TEST_SUITE_P(Devices, ParityErrors, ::testing::ValuesIn(kModelAndTwoIpus), deviceName);

TEST_P(ParityErrors, EndTheRunThatReadsTheWordUntilTheDeviceIsReset) {
  const Injected error(place(0x4C000 + 400));
  Engine engine = load(program_);
  for (int load = 0; load < 2; ++load) {
    try {
      sum(engine);
      FAIL() << "nobody has noticed";
    } catch (const recoverable_runtime_error &e) {
      EXPECT_EQ(e.getRecoveryAction(), RecoveryAction::IPU_RESET);
      EXPECT_THAT(e.what(),
                  AllOf(HasSubstr("ipu " + std::to_string(GetParam().ipus - 1) +
                                  ", tile 0, "
                                  "worker 0: vertex 'AddAll' of compute set 'set' failed: "),
                        HasSubstr("parity error at address 0x4c190"), HasSubstr("reset")));
    }
    engine.load(device_); // does not mend it
  }
  device_.reset();
  engine.load(device_);
  EXPECT_EQ(sum(engine), 3 * static_cast<int>(kNumbers));
}

TEST_P(ParityErrors, AreNotNoticedWithoutARead) {
  const Injected error(place(0x60000) + " " + place(0xE0000));
  Engine engine = load(program_);
  EXPECT_EQ(sum(engine), 3 * static_cast<int>(kNumbers));
}

TEST_P(ParityErrors, AreDetectedByReadsOfTheHost) {
  const Injected error(place(0x4C000 + 400));
  Engine engine = load(program_);
  EXPECT_THROW(read<int>(engine, "in", kNumbers), recoverable_runtime_error);
}

struct BadErrors {
  const char *name, *text, *message;
};
const BadErrors kBad[] = {
    {"NoAddress", "0:5", "'0:5'; write IPU:TILE:ADDRESS"},
    {"NoNumber", "0:5:here", "'0:5:here'"},
    {"NoSuchTile", "0:5000:0x50000", "no tile 5000 of ipu 0"},
    {"NoSuchMemory", "0:5:0x100", "no tile 5 of ipu 0 with memory at 256"},
};
class WrongParityErrors : public ::testing::TestWithParam<BadErrors> {};
TEST_P(WrongParityErrors, AreRefused) {
  const Device device = IPUModel().createDevice();
  Engine engine(Graph{device}, Sequence());
  const Injected error(GetParam().text);
  try {
    engine.load(device);
    FAIL() << "accepted";
  } catch (const invalid_option &e) {
    EXPECT_THAT(e.what(),
                AllOf(HasSubstr("POPLAR_SIMULATOR_OPTIONS"), HasSubstr(GetParam().message)));
  }
}
INSTANTIATE_TEST_SUITE_P(Rows, WrongParityErrors, ::testing::ValuesIn(kBad),
                         [](const auto &p) { return p.param.name; });

} // namespace
} // namespace copse::test
