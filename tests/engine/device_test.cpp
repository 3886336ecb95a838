#include "devices.hpp"

#include <algorithm>
#include <memory>
#include <sys/resource.h>
#include <vector>

namespace copse::test {
namespace {

using namespace poplar;

TEST(DeviceManager, ListsSingleIpusFirstThenLegalGroups) {
  const auto devices = DeviceManager().getDevices();
  ASSERT_EQ(devices.size(), 16u + 8 + 4 + 2 + 1);
  EXPECT_EQ(devices[0].getTarget().getNumIPUs(), 1u);
  EXPECT_EQ(devices[16].getTarget().getNumIPUs(), 2u);
  EXPECT_EQ(devices[30].getTarget().getNumIPUs(), 16u);
  for (unsigned id = 0; id < devices.size(); ++id)
    EXPECT_EQ(devices[id].getId(), id);
}

TEST(DeviceManager, HasNoDeviceOfAnImpossibleSize) {
  for (const unsigned ipus : {0u, 3u, 18u, 64u})
    EXPECT_TRUE(DeviceManager().getDevices(TargetType::IPU, ipus).empty()) << ipus;
}

TEST(DeviceManager, KnowsTheDevicesWithinADevice) {
  const DeviceManager manager;
  const auto parents = manager.getDevices(TargetType::IPU, 4);
  ASSERT_FALSE(parents.empty());
  const Device &parent = parents.back();
  const auto children = manager.getChildDeviceIds(parent.getId(), 2);
  ASSERT_EQ(children.size(), 2u);
  std::vector<unsigned> ipus;
  for (const unsigned id : children)
    for (const unsigned ipu : manager.getDevice(id).getDriverIDs())
      ipus.push_back(ipu);
  EXPECT_EQ(ipus, parent.getDriverIDs());
  EXPECT_EQ(manager.getChildDeviceIds(parent.getId()).size(), 4u);
  EXPECT_TRUE(manager.getChildDeviceIds(0).empty());
  EXPECT_THROW(manager.getChildDeviceIds(1000), poplar_error);
}

TEST(DeviceManager, TakesTargetOptions) {
  const auto devices =
      DeviceManager().getDevices(TargetType::IPU, 4, {{"ipuLinkTopology", "torus"}});
  EXPECT_EQ(devices[0].getTarget().getIpuLinkTopology(), IpuLinkTopology::Torus);
  EXPECT_THROW(DeviceManager().getDevices(TargetType::IPU, 4, {{"ipuLinkTopolgy", "torus"}}),
               invalid_option);
}

TEST(Device, ExcludesOthersThatShareAnIpu) {
  const DeviceManager manager;
  const Device pair = manager.getDevice(16), first = manager.getDevice(0),
               third = manager.getDevice(2);
  EXPECT_TRUE(pair.attach());
  EXPECT_FALSE(first.attach());
  EXPECT_TRUE(third.attach());
  pair.detach();
  EXPECT_TRUE(first.attach());
}

TEST(Device, IsFreeAgainWhenItIsDestroyed) {
  const DeviceManager manager;
  { EXPECT_TRUE(manager.getDevice(5).attach()); }
  EXPECT_TRUE(manager.getDevice(5).attach());
}

TEST(Device, SharesNoIpusIfItIsAModel) {
  IPUModel model;
  const Device one = model.createDevice(), two = model.createDevice();
  EXPECT_TRUE(one.attach());
  EXPECT_TRUE(two.attach());
}

TEST(Device, NeedsNoAttachWhenItIsAModelOrACpu) {
  const Device devices[] = {IPUModel().createDevice(), Device::createCPUDevice()};
  for (const Device &device : devices) {
    EXPECT_TRUE(device.isAttached());
    Engine engine(Graph{device}, program::Sequence());
    engine.load(device);
    device.detach();
    EXPECT_NO_THROW(engine.run());
  }
}

/// ZeroMQ by default has the sockets of 120 IPUs in a process, and a shell allows the files of 56.
TEST(Device, HasAsManyIpusAsAModelSays) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit ofAShell = before;
  ofAShell.rlim_cur = std::min<rlim_t>(before.rlim_max, 1024);
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &ofAShell), 0);
  IPUModel model;
  model.numIPUs = 128;
  model.tilesPerIPU = 1;
  const Device device = model.createDevice();
  Graph graph(device.getTarget());
  const Tensor x = graph.addVariable(INT, {128}, "x"), y = graph.addVariable(INT, {128}, "y");
  for (unsigned ipu = 0; ipu < 128; ++ipu) {
    graph.setTileMapping(x[ipu], ipu);
    graph.setTileMapping(y[ipu], 127 - ipu);
  }
  graph.setInitialValue(x, 7);
  graph.createHostRead("y", y);
  Engine engine(graph, Copy(x, y));
  engine.load(device);
  engine.run();
  std::vector<int> values(128);
  engine.readTensor("y", values.data(), values.data() + values.size());
  EXPECT_THAT(values, ::testing::Each(7));
  ::setrlimit(RLIMIT_NOFILE, &before);
}

TEST(Device, StaysAttachedAsLongAsItsEngineLives) {
  const DeviceManager manager;
  {
    std::unique_ptr<Engine> engine;
    {
      Device device = manager.getDevice(7);
      ASSERT_TRUE(device.attach());
      Graph graph(device);
      engine = std::make_unique<Engine>(graph, program::Sequence());
      engine->load(device);
      device = Device(); // the same as destroyed
    }
    EXPECT_NO_THROW(engine->run());
    EXPECT_FALSE(manager.getDevice(7).attach()) << "the engine has it";
  }
  EXPECT_TRUE(manager.getDevice(7).attach());
}

TEST(Device, StaysWithItsEngineWhenItIsAModel) {
  int x = 0;
  const auto loaded = [&] {
    const Device device = IPUModel().createDevice();
    Graph graph(device);
    const Tensor t = graph.addVariable(INT, {}, VariableMappingMethod::LINEAR, "t");
    graph.createHostWrite("t", t);
    graph.createHostRead("t", t);
    Engine engine(graph, program::Sequence());
    engine.load(device);
    engine.writeTensor("t", &(x = 3), &x + 1);
    return engine;
  };
  Engine engine = loaded();
  engine.run();
  engine.readTensor("t", &(x = 0), &x + 1);
  EXPECT_EQ(x, 3);
}

TEST(Device, ComesBackFromAReset) {
  const Device device = attach(TargetType::IPU, 1);
  Graph graph(device);
  Engine engine(graph, program::Sequence());
  engine.load(device);
  device.reset();
  engine.load(device);
  EXPECT_NO_THROW(engine.run());
}

TEST(Device, ServesTwoEnginesInTurn) {
  const Device device = attach(TargetType::IPU, 1);
  const auto engineWith = [&](int value) {
    Graph graph(device);
    const Tensor x = graph.addVariable(INT, {}, "x");
    graph.setTileMapping(x, 0);
    graph.setInitialValue(x, value);
    graph.createHostRead("x", x);
    return Engine(graph, program::Sequence());
  };
  Engine one = engineWith(1), two = engineWith(2);
  one.load(device);
  two.load(device);
  int x = 0;
  two.readTensor("x", &x, &x + 1);
  EXPECT_EQ(x, 2);
  one.run(); // it was displaced, and loads again
  one.readTensor("x", &x, &x + 1);
  EXPECT_EQ(x, 1);
}

} // namespace
} // namespace copse::test
