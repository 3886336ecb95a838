#include "layouts.hpp"

#include <array>
#include <cassert>
#include <cstring>
#include <limits>
#include <poplar/StackSizeDefs.hpp>
#include <poplar/TileConstants.hpp>
#include <print.h>
#include <tuple>
using namespace poplar;
namespace popops {
struct ReduceAdd {
  template <typename T> static T init() { return 0; }
  template <typename OutType, typename PartialsType>
  static void update(OutType &acc, PartialsType val) {
    acc += static_cast<OutType>(val);
  }
};
struct ReduceMax {
  template <typename T> static T init() { return std::numeric_limits<T>::lowest(); }
  template <typename OutType, typename PartialsType>
  static void update(OutType &acc, PartialsType val) {
    if (static_cast<OutType>(val) > acc)
      acc = static_cast<OutType>(val);
  }
};
struct ReduceAnd {
  template <typename T> static T init() { return true; }
  template <typename O, typename P> static void update(O &acc, P val) { acc = acc && val; }
};
enum class ReductionSpecialisation { DEFAULT, SCALAR_OUTPUT_REGIONS = 4, STRIDED_REDUCE };
template <typename OutType>
using AccType = std::conditional_t<std::is_same<OutType, half>::value, float, OutType>;
template <typename ReduceOp, typename OutType, typename PartialsType, bool isUpdate,
          ReductionSpecialisation specialisation>
class Reduce : public Vertex {
  constexpr static auto DELTANELEMENTS = DELTAN_TYPE;
  template <typename T> using ReduceOutputAlign = std::integral_constant<unsigned, 8>;
  using OutputT = typename std::conditional<isUpdate, InOut<VectorList<OutType, DELTANELEMENTS, 8>>,
                                            Output<VectorList<OutType, DELTANELEMENTS, 8>>>::type;

public:
  Reduce();
  OutputT out;
  Input<Vector<unsigned short, SPAN_TYPE>> numPartials;
  Input<VectorList<PartialsType, DELTANELEMENTS, 8, false>> partials;
  constexpr static bool isExternalCodelet =
      EXTERNAL_CODELET && specialisation == ReductionSpecialisation::DEFAULT;
  bool compute() {
    unsigned p = 0;
    for (unsigned r = 0; r < out.size(); ++r) {
      for (unsigned i = 0; i < out[r].size(); ++i) {
        AccType<OutType> acc = ReduceOp::template init<AccType<OutType>>();
        for (unsigned j = 0; j < numPartials[r]; ++j)
          ReduceOp::update(acc, partials[p + j][i]);
        if (isUpdate)
          out[r][i] += acc;
        else
          out[r][i] = acc;
      }
      p += numPartials[r];
    }
    return true;
  }
};
#define DECLARE_REDUCTION2(NAME, OUT, IN, UPD)                                                     \
  template class Reduce<popops::NAME, OUT, IN, UPD, ReductionSpecialisation::DEFAULT>;             \
  template class Reduce<popops::NAME, OUT, IN, UPD, ReductionSpecialisation::SCALAR_OUTPUT_REGIONS>;
DECLARE_REDUCTION2(ReduceAdd, float, half, true)
DECLARE_REDUCTION2(ReduceAdd, half, half, false)
DECLARE_REDUCTION2(ReduceAdd, int, int, false)
DECLARE_REDUCTION2(ReduceMax, half, half, false)
DECLARE_REDUCTION2(ReduceAnd, bool, bool, false)
template <typename Op, typename OutType, typename PartialsType, bool isUpdate,
          ReductionSpecialisation spec>
class ReduceWithScale;
template <typename Op, typename OutType, bool isUpdate>
class ReduceWithScale<Op, OutType, float, isUpdate, ReductionSpecialisation::STRIDED_REDUCE>
    : public Vertex {
public:
  Output<Vector<OutType, PTR_ALIGN64, 8, false>> out;
  Input<Vector<float, PTR_ALIGN64, 8>> partials;
  unsigned short numOutputs;
  Input<float> k;
  bool compute() {
    for (unsigned i = 0; i < numOutputs; i++)
      out[i] = partials[i] * *k;
    return true;
  }
};
template class ReduceWithScale<ReduceAdd, half, float, false,
                               ReductionSpecialisation::STRIDED_REDUCE>;
DEF_STACK_USAGE(0, "__runCodelet_foo")
class PrintIt : public Vertex {
public:
  Input<Vector<int>> x;
  bool compute() {
    printf("%d\n", x[0]);
    assert(x.size());
    return true;
  }
};
template <typename FPType, typename Op> struct Both;
template <typename T>
class [[poplar::constraint("elem(*a)!=elem(*b)", "region(*a) != region(*c)")]] WORKER_ALIGN TopK
    : public Vertex {
public:
  InOut<Vector<T, VectorLayout::ONE_PTR>> a;
  InOut<Vector<unsigned, VectorLayout::ONE_PTR>> b;
  Input<Vector<T, VectorLayout::SPAN, 16, true>> c;
  const unsigned short n;
  const bool f;
  struct Pair {
    T k;
    unsigned v;
  };
  void swap(unsigned i, unsigned j) {
    std::swap(a[i], a[j]);
    std::swap(b[i], b[j]);
  }
  bool compute() {
    for (unsigned i = 1; i < n; ++i)
      for (unsigned j = i; j > 0 && a[j - 1] > a[j]; --j)
        swap(j - 1, j);
    T best = std::numeric_limits<T>::infinity();
    for (const auto &x : c)
      best = std::min(best, x);
    a[0] = std::max<T>(best, a[0]);
    auto p = std::make_tuple(a[0], 1u);
    std::memcpy(&a[0], &std::get<0>(p), sizeof(T));
    return true;
  }
};
template class TopK<half>;
template class TopK<float>;
template class TopK<int>;
} // namespace popops
