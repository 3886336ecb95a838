// Tests what Target.hpp, Device.hpp, DeviceManager.hpp and IPUModel.hpp document, on every kind of
// device.
#include "devices.hpp"

#include <algorithm>
#include <set>
#include <string>

namespace copse::test {
namespace {

using namespace poplar;

struct MachineRow {
  const char *behaviour;
  bool (*holds)(const Device &device, const DeviceKind &kind);
};

/// Returns true if a program with one variable runs.
bool runs(const Device &device) {
  Graph graph(device);
  const Tensor x = graph.addVariable(INT, {2}, VariableMappingMethod::LINEAR, "x");
  graph.setInitialValue(x, 5);
  graph.createHostRead("x", x);
  Engine engine(graph, program::Sequence());
  engine.load(device);
  engine.run();
  int values[2] = {};
  engine.readTensor("x", values, values + 2);
  return values[0] == 5 && values[1] == 5;
}

bool isIpu(const DeviceKind &kind) { return kind.type == TargetType::IPU; }

const MachineRow kMachineRows[] = {
    {"its target has its kind and its IPUs",
     [](const Device &d, const DeviceKind &kind) {
       return d.getTarget().getTargetType() == kind.type && d.getTarget().getNumIPUs() == kind.ipus;
     }},
    {"there are as many tiles as IPUs have",
     [](const Device &d, const DeviceKind &kind) {
       return d.getTarget().getNumTiles() == kind.ipus * d.getTarget().getTilesPerIPU();
     }},
    {"only what is a chip has an architecture",
     [](const Device &d, const DeviceKind &kind) {
       try {
         return d.getTarget().getTargetArchString() == "ipu2" && kind.type != TargetType::CPU;
       } catch (const poplar_error &) {
         return kind.type == TargetType::CPU;
       }
     }},
    {"it is attached, and programs run",
     [](const Device &d, const DeviceKind &) { return d.isAttached() && runs(d); }},
    {"attaching again what is attached already",
     [](const Device &d, const DeviceKind &) { return d.attach() && d.isAttached(); }},
    {"detaching twice is harmless, and it can be attached again",
     [](const Device &d, const DeviceKind &kind) {
       d.detach();
       d.detach();
       return d.isAttached() != isIpu(kind) && d.attach() && runs(d);
     }},
    {"hardware that is not attached cannot be loaded",
     [](const Device &d, const DeviceKind &kind) {
       d.detach();
       try {
         return runs(d) && !isIpu(kind);
       } catch (const poplar_error &error) {
         return isIpu(kind) && std::string(error.what()).find("attach") != std::string::npos;
       }
     }},
    {"a reset device runs programs",
     [](const Device &d, const DeviceKind &) {
       d.reset();
       return runs(d);
     }},
    {"a moved device is the same device",
     [](const Device &d, const DeviceKind &) {
       Device first = d.createVirtualDevice(1);
       const unsigned id = first.getId();
       Device second = std::move(first);
       first = std::move(second);
       return first.getId() == id && first.getTarget().getTilesPerIPU() == 1;
     }},
    {"a virtual device has the same IPUs and fewer tiles",
     [](const Device &d, const DeviceKind &kind) {
       const Device some = d.createVirtualDevice(1);
       return some.getTarget().getNumTiles() == kind.ipus && some.attach() && runs(some);
     }},
    {"remote buffers are supported",
     [](const Device &d, const DeviceKind &) { return d.supportsRemoteBuffers(); }},
    {"each IPU has an id of its driver's",
     [](const Device &d, const DeviceKind &kind) {
       const auto ids = d.getDriverIDs();
       return ids.size() == kind.ipus &&
              std::set<unsigned>(ids.begin(), ids.end()).size() == kind.ipus;
     }},
    {"each IPU has a NUMA node",
     [](const Device &d, const DeviceKind &kind) {
       return d.getNumaTopology().size() == kind.ipus && !d.getNumaNodesUsedForIPUs().empty();
     }},
    {"the driver has a version",
     [](const Device &d, const DeviceKind &) {
       unsigned major = 99, minor = 99, point = 99;
       d.getDriverVersion(major, minor, point);
       return major != 99 && minor != 99 && point != 99;
     }},
    {"attributes are found by name, and by no other",
     [](const Device &d, const DeviceKind &) {
       for (const auto &attribute : d.getAttributes())
         if (d.getAttribute(attribute.first) != attribute.second)
           return false;
       try {
         d.getAttribute("no such attribute");
       } catch (const index_error &) {
         return true;
       }
       return false;
     }},
    {"its target is another's of the same kind",
     [](const Device &d, const DeviceKind &kind) {
       const auto others = DeviceManager().getDevices(kind.type, kind.ipus);
       return !others.empty() && others.front().getTarget() == d.getTarget() &&
              std::hash<Target>()(others.front().getTarget()) == std::hash<Target>()(d.getTarget());
     }},
    {"an engine for another target is refused",
     [](const Device &d, const DeviceKind &) {
       Graph graph(Target::createIPUTarget(1, 3, "ipu1"));
       Engine engine(graph, program::Sequence());
       try {
         engine.load(d);
       } catch (const poplar_error &) {
         return true;
       }
       return false;
     }},
    {"a graph for it compiles without it",
     [](const Device &d, const DeviceKind &) {
       const Target target = d.getTarget();
       d.detach();
       Graph graph(target);
       const Executable executable = compileGraph(graph, {program::Sequence()});
       return true;
     }},
};

class MachineHeaders : public ::testing::TestWithParam<RowOnDevice<MachineRow>> {};
INSTANTIATE_TEST_SUITE_P(Rows, MachineHeaders, onEveryDevice(kMachineRows), rowName<MachineRow>);

TEST_P(MachineHeaders, BehaveAsDocumented) {
  const auto &[kind, row] = GetParam();
  EXPECT_TRUE(row.holds(attach(kind.type, kind.ipus), kind)) << row.behaviour;
}

TEST(IPUModelHeader, FiguresReachTheTarget) {
  IPUModel model("ipu1");
  model.numIPUs = 2;
  model.tilesPerIPU = 5;
  model.tileClockFrequency = 1e9;
  model.exchangeBytesPerCycle = 16;
  model.minIPUSyncDelay = 77;
  model.globalExchangeConstraints.push_back({1e9, {{0, 1}, {1, 0}}});
  const Device device = model.createDevice({}, false, 12);
  const Target &target = device.getTarget();
  EXPECT_EQ(device.getId(), 12u);
  EXPECT_EQ(target.getTargetArchString(), "ipu1");
  EXPECT_EQ(target.getNumTiles(), 10u);
  EXPECT_EQ(target.getTileClockFrequency(), 1e9);
  EXPECT_EQ(target.getExchangeBytesPerCycle(), 16u);
  EXPECT_EQ(target.getMinIPUSyncDelay(), 77u);
  EXPECT_EQ(target.getGlobalExchangeConstraints(), model.globalExchangeConstraints);
  EXPECT_TRUE(runs(device));
}

TEST(SimulatorDevice, RunsAnyIpuTarget) {
  for (const char *version : {"ipu1", "ipu2", "ipu21"})
    for (const unsigned ipus : {1u, 3u}) {
      const Device device =
          Device::createSimulatorDevice(Target::createIPUTarget(ipus, 4, version));
      EXPECT_EQ(device.getTarget().getTargetArchString(), version);
      EXPECT_TRUE(runs(device)) << version << ", " << ipus << " IPUs";
    }
}

TEST(SimulatorDevice, RunsPopartsSystem) {
  const Target target = Target::createIPUTarget(2, 8, "_VIRTUAL_GRAPH_TEST_16");
  EXPECT_EQ(target.getTilesPerIPU(), 8u);
  EXPECT_TRUE(runs(Device::createSimulatorDevice(target)));
}

} // namespace
} // namespace copse::test
