#include "experiment.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <memory>
#include <poplar/CycleCount.hpp>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <stdexcept>
#include <utility>

namespace host_io {
namespace {

using poplar::DataStream;
using poplar::Tensor;
using poplar::program::Copy;
using poplar::program::Repeat;
using poplar::program::Sequence;
using Clock = std::chrono::steady_clock;

/// Makes rows: every one is the replica's pattern with its own number in front.
class Source : public poplar::StreamCallback {
public:
  Source(std::vector<std::uint32_t> pattern, double fillMicroseconds)
      : pattern_(std::move(pattern)),
        work_(std::chrono::duration_cast<Clock::duration>(
            std::chrono::duration<double, std::micro>(fillMicroseconds))) {}

  void fetch(void *row) override {
    const Clock::time_point end = Clock::now() + work_;
    pattern_.front() = next_++;
    std::memcpy(row, pattern_.data(), 4 * pattern_.size());
    while (Clock::now() < end) {
    }
  }
  Result prefetch(void *row) override {
    fetch(row);
    return Success;
  }
  void complete() override { ++used_; }
  void invalidatePrefetched() override { next_ = used_; }

private:
  std::vector<std::uint32_t> pattern_;
  Clock::duration work_;
  std::uint32_t next_ = 0, used_ = 0;
};

/// Takes rows, and notices when one is not the next of its replica.
struct Sink {
  std::vector<std::uint32_t> last; ///< a row
  std::size_t rows = 0;
  bool inOrder = true;

  void take(const void *row, bool numbered) {
    std::memcpy(last.data(), row, 4 * last.size());
    inOrder = inOrder && (!numbered || last.front() == rows);
    ++rows;
  }
};

std::vector<std::uint32_t> patternOf(unsigned replica, std::size_t words) {
  std::vector<std::uint32_t> pattern(words);
  for (std::size_t i = 0; i < words; ++i)
    pattern[i] = static_cast<std::uint32_t>(i * 2654435761u + replica);
  return pattern;
}

/// Returns the stream copies of a point, `transfers` times, and the clock cycles that they take.
Sequence buildProgram(poplar::Graph &graph, const Point &point) {
  const std::size_t words = point.bytes / 4;
  const Tensor data = graph.addVariable(poplar::UNSIGNED_INT, {words},
                                        poplar::VariableMappingMethod::LINEAR, "data");
  Sequence copies;
  if (point.direction != "out") {
    const DataStream in = graph.addHostToDeviceFIFO(
        "in", poplar::UNSIGNED_INT, words, poplar::ReplicatedStreamMode::REPLICATE,
        {{"bufferingDepth", std::to_string(point.depth)}});
    copies.add(Copy(in, data, "in"));
  }
  if (point.direction == "out")
    graph.setInitialValue(data, 0u); // otherwise uninitialised memory would be read
  if (point.direction != "in")
    copies.add(Copy(data, graph.addDeviceToHostFIFO("out", poplar::UNSIGNED_INT, words), "out"));
  Sequence timed({Repeat(static_cast<unsigned>(point.transfers), copies)});
  const Tensor cycles = poplar::cycleCount(graph, timed, 0, poplar::SyncType::EXTERNAL);
  const DataStream cyclesOut =
      graph.addDeviceToHostFIFO("cycles", poplar::UNSIGNED_INT, cycles.numElements());
  return Sequence({timed, Copy(cycles, cyclesOut)});
}

void checkRows(const Point &point, const std::vector<Sink> &sinks) {
  for (unsigned replica = 0; replica < point.replicas; ++replica) {
    auto expected = patternOf(replica, point.bytes / 4);
    expected.front() = static_cast<std::uint32_t>(point.transfers - 1);
    const Sink &sink = sinks[replica];
    const bool same = point.direction != "both" || sink.last == expected;
    if (sink.rows != point.transfers || !sink.inOrder || !same)
      throw std::runtime_error("replica " + std::to_string(replica) +
                               ": what came back is not what was sent");
  }
}

} // namespace

double Point::totalBytes() const {
  return static_cast<double>(bytes) * static_cast<double>(transfers) * replicas *
         (direction == "both" ? 2 : 1);
}

std::vector<Point> pointsOf(const Options &options) {
  std::vector<Point> points;
  for (const unsigned replicas : options.replicas)
    for (const std::string &direction : options.directions)
      for (const std::size_t bytes : options.bytes) {
        Point point;
        point.direction = direction;
        point.replicas = replicas;
        point.bytes = bytes;
        point.transfers = std::clamp<std::size_t>(options.bytesPerPoint / bytes, 4, 1000);
        if (options.prefetch != "on" || direction == "out")
          points.push_back(point);
        point.prefetch = true;
        if (options.prefetch == "off" || direction == "out")
          continue;
        for (const unsigned depth : options.depths) {
          point.depth = depth;
          points.push_back(point);
        }
      }
  return points;
}

void measure(Point &point, const Options &options, const poplar::Device &device) {
  poplar::Graph graph(device.getTarget(), poplar::replication_factor(point.replicas));
  const double clock = graph.getTarget().getTileClockFrequency();
  const Sequence program = buildProgram(graph, point);
  poplar::Engine engine(graph, program,
                        {{"exchange.enablePrefetch", point.prefetch ? "true" : "false"},
                         {"exchange.streamBufferOverlap", "none"}});
  std::vector<Sink> sinks(point.replicas);
  std::vector<std::uint64_t> cycles(point.replicas);
  engine.connectStream("cycles", cycles.data(), cycles.data() + cycles.size());
  for (unsigned replica = 0; replica < point.replicas; ++replica) {
    const std::size_t words = point.bytes / 4;
    if (point.direction != "out")
      engine.connectStreamToCallback(
          "in", replica,
          std::make_unique<Source>(patternOf(replica, words), options.fillMicroseconds));
    if (point.direction != "in") {
      Sink &sink = sinks[replica];
      sink.last.resize(words);
      const bool numbered = point.direction == "both";
      engine.connectStreamToCallback("out", replica,
                                     [&sink, numbered](void *row) { sink.take(row, numbered); });
    }
  }
  engine.load(device);
  const Clock::time_point begin = Clock::now();
  engine.run();
  point.wallSeconds = std::chrono::duration<double>(Clock::now() - begin).count();
  point.modelledSeconds =
      static_cast<double>(*std::max_element(cycles.begin(), cycles.end())) / clock;
  if (point.direction != "in")
    checkRows(point, sinks);
}

} // namespace host_io
