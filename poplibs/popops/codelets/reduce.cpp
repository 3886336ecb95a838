// Vertices that reduce one dimension of a block, which lies in memory as [outer, reduced, inner].
// A block of one outer row may begin in the middle: at column `start` of a reduced row, and end
// anywhere.
#include "worker_part.hpp"

#include <numeric>
#include <poplar/HalfFloat.hpp>
#include <poplar/Vertex.hpp>

namespace popops {

enum class Operation { ADD, MUL, MIN, MAX, LOGICAL_AND, LOGICAL_OR, SQUARE_ADD, LOG_ADD };

namespace {

/// The type of the accumulator: float for halves, too, which takes no more time and loses nothing.
template <typename In> struct Accumulated {
  using type = In;
};
template <> struct Accumulated<half> {
  using type = float;
};

/// identity(), combined(sum, element), and joined(sum, sum).
template <Operation op, typename A> struct Combine;

template <typename A> struct Wrapping {
  using type = A;
};
template <> struct Wrapping<int> {
  using type = unsigned;
};

template <typename A> struct Combine<Operation::ADD, A> {
  using W = typename Wrapping<A>::type;
  static A identity() { return 0; }
  static A combined(A sum, A x) { return static_cast<A>(W(sum) + W(x)); }
  static A joined(A a, A b) { return combined(a, b); }
};
template <typename A> struct Combine<Operation::SQUARE_ADD, A> {
  using W = typename Wrapping<A>::type;
  static A identity() { return 0; }
  static A combined(A sum, A x) { return static_cast<A>(W(sum) + W(x) * W(x)); }
  static A joined(A a, A b) { return static_cast<A>(W(a) + W(b)); }
};
template <typename A> struct Combine<Operation::MUL, A> {
  using W = typename Wrapping<A>::type;
  static A identity() { return 1; }
  static A combined(A product, A x) { return static_cast<A>(W(product) * W(x)); }
  static A joined(A a, A b) { return combined(a, b); }
};
template <typename A> struct Combine<Operation::MIN, A> {
  static A identity() {
    return std::numeric_limits<A>::has_infinity ? std::numeric_limits<A>::infinity()
                                                : std::numeric_limits<A>::max();
  }
  static A combined(A a, A x) { return x < a ? x : a; }
  static A joined(A a, A b) { return combined(a, b); }
};
template <typename A> struct Combine<Operation::MAX, A> {
  static A identity() {
    return std::numeric_limits<A>::has_infinity ? -std::numeric_limits<A>::infinity()
                                                : std::numeric_limits<A>::lowest();
  }
  static A combined(A a, A x) { return a < x ? x : a; }
  static A joined(A a, A b) { return combined(a, b); }
};
template <> struct Combine<Operation::LOGICAL_AND, bool> {
  static bool identity() { return true; }
  static bool combined(bool a, bool x) { return a && x; }
  static bool joined(bool a, bool b) { return a && b; }
};
template <> struct Combine<Operation::LOGICAL_OR, bool> {
  static bool identity() { return false; }
  static bool combined(bool a, bool x) { return a || x; }
  static bool joined(bool a, bool b) { return a || b; }
};
template <> struct Combine<Operation::LOG_ADD, float> {
  static float identity() { return -65504.0f; } // the logarithm of nothing
  static float combined(float a, float x) {
    const float larger = a < x ? x : a, smaller = a < x ? a : x;
    return larger + std::log1p(std::exp(smaller - larger));
  }
  static float joined(float a, float b) { return combined(a, b); }
};

/// Floats side by side, as the host's processor adds them.
constexpr unsigned kLanes = 8;
using Lanes __attribute__((vector_size(kLanes * sizeof(float)))) = float;

inline Lanes lanesAt(const float *from) {
  Lanes lanes;
  std::memcpy(&lanes, from, sizeof lanes);
  return lanes;
}

/// Functions that do the work are not inlined: vertex classes that differ in their output only
/// share them, which makes the code, and the time to compile it, a third.
#define POPOPS_SHARED static __attribute__((noinline))

template <Operation op, typename In> struct Block {
  using A = typename Accumulated<In>::type;
  using C = Combine<op, A>;
  static constexpr unsigned kNarrow = 8; ///< columns
  static constexpr unsigned kWide = 64;  ///< columns whose sums fit into registers
  /// Left to itself, the compiler makes pairs of floats of a row.
  static constexpr bool kInLanes = std::is_same<In, float>::value && op != Operation::LOG_ADD;

  /// Reduces a row in several sums, so that the processor has independent ones to work on.
  POPOPS_SHARED A row(const In *from, unsigned n) {
    constexpr unsigned kSums = 64;
    A sums[kSums];
    unsigned i = 0, last = kSums;
    if constexpr (kInLanes) {
      using V = Combine<op, Lanes>;
      constexpr unsigned kVectors = kSums / kLanes;
      Lanes lanes[kVectors];
      for (Lanes &l : lanes)
        l = Lanes{} + C::identity();
      for (; i + kSums <= n; i += kSums)
        for (unsigned v = 0; v < kVectors; ++v)
          lanes[v] = V::combined(lanes[v], lanesAt(from + i + v * kLanes));
      for (unsigned step = kVectors / 2; step != 0; step /= 2)
        for (unsigned v = 0; v < step; ++v)
          lanes[v] = V::joined(lanes[v], lanes[v + step]);
      for (; i + kLanes <= n; i += kLanes)
        lanes[0] = V::combined(lanes[0], lanesAt(from + i));
      std::memcpy(sums, lanes, sizeof(Lanes));
      last = kLanes;
    } else {
      for (A &sum : sums)
        sum = C::identity();
      for (; i + kSums <= n; i += kSums)
        for (unsigned k = 0; k < kSums; ++k)
          sums[k] = C::combined(sums[k], static_cast<A>(from[i + k]));
    }
    for (unsigned k = 0; i < n; ++i, ++k)
      sums[k] = C::combined(sums[k], static_cast<A>(from[i]));
    for (unsigned step = last / 2; step != 0; step /= 2)
      for (unsigned k = 0; k < step; ++k)
        sums[k] = C::joined(sums[k], sums[k + step]);
    return sums[0];
  }

  /// Reduces all columns of rows so narrow that several fit side by side; the first begins with
  /// column \p start.
  POPOPS_SHARED void narrowColumns(const In *from, unsigned n, unsigned inner, unsigned start,
                                   A *results) {
    constexpr unsigned kRows = 8;
    A sums[kNarrow * kRows]; // sums[k] is of elements k, k + period, ...
    const unsigned period = inner * kRows;
    for (unsigned k = 0; k < period; ++k)
      sums[k] = C::identity();
    unsigned i = 0;
    for (; i + period <= n; i += period)
      for (unsigned row = 0; row < inner; ++row)
        for (unsigned k = 0; k < kRows; ++k)
          sums[row * kRows + k] =
              C::combined(sums[row * kRows + k], static_cast<A>(from[i + row * kRows + k]));
    for (unsigned k = 0; i < n; ++i, ++k)
      sums[k] = C::combined(sums[k], static_cast<A>(from[i]));
    for (unsigned column = 0; column < inner; ++column) {
      unsigned k = (column + inner - start % inner) % inner;
      A sum = sums[k];
      for (k += inner; k < period; k += inner)
        sum = C::joined(sum, sums[k]);
      results[column] = sum;
    }
  }

  /// \p width columns of whole rows, in registers.
  template <unsigned width>
  static void strip(const In *from, unsigned rows, std::size_t stride, A *results) {
    if constexpr (kInLanes && width % kLanes == 0) {
      using V = Combine<op, Lanes>;
      Lanes lanes[width / kLanes];
      for (Lanes &l : lanes)
        l = Lanes{} + C::identity();
      for (unsigned r = 0; r < rows; ++r, from += stride)
        for (unsigned v = 0; v < width / kLanes; ++v)
          lanes[v] = V::combined(lanes[v], lanesAt(from + v * kLanes));
      std::memcpy(results, lanes, sizeof lanes);
    } else {
      A sums[width];
      for (A &sum : sums)
        sum = C::identity();
      for (unsigned r = 0; r < rows; ++r, from += stride)
        for (unsigned k = 0; k < width; ++k)
          sums[k] = C::combined(sums[k], static_cast<A>(from[k]));
      std::memcpy(results, sums, sizeof sums);
    }
  }

  /// Reduces at most kWide columns of whole rows, of which one begins \p stride elements after the
  /// other.
  POPOPS_SHARED void wideColumns(const In *from, unsigned rows, std::size_t stride, unsigned width,
                                 A *results) {
    if (width == kWide)
      return strip<kWide>(from, rows, stride, results);
    unsigned k = 0;
    for (; k + 16 <= width; k += 16)
      strip<16>(from + k, rows, stride, results + k);
    for (; k + 4 <= width; k += 4)
      strip<4>(from + k, rows, stride, results + k);
    for (; k < width; ++k)
      strip<1>(from + k, rows, stride, results + k);
  }

  /// Columns [begin, end) of rows of \p inner, of which the first begins with column \p start:
  /// put(column, result).
  template <typename Put>
  static void columns(const In *from, unsigned n, unsigned inner, unsigned start, unsigned begin,
                      unsigned end, Put put) {
    A results[kWide];
    if (inner <= kNarrow && end > begin) {
      narrowColumns(from, n, inner, start, results);
      for (unsigned column = begin; column < end; ++column)
        put(column, results[column]);
      return;
    }
    const unsigned last = start + n; // seen from column 0 of the first row
    const unsigned inLast = last % inner;
    while (begin < end) {
      // Columns that as many rows have: the first row lacks some, and the last one.
      unsigned until = end - begin < kWide ? end : begin + kWide;
      if (begin < start && start < until)
        until = start;
      if (begin < inLast && inLast < until)
        until = inLast;
      const unsigned firstRow = begin < start, endRow = (last + inner - 1 - begin) / inner;
      const std::ptrdiff_t at = std::ptrdiff_t(firstRow) * inner + begin - start;
      wideColumns(from + at, endRow - firstRow, inner, until - begin, results);
      for (unsigned k = 0; k < until - begin; ++k)
        put(begin + k, results[k]);
      begin = until;
    }
  }

  /// Reduces one worker's part of a block: rows, if there are enough of them, else columns.
  template <typename Put>
  static void part(const In *from, unsigned n, unsigned outer, unsigned inner, unsigned start,
                   unsigned worker, unsigned workers, unsigned grain, Put put) {
    if (outer == 1 && inner == 1) {
      if (worker == 0)
        put(0, row(from, n));
      return;
    }
    const unsigned each = n / outer;
    const unsigned whole = outer == 1 ? 1 : grain / std::gcd(inner, grain);
    const poplibs::WorkerPart rowsOf(outer, outer == 1 ? 0 : worker, outer == 1 ? 1 : workers,
                                     whole);
    const poplibs::WorkerPart columnsOf(inner, outer == 1 ? worker : 0, outer == 1 ? workers : 1,
                                        grain);
    for (unsigned o = rowsOf.begin; o < rowsOf.end; ++o) {
      const In *const at = from + std::size_t(o) * each;
      if (inner == 1)
        put(o, row(at, each));
      else
        columns(at, each, inner, start, columnsOf.begin, columnsOf.end,
                [&](unsigned i, A sum) { put(o * inner + i, sum); });
    }
  }
};

} // namespace

/// All workers share the results.
template <Operation op, typename In, typename Out> class Reduce : public poplar::MultiVertex {
public:
  poplar::Input<poplar::Vector<In, poplar::VectorLayout::SPAN>> in;
  poplar::Output<poplar::Vector<Out, poplar::VectorLayout::ONE_PTR>> out;
  unsigned outer, inner, start;

  bool compute(unsigned worker) {
    Out *const to = out.data();
    Block<op, In>::part(in.data(), in.size(), outer, inner, start, worker, numWorkers(),
                        8 / sizeof(Out),
                        [&](unsigned i, auto sum) { to[i] = static_cast<Out>(sum); });
    return true;
  }
};

/// One worker reduces all: where there are few results, and others reduce other parts.
template <Operation op, typename In, typename Out> class ReduceOnWorker : public poplar::Vertex {
public:
  poplar::Input<poplar::Vector<In, poplar::VectorLayout::SPAN>> in;
  poplar::Output<poplar::Vector<Out, poplar::VectorLayout::ONE_PTR>> out;
  unsigned outer, inner, start;

  bool compute() {
    Out *const to = out.data();
    Block<op, In>::part(in.data(), in.size(), outer, inner, start, 0, 1, 1,
                        [&](unsigned i, auto sum) { to[i] = static_cast<Out>(sum); });
    return true;
  }
};

/// Calls put(result, sum) for each result of several reductions, one after the other.
/// \param shapes  outer, inner, start and number of results, of each
template <Operation op, typename In, typename Ins, typename Out, typename Shapes, typename Put>
void partsInTurn(const Ins &ins, Out *to, const Shapes &shapes, Put put) {
  for (unsigned k = 0; k < ins.size(); ++k) {
    const unsigned *const shape = &shapes[4 * k];
    Block<op, In>::part(ins[k].data(), ins[k].size(), shape[0], shape[1], shape[2], 0, 1, 1,
                        [&](unsigned i, auto sum) { put(to[i], sum); });
    to += shape[3];
  }
}

/// ReduceOnWorker of several, whose results are next to each other.
template <Operation op, typename In, typename Out> class ReduceSeveral : public poplar::Vertex {
public:
  poplar::Vector<poplar::Input<poplar::Vector<In, poplar::VectorLayout::SPAN>>> in;
  poplar::Output<poplar::Vector<Out, poplar::VectorLayout::ONE_PTR>> out;
  poplar::Vector<unsigned> shapes; ///< outer, inner, start and number of results, of each

  bool compute() {
    partsInTurn<op, In>(in, out.data(), shapes,
                        [](Out &to, auto sum) { to = static_cast<Out>(sum); });
    return true;
  }
};

/// The result of a sum that is scaled, or added to the output's own value.
template <Operation op, bool update> struct LastStep {
  static float of(float old, float sum, float by) {
    if (op == Operation::LOG_ADD)
      return update ? Combine<Operation::LOG_ADD, float>::joined(old, sum + by) : sum + by;
    return update ? old + sum * by : sum * by;
  }
};

/// The last step of a sum that is scaled, or added to what the output holds.
template <Operation op, typename In, typename Out, bool update>
class ReduceScaled : public poplar::MultiVertex {
public:
  poplar::Input<poplar::Vector<In, poplar::VectorLayout::SPAN>> in;
  poplar::InOut<poplar::Vector<Out, poplar::VectorLayout::ONE_PTR>> out;
  poplar::Input<float> scale;
  unsigned outer, inner, start;

