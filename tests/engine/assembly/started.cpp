// Supervisors in assembly (started.S), and the codelets in C++ that they start on workers.
#include <poplar/TileConstants.hpp>
#include <poplar/Vertex.hpp>
using namespace poplar;

template <class T> using From = Input<Vector<T, VectorLayout::ONE_PTR, 4>>;
template <class T> using To = Output<Vector<T, VectorLayout::ONE_PTR, 4>>;

/// out[i] = 2 * in[i] + the worker that did it.
class DoubleWorker : public MultiVertex {
public:
  From<int> in;
  To<int> out;
  unsigned n;
  bool compute(unsigned worker) {
    for (unsigned i = worker; i < n; i += CTXT_WORKERS)
      out[i] = 2 * in[i] + static_cast<int>(worker);
    return true;
  }
};
/// A supervisor that starts the worker with its own state.
class Double : public SupervisorVertex {
public:
  From<int> in;
  To<int> out;
  unsigned n;
  static const bool isExternalCodelet = true;
  bool compute() { return true; }
};

namespace parts {
template <class T> class SumWorker : public Vertex {
public:
  From<T> in;
  Output<T> sum;
  unsigned n;
  bool compute() {
    T total = 0;
    for (unsigned i = 0; i < n; ++i)
      total += in[i];
    *sum = total;
    return total > 0;
  }
};
template class SumWorker<int>;
template class SumWorker<half>;
} // namespace parts

/// Two sums, of a worker each: the states of both stand one after the other.
class TwoSums : public SupervisorVertex {
public:
  From<int> in;
  Output<int> sum;
  unsigned n;
  From<half> in2;
  Output<half> sum2;
  unsigned n2;
  static const bool isExternalCodelet = true;
  bool compute() { return true; }
};

/// Writes where the tile has no memory, if it is worker 3.
class StrayWorker : public MultiVertex {
public:
  To<int> out;
  bool compute(unsigned worker) {
    if (worker == 3)
      out[1 << 18] = 1;
    return true;
  }
};
class Stray : public SupervisorVertex {
public:
  To<int> out;
  static const bool isExternalCodelet = true;
  bool compute() { return true; }
};

// The function that the assembly of Calls calls.
float scaled(float x, int n) { return x * n; }
int added(unsigned char a, short b) { return a + b; }
extern "C" unsigned plain(unsigned n) { return n + 1; }
namespace parts {
class Tool {
  static half narrowed(float x, half y, bool up) { return up ? half(x + float(y)) : y; }
};
} // namespace parts
class Calls : public Vertex {
public:
  From<float> in;
  To<unsigned> out;
  static const bool isExternalCodelet = true;
  bool compute() { return true; }
};

/// Starts a codelet that does not exist.
class Orphan : public SupervisorVertex {
public:
  To<int> out;
  static const bool isExternalCodelet = true;
  bool compute() { return true; }
};
