#include "layouts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
using namespace poplar;
static constexpr auto SPAN = poplar::VectorLayout::SPAN;
static constexpr auto ONE_PTR = poplar::VectorLayout::ONE_PTR;
namespace popops {
namespace expr {
enum class UnaryOpType { ABSOLUTE, EXPONENT, RELU, NEGATE, SIGNUM, TANH };
enum class BinaryOpType { ADD, SUBTRACT, MAXIMUM, LESS_THAN };
} // namespace expr
namespace {
template <expr::UnaryOpType op, typename T> struct UnaryOpFn;
template <typename T> struct UnaryOpFn<expr::UnaryOpType::ABSOLUTE, T> {
  static T fn(T x) { return std::fabs(float(x)); }
};
template <typename T> struct UnaryOpFn<expr::UnaryOpType::RELU, T> {
  static T fn(T x) { return x > 0.0f ? x : 0.0f; }
};
template <typename T> struct UnaryOpFn<expr::UnaryOpType::SIGNUM, T> {
  static T fn(T x) { return (T(0) < x) - (x < T(0)); }
};
template <typename T> struct UnaryOpFn<expr::UnaryOpType::TANH, T> {
  static T fn(T x) { return std::tanh(static_cast<float>(x)); }
};
template <expr::BinaryOpType op, typename T> struct BinaryOpFn;
template <typename T> struct BinaryOpFn<expr::BinaryOpType::ADD, T> {
  static T fn(T x, T y) { return x + y; }
};
template <typename T> struct BinaryOpFn<expr::BinaryOpType::MAXIMUM, T> {
  static T fn(T x, T y) { return (x > y) ? x : y; }
};
template <typename T> struct BinaryOpFn<expr::BinaryOpType::LESS_THAN, T> {
  static bool fn(T x, T y) { return x < y; }
};
template <expr::BinaryOpType op, typename T> struct BinaryOpOutputType { using type = T; };
template <typename T> struct BinaryOpOutputType<expr::BinaryOpType::LESS_THAN, T> {
  using type = bool;
};
} // namespace
template <expr::UnaryOpType op, typename T>
class [[poplar::constraint("elem(**in) != elem(**out)")]] UnaryOp2D : public Vertex {
public:
  Vector<Input<Vector<T, ONE_PTR, 8>>, ONE_PTR> in;
  Vector<Output<Vector<T, SPAN, 8>>> out;
  static const bool isExternalCodelet = EXTERNAL_CODELET && !std::is_same<T, int>::value;
  bool compute() {
    for (unsigned i = 0; i != out.size(); ++i) {
      for (unsigned j = 0; j != out[i].size(); ++j)
        out[i][j] = UnaryOpFn<op, T>::fn(in[i][j]);
    }
    return true;
  }
};
template class UnaryOp2D<expr::UnaryOpType::ABSOLUTE, float>;
template class UnaryOp2D<expr::UnaryOpType::ABSOLUTE, half>;
template class UnaryOp2D<expr::UnaryOpType::RELU, float>;
template class UnaryOp2D<expr::UnaryOpType::RELU, half>;
template class UnaryOp2D<expr::UnaryOpType::SIGNUM, half>;
template class UnaryOp2D<expr::UnaryOpType::TANH, half>;
#define INSTANTIATE_OP(v, op, t) template class v<op, t>;
#define FOR_T(F, v, op, t, ...) F(v, op, t)
template <expr::BinaryOpType op, typename T>
class BinaryOp1DSupervisor : public SupervisorVertexIf<EXTERNAL_CODELET> {
  using OutType = typename BinaryOpOutputType<op, T>::type;

public:
  BinaryOp1DSupervisor();
  Input<Vector<T, ONE_PTR, 8>> in1;
  Input<Vector<T, ONE_PTR, 8>> in2;
  Output<Vector<OutType, SPAN, 8>> out;
  static const bool isExternalCodelet = EXTERNAL_CODELET;
  bool compute() {
    for (unsigned j = 0; j != out.size(); ++j)
      out[j] = BinaryOpFn<op, T>::fn(in1[j], in2[j]);
    return true;
  }
};
} // namespace popops
namespace popops {
INSTANTIATE_OP(BinaryOp1DSupervisor, expr::BinaryOpType::ADD, half)
INSTANTIATE_OP(BinaryOp1DSupervisor, expr::BinaryOpType::ADD, unsigned)
INSTANTIATE_OP(BinaryOp1DSupervisor, expr::BinaryOpType::ADD, unsigned long long)
INSTANTIATE_OP(BinaryOp1DSupervisor, expr::BinaryOpType::ADD, short)
INSTANTIATE_OP(BinaryOp1DSupervisor, expr::BinaryOpType::MAXIMUM, half)
INSTANTIATE_OP(BinaryOp1DSupervisor, expr::BinaryOpType::LESS_THAN, half)
INSTANTIATE_OP(BinaryOp1DSupervisor, expr::BinaryOpType::LESS_THAN, bool)

template <typename T> class Clamp : public MultiVertex {
public:
  Input<Vector<T, ONE_PTR>> in;
  Input<T> lower;
  Input<T> upper;
  Output<Vector<T, SPAN>> out;
  bool compute(unsigned wid) {
    for (auto i = wid; i < out.size(); i += MultiVertex::numWorkers()) {
      out[i] = in[i];
      if (out[i] < *lower)
        out[i] = *lower;
      if (out[i] > *upper)
        out[i] = *upper;
    }
    return true;
  }
};
template class Clamp<float>;
template class Clamp<half>;
template class Clamp<int>;

template <typename InType> class Select : public Vertex {
public:
  Vector<Input<Vector<InType, ONE_PTR>>, ONE_PTR> in1;
  Vector<Input<Vector<InType, ONE_PTR>>, ONE_PTR> in2;
  Vector<Input<Vector<bool, ONE_PTR>>, ONE_PTR> in3;
  Vector<Output<Vector<InType>>> out;
  bool compute() {
    for (unsigned i = 0; i != out.size(); ++i)
      for (unsigned j = 0; j != out[i].size(); ++j)
        out[i][j] = in3[i][j] ? in1[i][j] : in2[i][j];
    return true;
  }
};
template class Select<float>;
template class Select<half>;
template class Select<bool>;

template <typename SrcType, typename DstType>
class [[poplar::constraint("elem(*src) != elem(*dst)")]] Cast1DSingleWorker : public Vertex {
public:
  Cast1DSingleWorker();
  static const bool isExternalCodelet = EXTERNAL_CODELET && (std::is_same<SrcType, float>::value);
  Input<Vector<SrcType, PTR_ALIGN64, 8>> src;
  Output<Vector<DstType, PTR_ALIGN64, 8>> dst;
  const unsigned numElems;
  bool compute() {
    for (unsigned i = 0; i < numElems; ++i)
      dst[i] = static_cast<DstType>(src[i]);
    return true;
  }
};
#define CAST_ALL(F)                                                                                \
  F(float)                                                                                         \
  F(half) F(int) F(unsigned) F(bool) F(unsigned short) F(short) F(char) F(signed char)             \
      F(unsigned char) F(long long) F(unsigned long long)
#define C1(T)                                                                                      \
  template class Cast1DSingleWorker<half, T>;                                                      \
  template class Cast1DSingleWorker<float, T>;                                                     \
  template class Cast1DSingleWorker<int, T>;
CAST_ALL(C1)
template class Cast1DSingleWorker<unsigned char, half>;
template class Cast1DSingleWorker<bool, half>;

template <typename T> class ScaledAdd : public Vertex {
  static constexpr std::size_t minAlign() { return 8; }

public:
  InOut<Vector<T, PTR_ALIGN64, minAlign()>> A;
  unsigned short size;
  Input<Vector<T, PTR_ALIGN64, minAlign()>> B;
  const float scaleB;
  Input<Vector<float, ONE_PTR>> tol;
  bool compute() {
    const unsigned limI = size;
    for (unsigned i = 0; i < limI; ++i) {
      A[i] += scaleB * static_cast<float>(B[i]);
      A[i] -= B[i];
      A[i] *= 2;
      A[i] /= 2.0f;
    }
    return true;
  }
};
template class ScaledAdd<half>;
template class ScaledAdd<float>;

class EncodeOneHot : public Vertex {
public:
  Input<Vector<unsigned>> indices;
  InOut<Vector<half, ONE_PTR>> out;
  unsigned sliceLength;
  unsigned offset;
  Input<half> on, off;
  bool compute() {
    for (unsigned i = 0; i < indices.size(); ++i) {
      out[i] = indices[i] == offset ? on : off;
      out[i] = *on;
      half h = on;
      float f = on;
      out[i] += h * f;
    }
    return true;
  }
};
} // namespace popops
