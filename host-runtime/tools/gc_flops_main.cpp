// gc-flops: measures the floating-point operations of all tiles, using the accumulating
// multiplication units, which are the fastest.
#include "devices.hpp"
#include "report.hpp"
#include "trial.hpp"

#include <algorithm>
#include <poplar/CodeletFileType.hpp>
#include <poplar/Program.hpp>
#include <sstream>

namespace {

using namespace copse::tools;
using namespace poplar;

constexpr unsigned kPhases = 4, kMostTrips = 4095; // the largest count of a `rpt`

struct Precision {
  const char *name, *vertex;
  /// Products and sums of one instruction: of 64 pairs of halves or 16 of floats.
  unsigned operations;
};
constexpr Precision kPrecisions[] = {{"half", "HalfFlops", 128}, {"float", "FloatFlops", 32}};

struct Options {
  DeviceChoice device;
  std::string precision = "all";
  Workload work{1472, 1};
  unsigned trips = 250;
};

constexpr const char *kDeclarations = R"(
#include <poplar/Vertex.hpp>
struct HalfFlops : poplar::Vertex {
  unsigned trips;
  static const bool isExternalCodelet = true;
  bool compute() { return true; }
};
struct FloatFlops : poplar::Vertex {
  unsigned trips;
  static const bool isExternalCodelet = true;
  bool compute() { return true; }
};
)";

constexpr const char *kCode = R"(
#ifdef __IPU__
#include "poplar/StackSizeDefs.hpp"
#include "poplar/TileConstants.hpp"
.macro FLOPS NAME OP P0 P1 P2 P3
  DEF_STACK_USAGE 0 \NAME
  .section .text.\NAME, FUNCTION_IS_WORKER
  .globl \NAME
  .type \NAME, @function
  .align 8
  .worker
\NAME\():
  setzi $a4, CSR_W_FP_CLR__ZAACC__MASK << CSR_W_FP_CLR__ZAACC__SHIFT
  {
    ld32 $m0, $mvertex_base, $mzero, 0
    uput $FP_CLR, $a4
  }
  rpt $m0, 3
  {
    nop
    \OP \P0
  }
  {
    nop
    \OP \P1
  }
  {
    nop
    \OP \P2
  }
  {
    nop
    \OP \P3
  }
  exitz $mzero
  .size \NAME, . - \NAME
.endm
FLOPS __runCodelet_HalfFlops "f16v4sisoamp $a4:5, $azeros, $azeros," TAMP_F16V4_E4_P0 TAMP_F16V4_E4_P1 TAMP_F16V4_E4_P2 TAMP_F16V4_E4_P3
FLOPS __runCodelet_FloatFlops "f32sisoamp $a4:5, $azero, $azeros," TAMP_F32_E4_P0 TAMP_F32_E4_P1 TAMP_F32_E4_P2 TAMP_F32_E4_P3
#endif
)";

nlohmann::ordered_json run(const Device &device, const Options &options,
                           const Precision &precision) {
  Graph graph(device);
  std::stringstream declarations(kDeclarations), code(kCode);
  graph.addCodelets(declarations);
  graph.addCodelets(code, "", CodeletFileType::AsmSource);
  const Target &target = graph.getTarget();
  const unsigned tiles = std::min(options.work.tiles, target.getTilesPerIPU());
  const unsigned workers = target.getNumWorkerContexts();
  const ComputeSet set = graph.addComputeSet(precision.name);
  for (unsigned ipu = 0; ipu < target.getNumIPUs(); ++ipu)
    for (unsigned tile = 0; tile < tiles; ++tile)
      for (unsigned worker = 0; worker < workers; ++worker) {
        const VertexRef vertex = graph.addVertex(set, precision.vertex);
        graph.setInitialValue(vertex["trips"], options.trips);
        graph.setTileMapping(vertex, ipu * target.getTilesPerIPU() + tile);
      }
  const Trial trial =
      measure(device, graph, program::Repeat(options.work.iterations, program::Execute(set)));
  const double operations = double(precision.operations) * kPhases * options.trips * workers *
                            tiles * target.getNumIPUs() * options.work.iterations;
  return {{"precision", precision.name},
          {"ipus", target.getNumIPUs()},
          {"tiles", tiles},
          {"operations", operations},
          {"modelled_us", trial.modelledSeconds * 1e6},
          {"modelled_TFLOPS", operations / trial.modelledSeconds * 1e-12},
          {"wall_us", trial.wallSeconds * 1e6},
          {"wall_GFLOPS", operations / trial.wallSeconds * 1e-9}};
}

} // namespace

int main(int argc, char **argv) {
  CLI::App app{"Measures products and sums of floating-point numbers per second, by the "
               "accumulating multiplication units of all tiles: modelled and wall-clock rates, "
               "summed over the IPUs of the device.",
               "gc-flops"};
  Options options;
  options.device.addOptions(app);
  app.add_option("--precision", options.precision, "precision of the numbers that are multiplied")
      ->check(CLI::IsMember({"half", "float", "all"}))
      ->capture_default_str();
  options.work.addOptions(app, "compute sets");
  app.add_option("--trips", options.trips, "loop trips of a compute set, of four instructions each")
      ->check(CLI::Range(1U, kMostTrips))
      ->capture_default_str();
  return runTool(app, argc, argv, [&] {
    const Device device = attachDevice(options.device);
    Rows rows;
    for (const Precision &precision : kPrecisions)
      if (options.precision == "all" || options.precision == precision.name)
        rows.push_back(run(device, options, precision));
    return rows;
  });
}
