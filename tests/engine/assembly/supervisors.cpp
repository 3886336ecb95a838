// Supervisors in C++, and what they start: codelets in C++ and in assembly (supervised.S).
#include <poplar/TileConstants.hpp>
#include <poplar/Vertex.hpp>
using namespace poplar;

template <class T> using From = Input<Vector<T, VectorLayout::ONE_PTR, 4>>;
template <class T> using To = Output<Vector<T, VectorLayout::ONE_PTR, 4>>;

#define SET_ADDRESS(result, name)                                                                  \
  asm volatile(" setzi  %[address], " name "\n" : [address] "=r"(result) : :)

template <class T>
static __attribute__((always_inline)) void runAll(const unsigned *worker, const T *state) {
  asm volatile(" runall %[worker], %[state], 0\n" : : [worker] "r"(worker), [state] "r"(state) :);
}
static __attribute__((always_inline)) __attribute__((target("supervisor"))) void syncWorkers() {
  asm volatile(" sync   %[zone]\n" ::[zone] "i"(TEXCH_SYNCZONE_LOCAL));
}

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
/// A supervisor with the state of its workers.
class Double : public SupervisorVertex {
public:
  From<int> in;
  To<int> out;
  unsigned n;
  __attribute__((target("supervisor"))) bool compute() {
    unsigned *worker;
    SET_ADDRESS(worker, "__runCodelet_DoubleWorker");
    runAll(worker, this);
    syncWorkers();
    return true;
  }
};

/// A supervisor that passes its own variables to workers in C++.
struct SumState {
  const int *in;
  unsigned *n;
  int *sums;
};
class SumWorker : public Vertex {
public:
  bool compute() {
    SumState *state;
    asm volatile(" mov %[state], $mvertex_base\n" : [state] "=r"(state) : :);
    const unsigned worker = __builtin_ipu_get(CSR_W_WSR__INDEX) & CSR_W_WSR__CTXTID_M1__MASK;
    state->sums[worker] = 0;
    for (unsigned i = worker; i < *state->n; i += CTXT_WORKERS)
      state->sums[worker] += state->in[i];
    return true;
  }
};
/// The sum of all, then of the first half.
class Sums : public SupervisorVertex {
public:
  From<int> in;
  To<int> out;
  unsigned n;
  [[gnu::target("supervisor")]] void compute() {
    int sums[CTXT_WORKERS];
    unsigned count = n;
    SumState state{&in[0], &count, sums};
    unsigned *worker;
    SET_ADDRESS(worker, "__runCodelet_SumWorker");
    for (unsigned turn = 0; turn < 2; ++turn) {
      runAll(worker, &state);
      syncWorkers();
      out[turn] = 0;
      for (unsigned w = 0; w < CTXT_WORKERS; ++w)
        out[turn] += sums[w];
      count /= 2;
    }
  }
};

/// A worker in assembly for each number, by `run`: their states lie in `scratch`.
class Squares : public SupervisorVertex {
public:
  From<int> in;
  To<int> out;
  InOut<Vector<unsigned, VectorLayout::ONE_PTR, 4>> scratch;
  unsigned n;
  bool __attribute__((target("supervisor"))) compute() {
    for (unsigned i = 0; i < n; ++i) {
      scratch[2 * i] = uintptr_t(&in[i]);
      scratch[2 * i + 1] = uintptr_t(&out[i]);
      unsigned dummy;
      asm volatile(" setzi %0, __runCodelet_SquareWorker\n"
                   " run %0, %1, 0\n"
                   : "+r"(dummy)
                   : "r"(uintptr_t(&scratch[2 * i] - TMEM_REGION0_BASE_ADDR / 4)));
    }
    asm volatile(".supervisor\nsync %0\n" ::"i"(TEXCH_SYNCZONE_LOCAL));
    return true;
  }
};

/// A supervisor whose workers' results count, and whose control registers are the tile's.
class Verdict : public SupervisorVertex {
public:
  From<int> in;
  To<int> out;
  unsigned n;
  bool compute() {
    __builtin_ipu_put(0x4C010, CSR_S_CCCSLOAD__INDEX);
    unsigned seen;
    asm volatile(" get %0, %1\n" : "=r"(seen) : "i"(CSR_S_CCCSLOAD__INDEX));
    out[0] = static_cast<int>(seen);
    unsigned *worker;
    SET_ADDRESS(worker, "__runCodelet_VerdictWorker");
    __builtin_ipu_runall(worker, this, 0);
    __builtin_ipu_sync(TEXCH_SYNCZONE_LOCAL);
    return true;
  }
};
class VerdictWorker : public MultiVertex {
public:
  From<int> in;
  To<int> out;
  unsigned n;
  bool compute(unsigned worker) { return worker != n; }
};

class Stray : public SupervisorVertex {
public:
  To<int> out;
  bool compute() {
    unsigned *worker;
    SET_ADDRESS(worker, "__runCodelet_StrayWorker");
    runAll(worker, this);
    return true;
  }
};
class StrayWorker : public MultiVertex {
public:
  To<int> out;
  bool compute(unsigned worker) {
    if (worker == 3)
      (&out[0])[1 << 18] = 1;
    return true;
  }
};