  bool compute(unsigned worker) {
    Out *const to = out.data();
    const float by = *scale;
    Block<op, In>::part(in.data(), in.size(), outer, inner, start, worker, numWorkers(),
                        8 / sizeof(Out), [&](unsigned i, auto sum) {
                          to[i] = static_cast<Out>(
                              LastStep<op, update>::of(static_cast<float>(to[i]), sum, by));
                        });
    return true;
  }
};

/// ReduceScaled of several, whose results are next to each other, on one worker.
template <Operation op, typename In, typename Out, bool update>
class ReduceSeveralScaled : public poplar::Vertex {
public:
  poplar::Vector<poplar::Input<poplar::Vector<In, poplar::VectorLayout::SPAN>>> in;
  poplar::InOut<poplar::Vector<Out, poplar::VectorLayout::ONE_PTR>> out;
  poplar::Input<float> scale;
  poplar::Vector<unsigned> shapes; ///< outer, inner, start and number of results, of each

  bool compute() {
    const float by = *scale;
    partsInTurn<op, In>(in, out.data(), shapes, [by](Out &to, auto sum) {
      to = static_cast<Out>(LastStep<op, update>::of(static_cast<float>(to), sum, by));
    });
    return true;
  }
};

/// Integers are exact as long as the scale is 1.
template <Operation op, bool update>
class ReduceScaled<op, int, int, update> : public poplar::MultiVertex {
public:
  poplar::Input<poplar::Vector<int, poplar::VectorLayout::SPAN>> in;
  poplar::InOut<poplar::Vector<int, poplar::VectorLayout::ONE_PTR>> out;
  poplar::Input<float> scale;
  unsigned outer, inner, start;

