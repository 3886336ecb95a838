#include "devices.hpp"

#include <poplar/exceptions.hpp>

namespace copse::test {
namespace {

using namespace poplar;
using namespace poplar::program;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class SimulatedErrors : public ::testing::Test {
protected:
  SimulatedErrors() : device_(IPUModel().createDevice()), graph_(device_) {
    const Tensor t = graph_.addVariable(INT, {}, "t");
    graph_.setTileMapping(t, 0);
    graph_.createHostRead("t", t);
    const Tensor one = graph_.addConstant(INT, {}, 1);
    graph_.setTileMapping(one, 0);
    in_ = graph_.addHostToDeviceFIFO("in", INT, 1);
    f_ = graph_.addHostFunction("f", {{INT, 1}}, {});
    programs_ = {Copy(one, t), Copy(in_, t), Call(f_, {t}, {})};
  }
  Engine loaded(const OptionFlags &options = {}) {
    Engine engine(graph_, programs_, options);
    engine.load(device_);
    return engine;
  }

  Device device_;
  Graph graph_;
  DataStream in_;
  HostFunction f_;
  std::vector<Program> programs_;
};

TEST_F(SimulatedErrors, ReplaceARun) {
  Engine engine = loaded();
  engine.insertSimulatedError(ErrorCode::MEMORY_ERROR);
  try {
    engine.run();
    FAIL();
  } catch (const recoverable_runtime_error &e) {
    EXPECT_EQ(e.getRecoveryAction(), RecoveryAction::IPU_RESET);
    EXPECT_THAT(e.what(), HasSubstr("simulated error MEMORY"));
  }
  int value = 7;
  engine.readTensor("t", &value, &value + 1);
  EXPECT_EQ(value, 0);
  engine.eraseSimulatedError(ErrorCode::MEMORY_ERROR);
  engine.run();
  engine.readTensor("t", &value, &value + 1);
  EXPECT_EQ(value, 1);
}

TEST_F(SimulatedErrors, ThrowTheExceptionsOfADevice) {
  Engine engine = loaded();
  engine.insertSimulatedError(ErrorCode::FLOATING_POINT_OVERFLOW);
  engine.insertSimulatedError(ErrorCode::HOST_SYNC_TIMEOUT);
  EXPECT_THROW(engine.run(), application_runtime_error);
  engine.eraseSimulatedError(ErrorCode::FLOATING_POINT_OVERFLOW);
  EXPECT_THROW(engine.run(), recoverable_runtime_error);
  engine.clearSimulatedErrors();
  engine.insertSimulatedError(ErrorCode::LINK_DOWN);
  EXPECT_THROW(engine.run(), recoverable_runtime_error);
  engine.clearSimulatedErrors();
  engine.insertSimulatedError(ErrorCode::IPU_MEMORY_FAILURE);
  EXPECT_THROW(engine.run(), unrecoverable_runtime_error);
  engine.clearSimulatedErrors();
  engine.insertSimulatedError(ErrorCode::UNKNOWN);
  EXPECT_THROW(engine.run(), unknown_runtime_error);
  EXPECT_THROW(engine.insertSimulatedError(ErrorCode::NONE), poplar_error);
}

TEST_F(SimulatedErrors, AppearInTheEnginesInformation) {
  Engine engine = loaded({{"debug.verify", "true"}});
  EXPECT_THAT(engine.listStreams(), ElementsAre("in"));
  EXPECT_EQ(engine.getEngineOptions().at("debug.verify"), "true");
}

} // namespace
} // namespace copse::test
