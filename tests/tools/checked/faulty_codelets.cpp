// Codelets of faulty_program.cpp. All but Good, GoodLoops and CopiesNothing have one fault, in the
// line that says so. `count` is a field and no constant, so that no compiler sees the fault.
#include <cstring>
#include <poplar/Vertex.hpp>

using poplar::InOut;
using poplar::Input;
using poplar::MultiVertex;
using poplar::Output;
using poplar::Vector;
using poplar::VectorLayout;
using poplar::VectorList;
using poplar::VectorListLayout;
using poplar::Vertex;

namespace {

/// Faults that copse check must find, in one place.
template <class T> T *writable(const T *at) { return const_cast<T *>(at); }

} // namespace

class Good : public Vertex {
public:
  Input<Vector<float>> in;
  Output<Vector<float>> out;
  int count;
  float table[4];
  bool compute() {
    for (int i = 0; i < count; ++i) {
      table[i % 4] = in[i];
      out[i] = 2 * table[i % 4];
    }
    return true;
  }
};

/// Loops whose accesses are checked once, in front of them: what they load they may have stored
/// themselves.
class GoodLoops : public Vertex {
public:
  Input<Vector<float>> in;
  Output<Vector<float>> out;
  int count;
  bool compute() {
    const unsigned none = out.size() - static_cast<unsigned>(count);
    for (unsigned i = 0; i < none; ++i)
      out[i + 100] = in[i + 100];
    out[0] = in[0];
    for (unsigned i = 1; i < out.size(); ++i)
      out[i] = out[i - 1] + in[i];
    for (unsigned i = 0; i < out.size() / 2; ++i)
      out[2 * i] = out[2 * i + 1] * in[out.size() - 1 - i];
    return true;
  }
};

class ReadsBeforeItWrites : public Vertex {
public:
  Input<Vector<float>> in;
  Output<Vector<float>> out;
  int count;
  bool compute() {
    out[0] = in[0];
    for (unsigned i = 0; i + 1 < out.size(); ++i) {
      const float next = out[i + 1]; // the fault of ReadsBeforeItWrites
      out[i] = next + in[i];
    }
    return true;
  }
};

class ReadsBehind : public Vertex {
public:
  Input<Vector<float>> in;
  Output<Vector<float>> out;
  int count;
  bool compute() {
    float sum = 0;
    for (int i = 0; i <= count; ++i)
      sum += in[i]; // the fault of ReadsBehind
    out[0] = sum;
    return true;
  }
};

class ReadsInFront : public Vertex {
public:
  Input<Vector<float>> in;
  Output<Vector<float>> out;
  int count;
  bool compute() {
    const float *const first = &in[0];
    out[0] = first[-count]; // the fault of ReadsInFront
    return true;
  }
};

class WritesBehind : public Vertex {
public:
  Input<Vector<float>> in;
  Output<Vector<float>> out;
  int count;
  bool compute() {
    for (int i = 0; i <= count; ++i)
      out[i] = 1; // the fault of WritesBehind
    return true;
  }
};

class WritesInput : public Vertex {
public:
  Input<Vector<float>> in;
  Output<Vector<float>> out;
  int count;
  bool compute() {
    writable(&in[0])[count - 1] = 1; // the fault of WritesInput
    out[0] = 1;
    return true;
  }
};

class WritesState : public Vertex {
public:
  Input<Vector<float>> in;
  Output<Vector<float>> out;
  int count;
  int table[4];
  bool compute() {
    volatile int *const at = table;
    at[count] = 1; // the fault of WritesState
    out[0] = static_cast<float>(at[0]);
    return true;
  }
};

class ReadsBehindInner : public Vertex {
public:
  Vector<Input<Vector<float>>> in;
  Output<Vector<float>> out;
  int count;
  bool compute() {
    out[0] = in[1][count]; // the fault of ReadsBehindInner
    return true;
  }
};

class ReadsBehindList : public Vertex {
public:
  Input<VectorList<float, VectorListLayout::DELTANELEMENTS>> in;
  Output<Vector<float>> out;
  int count;
  bool compute() {
    const float *const first = &in[0][0];
    out[0] = first[-count]; // the fault of ReadsBehindList
    return true;
  }
};