  bool compute(unsigned worker) {
    int *const to = out.data();
    const float by = *scale;
    Block<op, int>::part(in.data(), in.size(), outer, inner, start, worker, numWorkers(), 2,
                         [&](unsigned i, int sum) {
                           const int scaled =
                               by == 1.0f ? sum : static_cast<int>(static_cast<double>(sum) * by);
                           to[i] =
                               static_cast<int>((update ? unsigned(to[i]) : 0u) + unsigned(scaled));
                         });
    return true;
  }
};

#define POPOPS_REALS(op)                                                                           \
  template class Reduce<Operation::op, float, float>;                                              \
  template class ReduceOnWorker<Operation::op, float, float>;                                      \
  template class Reduce<Operation::op, float, half>;                                               \
  template class ReduceOnWorker<Operation::op, float, half>;                                       \
  template class ReduceSeveral<Operation::op, float, half>;                                        \
  template class Reduce<Operation::op, half, float>;                                               \
  template class ReduceOnWorker<Operation::op, half, float>;                                       \
  template class Reduce<Operation::op, half, half>;                                                \
  template class ReduceOnWorker<Operation::op, half, half>;                                        \
  template class ReduceSeveral<Operation::op, half, half>;
#define POPOPS_SCALED(op)                                                                          \
  template class ReduceScaled<Operation::op, float, float, false>;                                 \
  template class ReduceScaled<Operation::op, float, float, true>;                                  \
  template class ReduceScaled<Operation::op, float, half, false>;                                  \
  template class ReduceScaled<Operation::op, float, half, true>;                                   \
  template class ReduceSeveralScaled<Operation::op, float, half, false>;                           \
  template class ReduceSeveralScaled<Operation::op, float, half, true>;                            \
  template class ReduceScaled<Operation::op, half, float, false>;                                  \
  template class ReduceScaled<Operation::op, half, float, true>;                                   \
  template class ReduceScaled<Operation::op, half, half, false>;                                   \
  template class ReduceScaled<Operation::op, half, half, true>;                                    \
  template class ReduceSeveralScaled<Operation::op, half, half, false>;                            \
  template class ReduceSeveralScaled<Operation::op, half, half, true>;

POPOPS_REALS(ADD)
POPOPS_REALS(SQUARE_ADD)
POPOPS_REALS(MUL)
POPOPS_REALS(LOG_ADD)
POPOPS_SCALED(ADD)
POPOPS_SCALED(SQUARE_ADD)
POPOPS_SCALED(LOG_ADD)

template class Reduce<Operation::ADD, int, int>;
template class ReduceOnWorker<Operation::ADD, int, int>;
template class Reduce<Operation::SQUARE_ADD, int, int>;
template class ReduceOnWorker<Operation::SQUARE_ADD, int, int>;
template class Reduce<Operation::MUL, int, int>;
template class ReduceOnWorker<Operation::MUL, int, int>;
template class ReduceScaled<Operation::ADD, int, int, false>;
template class ReduceScaled<Operation::ADD, int, int, true>;
template class ReduceScaled<Operation::SQUARE_ADD, int, int, false>;
template class ReduceScaled<Operation::SQUARE_ADD, int, int, true>;

template class Reduce<Operation::MIN, float, float>;
template class ReduceOnWorker<Operation::MIN, float, float>;
template class Reduce<Operation::MIN, half, half>;
template class ReduceOnWorker<Operation::MIN, half, half>;
template class ReduceSeveral<Operation::MIN, half, half>;
template class Reduce<Operation::MIN, int, int>;
template class ReduceOnWorker<Operation::MIN, int, int>;
template class Reduce<Operation::MAX, float, float>;
template class ReduceOnWorker<Operation::MAX, float, float>;
template class Reduce<Operation::MAX, half, half>;
template class ReduceOnWorker<Operation::MAX, half, half>;
template class ReduceSeveral<Operation::MAX, half, half>;
template class Reduce<Operation::MAX, int, int>;
template class ReduceOnWorker<Operation::MAX, int, int>;
template class Reduce<Operation::LOGICAL_AND, bool, bool>;
template class ReduceOnWorker<Operation::LOGICAL_AND, bool, bool>;
template class ReduceSeveral<Operation::LOGICAL_AND, bool, bool>;
template class Reduce<Operation::LOGICAL_OR, bool, bool>;
template class ReduceOnWorker<Operation::LOGICAL_OR, bool, bool>;
template class ReduceSeveral<Operation::LOGICAL_OR, bool, bool>;

} // namespace popops
