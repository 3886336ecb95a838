#include "devices.hpp"

#include <poplar/CycleCount.hpp>
#include <sstream>
#include <utility>

namespace copse::test {
namespace {

using namespace poplar;
using namespace poplar::program;

// Tests what Engine.hpp, StreamCallback.hpp, RemoteBuffer.hpp and CycleCount.hpp document about a
// loaded program.
class EngineHeader : public OnEveryDevice {};
INSTANTIATE_TEST_SUITE_P(Devices, EngineHeader, ::testing::ValuesIn(kDevices), deviceName);

TEST_P(EngineHeader, ReadsAndWritesInEveryForm) {
  hostVariable(INT, {3}, "x");
  Engine engine = load(Sequence());
  const std::vector<int> values{1, 2, 3};
  std::vector<int> back(3);
  engine.writeTensor("x", values.data(), values.data() + 3);
  engine.readTensor("x", back.data());
  EXPECT_EQ(back, values);
  const std::vector<int> others{4, 5, 6};
  engine.writeTensor<int>("x", others);
  engine.readTensor<int>("x", back);
  EXPECT_EQ(back, others);
  engine.writeTensor("x", values.data());
  engine.readTensor(std::string("x"), &back[0], &back[0] + 3);
  EXPECT_EQ(back, values);
}

TEST_P(EngineHeader, IsMovedWithItsLoadedProgram) {
  const Tensor x = hostVariable(INT, {2}, "x");
  graph_.setInitialValue<int>(x, {1, 2});
  const DataStream out = graph_.addDeviceToHostFIFO("out", INT, 2);
  Engine first = load(Sequence({Copy(x[1], x[0]), Copy(x, out)}));
  int row[2] = {};
  first.connectStream("out", row);
  Engine second = std::move(first);
  second.run();
  EXPECT_EQ(row[0], 2);
  first = std::move(second);
  EXPECT_EQ(read<int>(first, "x", 2), (std::vector<int>{2, 2}));
}

TEST_P(EngineHeader, StreamsTakeBuffersInEveryForm) {
  const Tensor x = variable(INT, {2}, "x");
  const DataStream in = graph_.addHostToDeviceFIFO("in", INT, 2),
                   out = graph_.addDeviceToHostFIFO("out", INT, 2);
  Engine engine(graph_, Sequence({Copy(in, x), Copy(x, out)}));
  std::vector<int> from{1, 2}, to(2);
  engine.connectStream("in", from.data()); // before the load
  engine.connectStream("out", to.data(), to.data() + 2);
  engine.load(device_);
  engine.run();
  EXPECT_EQ(to, from);
  from = {3, 4}; // taken when the copy runs
  engine.connectStream<int>("out", to);
  engine.run();
  EXPECT_EQ(to, from);
  std::vector<int> ring{5, 6, 7, 8};
  engine.connectStream("in", ring.data(), ring.data() + 4); // replaces
  for (const int first : {5, 7, 5}) {
    engine.run();
    EXPECT_EQ(to, (std::vector<int>{first, first + 1}));
  }
}

TEST_P(EngineHeader, StreamsWithoutElementsStillCallBack) {
  const Tensor x = variable(INT, {0}, "x");
  const DataStream out = graph_.addDeviceToHostFIFO("out", INT, 0);
  Engine engine = load(Repeat(3, Copy(x, out)));
  int calls = 0;
  engine.connectStreamToCallback("out", [&](void *) { ++calls; });
  engine.run();
  EXPECT_EQ(calls, 3);
}

TEST_P(EngineHeader, CallbacksComeInTheOrderOfTheProgram) {
  const Tensor x = variable(INT, {1}, "x"), y = variable(INT, {1}, "y", 1);
  const DataStream a = graph_.addHostToDeviceFIFO("a", INT, 1),
                   b = graph_.addDeviceToHostFIFO("b", INT, 1),
                   c = graph_.addHostToDeviceFIFO("c", INT, 1);
  Engine engine = load(Repeat(2, Sequence({Copy(a, x), Copy(x, b), Copy(c, y), Copy(y, b)})));
  std::string order;
  engine.connectStreamToCallback("a", [&](void *p) { order += 'a', *static_cast<int *>(p) = 1; });
  engine.connectStreamToCallback("b",
                                 [&](void *p) { order += char('0' + *static_cast<int *>(p)); });
  engine.connectStreamToCallback("c", [&](void *p) { order += 'c', *static_cast<int *>(p) = 2; });
  engine.run();
  EXPECT_EQ(order, "a1c2a1c2");
}

TEST_P(EngineHeader, RemoteBuffersHoldRowsByNumber) {
  const RemoteBuffer buffer = graph_.addRemoteBuffer("rows", INT, 2, 4);
  const Tensor x = variable(INT, {2, 2}, "x"), offsets = variable(UNSIGNED_INT, {2}, "offsets"),
               one = variable(INT, {}, "one");
  graph_.setInitialValue<unsigned>(offsets, {3, 1});
  graph_.setInitialValue(one, 2);
  Engine engine = load(Sequence(
      {Copy(buffer, x, offsets), Copy(x.reverse(0), buffer, offsets), Copy(x[0], buffer, one)}));
  for (int row = 0; row < 4; ++row) {
    const int values[] = {10 * row, 10 * row + 1};
    engine.copyToRemoteBuffer(values, "rows", static_cast<std::uint64_t>(row));
  }
  engine.run();
  const int expected[4][2] = {{0, 1}, {30, 31}, {30, 31}, {10, 11}};
  for (unsigned row = 0; row < 4; ++row) {
    int values[2];
    engine.copyFromRemoteBuffer("rows", values, row);
    EXPECT_THAT(values, ::testing::ElementsAreArray(expected[row])) << "row " << row;
  }
  EXPECT_THROW(engine.copyToRemoteBuffer(expected, "rows", 4), poplar_error);
  EXPECT_THROW(engine.copyToRemoteBuffer(expected, "other", 0), poplar_error);
  EXPECT_THROW(engine.copyToRemoteBuffer(expected, "rows", 0, 1), poplar_error);
}

TEST_P(EngineHeader, TakesTurnsOnADeviceWithAnotherEngine) {
  const Tensor x = hostVariable(INT, {}, "x");
  const Program p = Copy(graph_.clone(x), x);
  graph_.setInitialValue(x, 1);
  Engine a = load(p), b = load(p);
  b.run();
  try {
    a.run(); // reloads, or says so
  } catch (const poplar_error &e) {
    EXPECT_THAT(e.what(), ::testing::HasSubstr("load"));
  }
  a.load(device_);
  a.run();
  EXPECT_EQ(read<int>(a, "x", 1)[0], 0);
}

TEST_P(EngineHeader, PrintsTimes) {
  Engine engine = load(Sequence());
  const Engine::TimePoint start = engine.getTimeStamp();
  engine.run(0, "named");
  const auto end = engine.getTimeStamp();
  EXPECT_LE(start, end);
  EXPECT_THAT(engine.reportTiming(start, end), ::testing::HasSubstr(" ms"));
}

TEST_P(EngineHeader, CompilesAndRunsProgramsOfAnExecutable) {
  const Tensor x = hostVariable(INT, {2}, "x");
  graph_.setInitialValue<int>(x, {1, 2});
  int last = 0, total = 0;
  Executable executable = compileGraph(graph_, {Copy(x[0], x[1]), Copy(x[1], x[0])}, {},
                                       [&](int done, int all) { last = done, total = all; });
  EXPECT_EQ(last, total);
  std::stringstream file;
  executable.serialize(file);
  Engine direct(std::move(executable)), fromFile(Executable::deserialize(file));
  for (Engine *engine : {&direct, &fromFile}) {
    engine->load(device_);
    engine->run(1);
    EXPECT_EQ(read<int>(*engine, "x", 2), (std::vector<int>{2, 2}));
  }
}

TEST_P(EngineHeader, CountsCyclesOfAModelledDevice) {
  Sequence short1, long1;
  const Tensor x = variable(FLOAT, {64}, "x");
  short1.add(Copy(x.slice(0, 32), x.slice(32, 64)));
  long1.add(Repeat(100, Copy(x.slice(0, 32), x.slice(32, 64))));
  for (const auto &[name, prog] : {std::pair{"short", &short1}, {"long", &long1}}) {
    const Tensor cycles = cycleCount(graph_, *prog, 0, SyncType::INTERNAL, name);
    EXPECT_EQ(cycles.shape(), (std::vector<std::size_t>{2}));
    graph_.createHostRead(name, cycles);
  }
  Engine engine = load(Sequence({short1, long1}));
  engine.run();
  const auto few = read<std::uint64_t>(engine, "short", 1)[0],
             many = read<std::uint64_t>(engine, "long", 1)[0];
  EXPECT_GT(few, 0u);
  EXPECT_GT(many, 10 * few);
  EXPECT_LT(many, 200 * few);
}

} // namespace
} // namespace copse::test