class FillsTooMuch : public Vertex {
public:
  Input<Vector<float>> in;
  Output<Vector<float>> out;
  int count;
  bool compute() {
    char *const at = reinterpret_cast<char *>(&out[0]);
    __builtin_memset(at, 0, 4 * count + 1); // the fault of FillsTooMuch
    return true;
  }
};

class ReadsOtherTile : public Vertex {
public:
  Input<Vector<float>> in;
  Output<Vector<float>> out;
  int count;
  bool compute() {
    const char *const at = reinterpret_cast<const char *>(&in[0]);
    const auto *const there =
        reinterpret_cast<const float *>(at + (static_cast<long>(count) << 19));
    out[0] = *there; // the fault of ReadsOtherTile
    return true;
  }
};

class ReadsBehindInline : public Vertex {
public:
  Input<Vector<float, VectorLayout::ONE_PTR>> in;
  Output<Vector<float>> out;
  int count;
  bool compute() {
    float value = 0;
#ifdef __IPU__
    const float *const at = &in[count];
    asm volatile("ld32 %[value], %[at], $mzero, 0" // the fault of ReadsBehindInline
                 : [value] "=r"(value)
                 : [at] "r"(at));
#endif
    out[0] = value;
    return true;
  }
};

class ReadsBehindInAssembly : public Vertex {
public:
  Input<Vector<float, VectorLayout::ONE_PTR>> in;
  Output<Vector<float, VectorLayout::ONE_PTR>> out;
  int count;
  static const bool isExternalCodelet = true;
  bool compute() { return true; }
};

class WorkersWriteTheSame : public MultiVertex {
public:
  Input<Vector<float>> in;
  Output<Vector<float>> out;
  int count;
  bool compute(unsigned worker) {
    out[0] = static_cast<float>(worker); // the fault of WorkersWriteTheSame
    return true;
  }
};

class WorkerReadsOfOther : public MultiVertex {
public:
  Input<Vector<float>> in;
  InOut<Vector<float>> out;
  int count;
  bool compute(unsigned worker) {
    if (worker < 2)
      out[worker] = worker == 0 ? 1 : out[0]; // the fault of WorkerReadsOfOther
    return true;
  }
};

class WorkersShareWords : public MultiVertex {
public:
  Input<Vector<float>> in;
  Output<Vector<unsigned short>> out;
  int count;
  bool compute(unsigned worker) {
    for (int i = static_cast<int>(worker); i < count; i += static_cast<int>(numWorkers()))
      out[i] = 1; // the fault of WorkersShareWords
    return true;
  }
};

/// Worker 0 copies all; the others copy nothing, to the middle of a word that worker 0 writes.
class CopiesNothing : public MultiVertex {
public:
  Input<Vector<float>> in;
  Output<Vector<unsigned short>> out;
  int count;
  bool compute(unsigned worker) {
    const std::size_t mine = worker == 0 ? static_cast<std::size_t>(count) : 0;
    std::memcpy(&out[worker == 0 ? 0 : 1], &in[0], mine * sizeof(unsigned short));
    return true;
  }
};

class WritesBytes : public Vertex {
public:
  Output<Vector<unsigned char, VectorLayout::ONE_PTR, 1>> out;
  int count;
  bool compute() {
    for (int i = 0; i < count; ++i)
      out[i] = 1; // the fault of WritesBytes
    return true;
  }
};

class ReadsUnwritten : public Vertex {
public:
  Input<Vector<float>> in;
  Output<Vector<float>> out;
  int count;
  bool compute() {
    out[0] = in[count - 1]; // the fault of ReadsUnwritten
    return true;
  }
};

class ReadsMisaligned : public Vertex {
public:
  Input<Vector<float>> in;
  Output<Vector<float>> out;
  int count;
  bool compute() {
    const char *const at = reinterpret_cast<const char *>(&in[0]);
    out[0] = *reinterpret_cast<const float *>(at + count / 2); // the fault of ReadsMisaligned
    return true;
  }
};
