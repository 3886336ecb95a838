#include <poplar/Vertex.hpp>

using namespace poplar;

class ReturnsBool : public Vertex {
public:
  Input<Vector<unsigned>> in;
  Output<Vector<unsigned>> out;
  unsigned add;
  bool compute() {
    for (unsigned i = 0; i < in.size(); ++i)
      out[i] = 2 * in[i] + add;
    return false;
  }
};

class ReturnsVoid : public Vertex {
public:
  Input<Vector<unsigned, VectorLayout::SPAN, 4, false>> in;
  Output<Vector<unsigned, VectorLayout::COMPACT_PTR, 8>> out;
  const unsigned add;
  ReturnsVoid();
  void compute() {
    unsigned i = 0;
    for (const auto x : in)
      out[i++] = 2 * x + add;
  }
};

struct Trailing : public poplar::Vertex {
  poplar::Input<poplar::Vector<unsigned>> in;
  poplar::Output<poplar::Vector<unsigned>> out;
  unsigned add;
  auto compute() -> bool {
    unsigned *to = &out[0];
    for (const unsigned *from = in.begin(); from != in.end(); ++from)
      *to++ = *from * 2 + add;
    return true;
  }
};

class [[poplar::constraint("elem(*in) != elem(*out)")]] Multi : public MultiVertex {
public:
  Input<Vector<unsigned>> in;
  Output<Vector<unsigned>> out;
  unsigned add;
  bool compute(unsigned workerId) {
    const auto numElements = in.size();
    for (std::size_t i = workerId; i < numElements; i += MultiVertex::numWorkers())
      out[i] = in[i] + in[i] + add;
    return true;
  }
};

class Supervised : public SupervisorVertex {
public:
  Input<Vector<unsigned>> in;
  Output<Vector<unsigned>> out;
  unsigned add;
  __attribute__((target("supervisor"))) bool compute() {
    for (unsigned i = 0; i < in.size(); ++i)
      out[i] = 2 * in[i] + add;
    return true;
  }
};

class MultiVoid : public MultiVertex {
public:
  Input<Vector<unsigned>> in;
  Output<Vector<unsigned>> out;
  short add;
  void compute(unsigned id) {
    for (unsigned i = id; i < out.size(); i += numWorkers())
      out[i] = 2 * in[i] + static_cast<unsigned>(add);
  }
};
