// The vertices in C++, and the declarations of those that dot.S and row_product.S implement: C++
// says what fields a vertex has, isExternalCodelet that its code comes from elsewhere.
#include <poplar/HalfFloat.hpp>
#include <poplar/Vertex.hpp>

using poplar::Input;
using poplar::Output;
using poplar::Vector;
using poplar::VectorLayout;

/// result = sum of x[i] * y[i] over 4 * groups elements.
class Dot : public poplar::Vertex {
public:
  Input<Vector<half, VectorLayout::ONE_PTR, 8>> x, y;
  Output<float> result;
  unsigned groups; ///< groups of four halves, at least one

  bool compute() {
    float sum = 0;
    for (unsigned i = 0; i < 4 * groups; ++i)
      sum += float(x[i]) * float(y[i]);
    *result = sum;
    return true;
  }
};

class DotInAssembly : public poplar::Vertex {
public:
  Input<Vector<half, VectorLayout::ONE_PTR, 8>> x, y;
  Output<float> result;
  unsigned groups;

  static const bool isExternalCodelet = true;
  bool compute() { return true; }
};

/// One row of a matrix product: out[c] = sum of row[i] * columns[c][i], where the second matrix
/// comes column by column.
class RowProduct : public poplar::Vertex {
public:
  Input<Vector<half, VectorLayout::ONE_PTR, 8>> row, columns;
  Output<Vector<float, VectorLayout::ONE_PTR, 4>> out;
  unsigned groups; ///< groups of four halves per row, at least one
  unsigned count;  ///< number of columns, at least one

  bool compute() {
    for (unsigned c = 0; c < count; ++c) {
      float sum = 0;
      for (unsigned i = 0; i < 4 * groups; ++i)
        sum += float(row[i]) * float(columns[4 * groups * c + i]);
      out[c] = sum;
    }
    return true;
  }
};

class RowProductInAssembly : public poplar::Vertex {
public:
  Input<Vector<half, VectorLayout::ONE_PTR, 8>> row, columns;
  Output<Vector<float, VectorLayout::ONE_PTR, 4>> out;
  unsigned groups;
  unsigned count;

  static const bool isExternalCodelet = true;
  bool compute() { return true; }
};
