// Each class twice: the compiler's, and one whose code is in layouts.S.
#include <poplar/AvailableVTypes.h>
#include <poplar/HalfFloat.hpp>
#include <poplar/Vertex.hpp>

using namespace poplar;

/// sum = x[0] + .. + x[n - 1]
template <VectorLayout L, unsigned Align> class Sum : public Vertex {
public:
  Input<Vector<int, L, Align>> x;
  unsigned n;
  Output<int> sum;
  bool compute() {
    int s = 0;
    for (unsigned i = 0; i < n; ++i)
      s += x[i];
    *sum = s;
    return true;
  }
};
template <VectorLayout L, unsigned Align> class SumAsm : public Vertex {
public:
  Input<Vector<int, L, Align>> x;
  unsigned n;
  Output<int> sum;
  static const bool isExternalCodelet = true;
  bool compute() { return true; }
};
#define COPSE_SUMS(layout, align)                                                                  \
  template class Sum<VectorLayout::layout, align>;                                                 \
  template class SumAsm<VectorLayout::layout, align>;
COPSE_SUMS(ONE_PTR, 4)
COPSE_SUMS(SPAN, 8)
COPSE_SUMS(SHORT_SPAN, 4)
COPSE_SUMS(SCALED_PTR128, 16)
COPSE_SUMS(COMPACT_PTR, 4)
COPSE_SUMS(COMPACT_PTR, 8)
COPSE_SUMS(COMPACT_PTR, 16)

/// sums[r] = 1000 * length of row r + its elements
template <VectorListLayout L> class Rows : public Vertex {
public:
  Input<VectorList<int, L, 8>> rows;
  Output<Vector<int, VectorLayout::ONE_PTR, 4>> sums;
  bool compute() {
    for (unsigned r = 0; r < rows.size(); ++r) {
      int s = 1000 * static_cast<int>(rows[r].size());
      for (unsigned i = 0; i < rows[r].size(); ++i)
        s += rows[r][i];
      sums[r] = s;
    }
    return true;
  }
};
template class Rows<VectorListLayout::COMPACT_DELTAN>;
template <VectorListLayout L> class RowsAsm : public Vertex {
public:
  Input<VectorList<int, L, 8>> rows;
  Output<Vector<int, VectorLayout::ONE_PTR, 4>> sums;
  static const bool isExternalCodelet = true;
  bool compute() { return true; }
};
template class RowsAsm<VectorListLayout::COMPACT_DELTAN>;

/// Vectors of vectors.
class Nested : public Vertex {
public:
  Vector<Input<Vector<int, VectorLayout::SHORT_SPAN>>, VectorLayout::SPAN> rows;
  Output<Vector<int, VectorLayout::ONE_PTR>> sums;
  bool compute() {
    for (unsigned r = 0; r < rows.size(); ++r) {
      int s = 1000 * static_cast<int>(rows[r].size());
      for (unsigned i = 0; i < rows[r].size(); ++i)
        s += rows[r][i];
      sums[r] = s;
    }
    return true;
  }
};
class NestedAsm : public Vertex {
public:
  Vector<Input<Vector<int, VectorLayout::SHORT_SPAN>>, VectorLayout::SPAN> rows;
  Output<Vector<int, VectorLayout::ONE_PTR>> sums;
  static const bool isExternalCodelet = true;
  bool compute() { return true; }
};

/// Fields of all sizes, with the gaps between them.
class Mixed : public Vertex {
public:
  bool flag;
  short small;
  half scale;
  unsigned char byte;
  float factor;
  InOut<int> value;
  Output<float> result;
  bool compute() {
    *value += flag ? small : byte;
    *result = factor * float(scale);
    return true;
  }
};
class MixedAsm : public Vertex {
public:
  bool flag;
  short small;
  half scale;
  unsigned char byte;
  float factor;
  InOut<int> value;
  Output<float> result;
  static const bool isExternalCodelet = true;
  bool compute() { return true; }
};

/// out[i] = 3 * in[i], the six workers side by side; with a function that they call.
class TripleAll : public MultiVertex {
public:
  Input<Vector<int, VectorLayout::ONE_PTR, 4>> in;
  Output<Vector<int, VectorLayout::ONE_PTR, 4>> out;
  unsigned n;
  static const bool isExternalCodelet = true;
  bool compute(unsigned) { return true; }
};

/// A supervisor that launches these workers.
class TripleSupervised : public SupervisorVertex {
public:
  Input<Vector<int, VectorLayout::ONE_PTR, 4>> in;
  Output<Vector<int, VectorLayout::ONE_PTR, 4>> out;
  unsigned n;
  static const bool isExternalCodelet = true;
  bool compute() { return true; }
};
