// Claims: a network of ResNet-18's layers by `copse onnx` on one emulated IPU against the same
// layers through OpenBLAS on one thread; and how fast a model of 5 MB starts.
#include "child_process.hpp"
#include "plain_resnet.hpp"
#include "resnet_model.hpp"
#include "session.hpp"

#include <benchmark/benchmark.h>

#include <cstdio>
#include <cstdlib>

namespace {

using namespace copse;

constexpr int kWidth = 64, kSmallWidth = 20; // the small one's weights take 5 MB
constexpr std::size_t kBatches = 8, kPixels = std::size_t{3} * 224 * 224;

std::vector<float> images(std::size_t count) {
  std::vector<float> pixels(count * kPixels);
  for (std::size_t i = 0; i < pixels.size(); ++i)
    pixels[i] = std::sin(static_cast<float>(i % 10007));
  return pixels;
}

onnx::Outcome outcomeOf(std::size_t batches) {
  const test::TemporaryFolder folder;
  const std::string path = folder.path() / "resnet.onnx";
  bench::ResnetModel(kWidth).write(path);
  onnx::Request request;
  request.device = "ipumodel";
  request.inputs["image"] = test::floats({batches, 3, 224, 224}, images(batches));
  return onnx::runModel(onnx::readModel(path), request);
}

void check(const std::vector<float> &is, const std::vector<float> &expected) {
  float most = 0, difference = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    most = std::max(most, std::fabs(expected[i]));
    difference = std::max(difference, std::fabs(is[i] - expected[i]));
  }
  if (difference > 1e-3f * most) {
    std::fprintf(stderr, "onnx_bench: outputs differ by %g of %g\n", difference, most);
    std::abort();
  }
}

/// Wall-clock time of a batch while the program runs; modelled latency beside it.
void subject(benchmark::State &state) {
  for (auto _ : state) {
    const onnx::Outcome outcome = outcomeOf(kBatches);
    state.SetIterationTime(outcome.runSeconds / kBatches);
    state.counters["modelled_us"] = static_cast<double>(outcome.stepCycles) / outcome.clock * 1e6;
    static bool checked = false;
    if (!std::exchange(checked, true))
      check(outcome.outputs.begin()->second.reals, bench::PlainResnet(kWidth).run(images(1)));
  }
}
BENCHMARK(subject)->Name("onnx_resnet18/subject")->UseManualTime()->Iterations(1);

void reference(benchmark::State &state) {
  bench::PlainResnet net(kWidth);
  const auto image = images(1);
  for (auto _ : state)
    benchmark::DoNotOptimize(net.run(image).data());
}
BENCHMARK(reference)->Name("onnx_resnet18/reference")->UseRealTime();

/// From the start of the program to its end, with one batch; with an empty cache or with what the
/// run before left.
void start(benchmark::State &state) {
  using namespace std::chrono_literals;
  const bool cached = state.range(0) != 0;
  const test::TemporaryFolder folder;
  const std::string path = folder.path() / "resnet.onnx";
  bench::ResnetModel(kSmallWidth).write(path);
  unsigned round = 0;
  const auto run = [&] {
    const std::string cache = folder.path() / ("cache" + std::to_string(cached ? 0 : round++));
    test::ChildProcess program(
        {COPSE_PROGRAM, "onnx", path, "--device", "ipu", "--input", "image=random"},
        {{"COPSE_CACHE_DIR", cache}});
    if (program.wait(300s) != 0) {
      std::fprintf(stderr, "onnx_bench: %s\n", program.errors().c_str());
      std::abort();
    }
  };
  if (cached)
    run();
  for (auto _ : state)
    run();
}
BENCHMARK(start)
    ->Name("onnx_start_uncached/subject")
    ->Arg(0)
    ->UseRealTime()
    ->Iterations(1)
    ->Unit(benchmark::kSecond);
BENCHMARK(start)
    ->Name("onnx_start_cached/subject")
    ->Arg(1)
    ->UseRealTime()
    ->Iterations(1)
    ->Unit(benchmark::kSecond);

} // namespace

BENCHMARK_MAIN();
