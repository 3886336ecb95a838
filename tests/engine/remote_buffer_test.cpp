#include "devices.hpp"

#include <atomic>
#include <thread>

namespace copse::test {
namespace {

using namespace poplar;
using namespace poplar::program;
using ::testing::ElementsAre;

class RemoteBuffers : public OnEveryDevice {};
INSTANTIATE_TEST_SUITE_P(Devices, RemoteBuffers, ::testing::ValuesIn(kDevices), deviceName);

TEST_P(RemoteBuffers, KeepARowForTheProgram) {
  const RemoteBuffer buffer = graph_.addRemoteBuffer("b", INT, 4);
  const Tensor a = hostVariable(INT, {4}, "a"), b = hostVariable(INT, {4}, "b", 1);
  Engine engine = load(Sequence({Copy(a, buffer), Copy(buffer, b)}));
  write<int>(engine, "a", {1, 2, 3, 4});
  engine.run();
  EXPECT_THAT(read<int>(engine, "b", 4), ElementsAre(1, 2, 3, 4));
}

TEST_P(RemoteBuffers, KeepARowForTheirStreams) {
  const RemoteBuffer buffer = graph_.addRemoteBuffer("b", INT, 2);
  const Tensor a = hostVariable(INT, {2}, "a"), b = hostVariable(INT, {2}, "b", 1);
  Engine engine =
      load(Sequence({Copy(a, buffer.getIpuToHostStream()), Copy(buffer.getHostToIpuStream(), b)}));
  write<int>(engine, "a", {1, 2});
  engine.run();
  EXPECT_THAT(read<int>(engine, "b", 2), ElementsAre(1, 2));
  EXPECT_THAT(engine.listStreams(), ::testing::IsEmpty());
  int values[2] = {};
  try {
    engine.connectStream(buffer.getHostToIpuStream(), values);
    FAIL() << "nothing is to be connected";
  } catch (const stream_connection_error &e) {
    EXPECT_THAT(e.what(), ::testing::HasSubstr("copyToRemoteBuffer"));
  }
}

TEST_P(RemoteBuffers, FindRowsByOffsetsOfTheDevice) {
  const RemoteBuffer buffer = graph_.addRemoteBuffer("b", INT, 2, 5);
  const Tensor rows = hostVariable(UNSIGNED_INT, {3}, "rows"), x = hostVariable(INT, {3, 2}, "x");
  Engine engine = load(Copy(buffer, x, rows));
  for (int row = 0; row < 5; ++row) {
    const int values[2] = {10 * row, 10 * row + 1};
    engine.copyToRemoteBuffer(values, "b", static_cast<std::uint64_t>(row));
  }
  write<unsigned>(engine, "rows", {4, 0, 4});
  engine.run();
  EXPECT_THAT(read<int>(engine, "x", 6), ElementsAre(40, 41, 0, 1, 40, 41));
}

TEST_P(RemoteBuffers, CanBeReadByTheHost) {
  const RemoteBuffer buffer = graph_.addRemoteBuffer("b", INT, 2, 3);
  const Tensor row = hostVariable(UNSIGNED_INT, {}, "row"), x = hostVariable(INT, {2}, "x");
  Engine engine = load(Copy(x, buffer, row));
  write<int>(engine, "x", {5, 6});
  write<unsigned>(engine, "row", {2});
  engine.run();
  int values[2] = {};
  engine.copyFromRemoteBuffer("b", values, 2);
  EXPECT_THAT(values, ElementsAre(5, 6));
  EXPECT_THROW(engine.copyFromRemoteBuffer("b", values, 3), poplar_error);
}

TEST_P(RemoteBuffers, TakeRowsWithTheirSize) {
  graph_.addRemoteBuffer("b", INT, 2, 3);
  Engine engine = load(Sequence());
  const std::vector<int> row{5, 6};
  engine.copyToRemoteBuffer(ArrayRef<int>(row), "b", 1);
  std::vector<int> back(2);
  engine.copyFromRemoteBuffer("b", ArrayRef<int>(back), 1);
  EXPECT_EQ(back, row);
  back.resize(3);
  EXPECT_THROW(engine.copyFromRemoteBuffer("b", ArrayRef<int>(back), 1), poplar_error);
}

TEST_P(RemoteBuffers, AreWrittenAndReadBySeveralThreadsAtOnce) {
  constexpr unsigned kThreads = 4, kRows = 32, kElements = 5000;
  graph_.addRemoteBuffer("b", UNSIGNED_INT, kElements, kRows);
  Engine engine = load(Sequence()), other = load(Sequence()); // which displaces the first
  std::atomic<unsigned> wrong{0};
  std::vector<std::thread> threads;
  for (unsigned thread = 0; thread < kThreads; ++thread)
    threads.emplace_back([&, thread] {
      try {
        for (unsigned row = thread; row < kRows; row += kThreads) {
          const std::vector<unsigned> values(kElements, row);
          engine.copyToRemoteBuffer(values.data(), "b", row);
          std::vector<unsigned> back(kElements);
          engine.copyFromRemoteBuffer("b", back.data(), row);
          wrong += back != values;
        }
      } catch (const poplar_error &) {
        ++wrong;
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0u);
}

TEST_P(RemoteBuffers, RefuseARowOutOfRange) {
  const RemoteBuffer buffer = graph_.addRemoteBuffer("store", INT, 2, 3);
  const Tensor row = hostVariable(UNSIGNED_INT, {}, "row"), x = hostVariable(INT, {2}, "x");
  Engine engine = load(Copy(buffer, x, row));
  write<unsigned>(engine, "row", {3});
  try {
    engine.run();
    FAIL() << "row 3 of 3";
  } catch (const application_runtime_error &e) {
    EXPECT_THAT(e.what(),
                ::testing::AllOf(::testing::HasSubstr("store"), ::testing::HasSubstr("3")));
  }
}

} // namespace
} // namespace copse::test
