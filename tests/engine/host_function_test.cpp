#include "devices.hpp"

namespace copse::test {
namespace {

using namespace poplar;
using namespace poplar::program;

// Functions of the host program that the device program calls.
class HostFunctions : public OnEveryDevice {};
INSTANTIATE_TEST_SUITE_P(Devices, HostFunctions, ::testing::ValuesIn(kDevices), deviceName);

TEST_P(HostFunctions, GetAllInputsAndGiveAllOutputs) {
  const Tensor a = hostVariable(INT, {3}, "a"), b = hostVariable(INT, {}, "b", 1);
  const Tensor sum = hostVariable(INT, {}, "sum"), scaled = hostVariable(INT, {3}, "scaled", 1);
  const HostFunction f = graph_.addHostFunction("f", {{INT, 3}, {INT, 1}}, {{INT, 1}, {INT, 3}});
  EXPECT_EQ(f.handle(), "f");
  Engine engine = load(Repeat(2, Sequence({Call(f, {a, b}, {sum, scaled}), Copy(scaled, a)})));
  unsigned calls = 0;
  engine.connectHostFunction("f", [&](ArrayRef<const void *> in, ArrayRef<void *> out) {
    ++calls;
    ASSERT_EQ(in.size(), 2u);
    ASSERT_EQ(out.size(), 2u);
    const int *const x = static_cast<const int *>(in[0]), factor = *static_cast<const int *>(in[1]);
    *static_cast<int *>(out[0]) = x[0] + x[1] + x[2];
    for (int i = 0; i < 3; ++i)
      static_cast<int *>(out[1])[i] = factor * x[i];
  });
  write<int>(engine, "a", {1, 2, 3});
  write<int>(engine, "b", {10});
  engine.run();
  EXPECT_EQ(calls, 2u);
  EXPECT_EQ(read<int>(engine, "sum", 1)[0], 60) << "of what the first call gave";
  EXPECT_EQ(read<int>(engine, "scaled", 3), (std::vector<int>{100, 200, 300}));
}

TEST_P(HostFunctions, MayBeWrittenWithPointersAndSizes) {
  const Tensor x = hostVariable(FLOAT, {2}, "x");
  const HostFunction f = graph_.addHostFunction("f", {}, {{FLOAT, 2}});
  Engine engine = load(Call(f, {}, {x}));
  engine.connectHostFunction(
      "f", 0, [](const void *const *, std::size_t inputs, void *const *out, std::size_t outputs) {
        static_cast<float *>(out[0])[0] = static_cast<float>(inputs);
        static_cast<float *>(out[0])[1] = static_cast<float>(outputs);
      });
  engine.run();
  EXPECT_EQ(read<float>(engine, "x", 2), (std::vector<float>{0, 1}));
}

TEST_P(HostFunctions, ReceiveTheDescriptionsOfTheirArguments) {
  const Tensor c = hostVariable(INT, {4}, "c");
  const HostFunction none = graph_.addHostFunction("none", {}, {}),
                     gives = graph_.addHostFunction("gives", {}, {{INT, 4}}),
                     takes = graph_.addHostFunction("takes", {{INT, 4}}, {}),
                     empty = graph_.addHostFunction("empty", {{INT, 0}}, {});
  const Tensor nothing = graph_.addVariable(INT, {0});
  Engine engine = load(Sequence({Call(none, {}, {}), Call(gives, {}, {c}), Call(takes, {c}, {}),
                                 Call(empty, {nothing}, {})}));
  std::vector<std::string> told;
  for (const std::string name : {"none", "gives", "takes", "empty"})
    engine.connectHostFunction(
        name, 0, [&told, name](ArrayRef<const void *> inputs, ArrayRef<void *> outputs) {
          told.push_back(name + std::to_string(inputs.size()) + std::to_string(outputs.size()));
        });
  engine.run();
  EXPECT_THAT(told, ::testing::ElementsAre("none00", "gives01", "takes10", "empty10"));
}

TEST_P(HostFunctions, MayBeObjects) {
  struct Counter : HostCallback {
    explicit Counter(int &n) : calls(n) {}
    void operator()(ArrayRef<const void *>, ArrayRef<void *>) override { ++calls; }
    int &calls;
  };
  int calls = 0;
  const HostFunction f = graph_.addHostFunction("f", {}, {});
  Engine engine = load(Repeat(3, Call(f, {}, {})));
  engine.connectHostFunction("f", std::make_unique<Counter>(calls));
  engine.run();
  EXPECT_EQ(calls, 3);
}

TEST_P(HostFunctions, NeedNoArguments) {
  const HostFunction f = graph_.addHostFunction("f", {}, {});
  Engine engine = load(Repeat(3, Call(f, {}, {})));
  unsigned calls = 0;
  engine.connectHostFunction("f", [&](ArrayRef<const void *>, ArrayRef<void *>) { ++calls; });
  engine.run();
  EXPECT_EQ(calls, 3u);
}

TEST_P(HostFunctions, PassTheirExceptionsToTheRun) {
  struct Special {};
  const HostFunction f = graph_.addHostFunction("f", {}, {});
  Engine engine = load(Call(f, {}, {}));
  engine.connectHostFunction("f",
                             [](ArrayRef<const void *>, ArrayRef<void *>) { throw Special(); });
  EXPECT_THROW(engine.run(), Special);
}

TEST_P(HostFunctions, AreCheckedByNameAndNumberOfArguments) {
  const Tensor x = variable(INT, {2}, "x");
  const HostFunction f = graph_.addHostFunction("f", {{INT, 2}}, {});
  EXPECT_THROW(graph_.addHostFunction("f", {{INT, 2}}, {}), stream_connection_error);
  EXPECT_THROW(Call(f, {}, {}), control_program_error);
  EXPECT_THROW(Call(f, {x}, {x}), control_program_error);
  Engine engine = load(Call(f, {x}, {}));
  const auto nothing = [](ArrayRef<const void *>, ArrayRef<void *>) {};
  EXPECT_THROW(engine.connectHostFunction("g", nothing), stream_connection_error);
  EXPECT_THROW(engine.connectHostFunction("f", 1, nothing), stream_connection_error);
  EXPECT_THROW(engine.run(), stream_connection_error) << "nothing is connected";
}

TEST(HostFunctionsOfReplicas, AreCalledForEach) {
  const Device device = attach(TargetType::IPU, 2);
  Graph graph(device, replication_factor(2));
  const Tensor self = graph.addReplicationIndexConstant();
  const Tensor x = graph.addVariable(UNSIGNED_INT, {}, "x");
  graph.setTileMapping(self, 0);
  graph.setTileMapping(x, 0);
  graph.createHostRead("x", x);
  const HostFunction f = graph.addHostFunction("f", {{UNSIGNED_INT, 1}}, {{UNSIGNED_INT, 1}});
  Engine engine(graph, Call(f, {self}, {x}));
  engine.load(device);
  for (unsigned r = 0; r < 2; ++r)
    engine.connectHostFunction("f", r, [r](ArrayRef<const void *> in, ArrayRef<void *> out) {
      *static_cast<unsigned *>(out[0]) = 100 * r + *static_cast<const unsigned *>(in[0]);
    });
  engine.run();
  std::vector<unsigned> values(2);
  engine.readTensor("x", values.data(), values.data() + 2);
  EXPECT_EQ(values, (std::vector<unsigned>{0, 101}));
}

} // namespace
} // namespace copse::test
