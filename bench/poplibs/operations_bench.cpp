// Claims: operations on the tiles of one IPU are not much slower, in wall-clock time, than plain
// loops over the same numbers, on one core.
#include "timed_operation.hpp"

#include <cmath>
#include <cstring>
#include <poplin/MatMul.hpp>
#include <popops/DynamicSlice.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Encoding.hpp>
#include <popops/Fill.hpp>
#include <popops/Reduce.hpp>
#include <poputil/TileMapping.hpp>
#include <random>
#include <vector>

namespace {

using namespace poplar;
using copse::bench::add;
using copse::bench::timePlain;
using poplar::program::Sequence;

constexpr std::size_t kElements = 1 << 24;
constexpr std::size_t kSide = 4096;
constexpr std::size_t kRows = 100000, kRowElements = 256, kLookups = 4096;

Tensor filled(Graph &graph, std::vector<std::size_t> shape, float value, Sequence &prepare) {
  const Tensor t = graph.addVariable(FLOAT, shape);
  poputil::mapTensorLinearly(graph, t);
  popops::fill(graph, t, prepare, value);
  return t;
}

void addOf(Graph &graph, Sequence &prepare, Sequence &timed) {
  popops::add(graph, filled(graph, {kElements}, 1, prepare), filled(graph, {kElements}, 2, prepare),
              timed);
}
void plainAdd(benchmark::State &state) {
  std::vector<float> a(kElements, 1), b(kElements, 2), c(kElements);
  timePlain(state, [&] {
    for (std::size_t i = 0; i != kElements; ++i)
      c[i] = a[i] + b[i];
  });
}

void mapOf(Graph &graph, Sequence &prepare, Sequence &timed) {
  using namespace popops::expr;
  popops::map(graph, Abs((_1 + _2) * _1 - Const(0.5f)),
              {filled(graph, {kElements}, 1, prepare), filled(graph, {kElements}, 2, prepare)},
              timed);
}
void plainMap(benchmark::State &state) {
  std::vector<float> a(kElements, 1), b(kElements, 2), c(kElements);
  timePlain(state, [&] {
    for (std::size_t i = 0; i != kElements; ++i)
      c[i] = std::fabs((a[i] + b[i]) * a[i] - 0.5f);
  });
}

template <std::size_t dim> void reduceOf(Graph &graph, Sequence &prepare, Sequence &timed) {
  popops::reduce(graph, filled(graph, {kSide, kSide}, 1, prepare), {dim}, popops::Operation::ADD,
                 timed);
}
template <std::size_t dim> void plainReduce(benchmark::State &state) {
  std::vector<float> in(kSide * kSide, 1), out(kSide);
  timePlain(state, [&] {
    std::fill(out.begin(), out.end(), 0.0f);
    for (std::size_t row = 0; row != kSide; ++row) {
      const float *const from = in.data() + row * kSide;
      if (dim == 0) {
        for (std::size_t i = 0; i != kSide; ++i)
          out[i] += from[i];
      } else {
        float sum = 0;
#pragma omp simd reduction(+ : sum)
        for (std::size_t i = 0; i != kSide; ++i)
          sum += from[i];
        out[row] = sum;
      }
    }
  });
}

/// All over the table, as words of a text are.
std::vector<unsigned> rowsToLookUp() {
  std::vector<unsigned> rows(kLookups);
  std::mt19937 random(1);
  for (unsigned &row : rows)
    row = static_cast<unsigned>(random() % kRows);
  return rows;
}

void multiSliceOf(Graph &graph, Sequence &prepare, Sequence &timed) {
  const Tensor table = popops::createSliceableTensor(graph, FLOAT, {kRows, kRowElements}, {0}, {1});
  popops::fill(graph, table, prepare, 1.0f);
  const Tensor indices = popops::createIndicesTensor(graph, {0}, kLookups, {}, {});
  const std::vector<unsigned> rows = rowsToLookUp();
  const Tensor chosen = graph.addConstant<unsigned>(UNSIGNED_INT, {kLookups, 1}, rows);
  graph.setTileMapping(chosen, 0);
  prepare.add(poplar::program::Copy(chosen, indices));
  popops::multiSlice(graph, table, indices, {0}, {1}, timed, {}, {});
}
void copyOfRows(benchmark::State &state) {
  std::vector<float> table(kRows * kRowElements, 1), out(kLookups * kRowElements);
  const std::vector<unsigned> rows = rowsToLookUp();
  timePlain(state, [&] {
    for (std::size_t i = 0; i != kLookups; ++i)
      std::memcpy(out.data() + i * kRowElements, table.data() + rows[i] * kRowElements,
                  kRowElements * sizeof(float));
  });
}

void matMulOf(Graph &graph, Sequence &prepare, Sequence &timed) {
  const std::vector<std::size_t> shape{1024, 1024};
  const Tensor a = poplin::createMatMulInputLHS(graph, FLOAT, shape, shape, "a"),
               b = poplin::createMatMulInputRHS(graph, FLOAT, shape, shape, "b");
  popops::fill(graph, a, prepare, 1.0f);
  popops::fill(graph, b, prepare, 2.0f);
  poplin::matMul(graph, a, b, timed);
}
/// Rows of the result in vector registers' reach: about half of what a tuned library does.
void plainMatMul(benchmark::State &state) {
  constexpr std::size_t n = 1024, kBlock = 64;
  std::vector<float> a(n * n, 1), b(n * n, 2), c(n * n);
  timePlain(state, [&] {
    std::fill(c.begin(), c.end(), 0.0f);
    for (std::size_t k0 = 0; k0 != n; k0 += kBlock)
      for (std::size_t i = 0; i != n; i += 4)
        for (std::size_t j0 = 0; j0 != n; j0 += kBlock)
          for (std::size_t k = k0; k != k0 + kBlock; ++k) {
            const float a0 = a[i * n + k], a1 = a[(i + 1) * n + k], a2 = a[(i + 2) * n + k],
                        a3 = a[(i + 3) * n + k];
            const float *const from = b.data() + k * n;
#pragma omp simd
            for (std::size_t j = j0; j != j0 + kBlock; ++j) {
              c[i * n + j] += a0 * from[j];
              c[(i + 1) * n + j] += a1 * from[j];
              c[(i + 2) * n + j] += a2 * from[j];
              c[(i + 3) * n + j] += a3 * from[j];
            }
          }
  });
}

} // namespace

int main(int argc, char **argv) {
  add("add", addOf, plainAdd);
  add("map", mapOf, plainMap);
  add("reduce_rows", reduceOf<1>, plainReduce<1>);
  add("reduce_columns", reduceOf<0>, plainReduce<0>);
  add("multi_slice", multiSliceOf, copyOfRows);
  add("matmul", matMulOf, plainMatMul);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
