// Claims: products and convolutions on the tiles of one IPU, on one core, against OpenBLAS on one
// thread.
#include "timed_operation.hpp"

#include <algorithm>
#include <cblas.h>
#include <poplin/ConvParams.hpp>
#include <poplin/Convolution.hpp>
#include <poplin/MatMul.hpp>
#include <popops/Fill.hpp>
#include <vector>

namespace {

using namespace poplar;
using copse::bench::timePlain;
using poplar::program::Sequence;

constexpr std::size_t kSide = 1024;
constexpr std::size_t kBatch = 16, kChannels = 64, kField = 56, kKernel = 3;

/// In row-major order: c[m, n] = a[m, k] b[k, n].
void product(const float *a, const float *b, float *c, std::size_t m, std::size_t k,
             std::size_t n) {
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, static_cast<int>(m), static_cast<int>(n),
              static_cast<int>(k), 1.0f, a, static_cast<int>(k), b, static_cast<int>(n), 0.0f, c,
              static_cast<int>(n));
}

template <bool half> void matMulOf(Graph &graph, Sequence &prepare, Sequence &timed) {
  const Type type = half ? HALF : FLOAT;
  const std::vector<std::size_t> shape{kSide, kSide};
  const Tensor a = poplin::createMatMulInputLHS(graph, type, shape, shape, "a"),
               b = poplin::createMatMulInputRHS(graph, type, shape, shape, "b");
  popops::fill(graph, a, prepare, 1.0f);
  popops::fill(graph, b, prepare, 2.0f);
  poplin::matMul(graph, a, b, timed);
}
void sgemm(benchmark::State &state) {
  const std::vector<float> a(kSide * kSide, 1), b(kSide * kSide, 2);
  std::vector<float> c(kSide * kSide);
  timePlain(state, [&] { product(a.data(), b.data(), c.data(), kSide, kSide, kSide); });
}

void convolutionOf(Graph &graph, Sequence &prepare, Sequence &timed) {
  poplin::ConvParams params(FLOAT, kBatch, {kField, kField}, {kKernel, kKernel}, kChannels,
                            kChannels, 1);
  params.inputTransform.paddingLower = params.inputTransform.paddingUpper = {1, 1};
  const Tensor in = poplin::createInput(graph, params, "in"),
               weights = poplin::createWeights(graph, params, "weights");
  popops::fill(graph, in, prepare, 1.0f);
  popops::fill(graph, weights, prepare, 2.0f);
  poplin::convolution(graph, in, weights, params, false, timed);
}

/// The patches of one image [channels, kField, kField], padded with zeros: a row for each place in
/// each channel's kernel.
void patches(const float *image, std::vector<float> &rows) {
  float *to = rows.data();
  for (std::size_t channel = 0; channel != kChannels; ++channel)
    for (std::size_t ky = 0; ky != kKernel; ++ky)
      for (std::size_t kx = 0; kx != kKernel; ++kx)
        for (std::size_t y = 0; y != kField; ++y, to += kField) {
          const std::size_t from = y + ky; // 1 more than the row
          if (from == 0 || from == kField + 1) {
            std::fill(to, to + kField, 0.0f);
            continue;
          }
          const float *const row = image + (channel * kField + from - 1) * kField;
          const std::size_t begin = kx == 0 ? 1 : 0, end = kx == 2 ? kField - 1 : kField;
          to[0] = to[kField - 1] = 0;
          std::copy(row + begin + kx - 1, row + end + kx - 1, to + begin);
        }
}
void patchesAndSgemm(benchmark::State &state) {
  constexpr std::size_t kPlane = kField * kField, kRows = kChannels * kKernel * kKernel;
  const std::vector<float> in(kBatch * kChannels * kPlane, 1), weights(kChannels * kRows, 2);
  std::vector<float> rows(kRows * kPlane), out(kBatch * kChannels * kPlane);
  timePlain(state, [&] {
    for (std::size_t image = 0; image != kBatch; ++image) {
      patches(in.data() + image * kChannels * kPlane, rows);
      product(weights.data(), rows.data(), out.data() + image * kChannels * kPlane, kChannels,
              kRows, kPlane);
    }
  });
}

} // namespace

int main(int argc, char **argv) {
  openblas_set_num_threads(1);
  copse::bench::add("matmul_blas", matMulOf<false>, sgemm);
  copse::bench::add("matmul_half_blas", matMulOf<true>, sgemm);
  copse::bench::add("convolution_blas", convolutionOf, patchesAndSgemm);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
