// Vertices whose code is in loops.S: one worker's share of an operation.
#include <poplar/HalfFloat.hpp>
#include <poplar/Vertex.hpp>

using namespace poplar;

class [[poplar::constraint("elem(*a) != elem(*b)")]] AddLoop : public Vertex {
public:
  Input<Vector<float, VectorLayout::ONE_PTR, 8>> a, b;
  Output<Vector<float, VectorLayout::ONE_PTR, 8>> out;
  unsigned steps;
  static const bool isExternalCodelet = true;
  bool compute() { return true; }
};

class [[poplar::constraint("elem(*a) != elem(*b)")]] ScaledAddLoop : public Vertex {
public:
  InOut<Vector<float, VectorLayout::ONE_PTR, 8>> a;
  Input<Vector<float, VectorLayout::ONE_PTR, 8>> b;
  float scale;
  unsigned steps;
  static const bool isExternalCodelet = true;
  bool compute() { return true; }
};

class [[poplar::constraint("elem(*a) != elem(*out)")]] CastLoop : public Vertex {
public:
  Input<Vector<float, VectorLayout::ONE_PTR, 8>> a;
  Output<Vector<half, VectorLayout::ONE_PTR, 8>> out;
  unsigned steps;
  static const bool isExternalCodelet = true;
  bool compute() { return true; }
};

class FillLoop : public Vertex {
public:
  Output<Vector<float, VectorLayout::ONE_PTR, 8>> out;
  float value;
  unsigned steps;
  static const bool isExternalCodelet = true;
  bool compute() { return true; }
};

/// Two rows.
class SumLoop : public Vertex {
public:
  Input<Vector<float, VectorLayout::ONE_PTR, 8>> a;
  Output<Vector<float, VectorLayout::ONE_PTR, 8>> out;
  unsigned steps; ///< of one row
  static const bool isExternalCodelet = true;
  bool compute() { return true; }
};

/// Rows of a block of a table; a row that the block does not have is left alone.
class [[poplar::constraint("elem(*table) != elem(*out)")]] SliceLoop : public Vertex {
public:
  Input<Vector<float, VectorLayout::ONE_PTR, 8>> table;
  Input<Vector<unsigned, VectorLayout::ONE_PTR, 4>> offsets;
  Output<Vector<float, VectorLayout::ONE_PTR, 8>> out;
  unsigned rowBytes;
  unsigned steps; ///< of one row
  unsigned firstRow, rows;
  unsigned lookups;
  static const bool isExternalCodelet = true;
  bool compute() { return true; }
};
