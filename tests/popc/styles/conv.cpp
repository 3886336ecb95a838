#include "layouts.hpp"

#include <poplar/TileConstants.hpp>
#ifdef __IPU__
#include <ipu_memory_intrinsics>
#include <ipu_vector_math>
#endif
using namespace poplar;
static constexpr auto ONE_PTR = poplar::VectorLayout::ONE_PTR;
static constexpr auto SPAN = poplar::VectorLayout::SPAN;
static constexpr auto SCALED_PTR128 = poplar::VectorLayout::SCALED_PTR128;
static constexpr auto COMPACT_PTR = poplar::VectorLayout::COMPACT_PTR;
namespace poplin {
template <typename FPType, typename AccumType, bool useLimitedVer> constexpr bool hasAssembly() {
  constexpr bool isHalf = std::is_same<FPType, half>::value && std::is_same<AccumType, half>::value;
  return isHalf || useLimitedVer;
}
template <class FPType, class AccumType, bool useLimitedVer, bool use128BitConvUnitLoad,
          unsigned numConvUnits, unsigned convInputLoadElems>
class [[poplar::constraint("elem(**in) != elem(**out)")]] ConvPartialnx1
    : public SupervisorVertexIf<hasAssembly<FPType, AccumType, useLimitedVer>() &&
                                EXTERNAL_CODELET> {
  static const bool needsAlignWorkers = false;

public:
  ConvPartialnx1();
  using WorkListType = typename std::conditional<useLimitedVer, unsigned short, unsigned>::type;
  using UnsignedType = typename std::conditional<useLimitedVer, unsigned short, unsigned int>::type;
  using SignedType = typename std::conditional<useLimitedVer, short, int>::type;
  static constexpr unsigned weightsAlign = use128BitConvUnitLoad ? 16 : 8;
  Vector<Input<Vector<FPType, COMPACT_PTR, 8>>, ONE_PTR> in;
  Vector<Input<Vector<FPType, COMPACT_PTR, weightsAlign, use128BitConvUnitLoad>>, ONE_PTR> weights;
  Vector<Output<Vector<AccumType, COMPACT_PTR, 16, true>>, ONE_PTR> out;
  const unsigned zerosInfo;
  Input<VectorList<WorkListType, VectorListLayout::COMPACT_DELTAN>> worklists;
  const UnsignedType numOutGroupsM1;
  const UnsignedType kernelOuterSizeM1;
  const SignedType transformedInStride;
  static const bool isExternalCodelet =
      hasAssembly<FPType, AccumType, useLimitedVer>() && EXTERNAL_CODELET;
  bool compute() __attribute__((target("supervisor"))) {
    const auto usedContexts = worklists.size() / (kernelOuterSizeM1 + 1);
    for (unsigned c = 0; c < usedContexts; ++c) {
      const auto &wl = worklists[c];
      AccumType acc(0);
      for (unsigned j = 0; j < wl.size(); j += 3)
        acc += AccumType(in[0][wl[j]] * weights[0][wl[j + 1]]);
      out[0][c] = acc + transformedInStride;
    }
    return true;
  }
};
template class ConvPartialnx1<float, float, true, false, 8, 4>;
template class ConvPartialnx1<half, half, true, true, 8, 4>;
template class ConvPartialnx1<half, float, false, false, 16, 4>;
template <typename T>
class [[poplar::constraint("elem(*src) != elem(*dst)")]] Transpose2D : public Vertex {
public:
  Vector<Input<Vector<T, SPAN, 8>>> src;
  Vector<Output<Vector<T, SPAN, 8>>> dst;
  const unsigned numSrcRows, numSrcColumns;
  bool compute() {
    const auto numTranspositions = src.size();
    for (unsigned i = 0; i != numTranspositions; ++i)
      for (unsigned x = 0; x != numSrcColumns; ++x)
        for (unsigned y = 0; y != numSrcRows; ++y)
          dst[i][x * numSrcRows + y] = src[i][y * numSrcColumns + x];
    return true;
  }
};
template class Transpose2D<half>;
template class Transpose2D<float>;
template class Transpose2D<unsigned char>;
class OuterProduct : public Vertex {
public:
  Input<Vector<float>> in;
  Input<Vector<float, ONE_PTR, 8>> weights;
  Vector<Output<Vector<float, ONE_PTR, 8>>> out;
  const unsigned chansPerGroup;
  bool compute() {
    for (unsigned g = 0; g != out.size(); ++g)
      for (unsigned c = 0; c != chansPerGroup; ++c)
        for (unsigned x = 0; x != in.size(); ++x)
          out[g][c + x * chansPerGroup] = in[x] * weights[c + g * chansPerGroup];
    return true;
  }
};
template <typename T, bool B = true> struct Params { T *p; };
template <unsigned N, int M, char C> class NonType : public Vertex {
public:
  Output<int> o;
  int arr[N];
  enum E : unsigned char { A, Bv } e;
  E *unusedPtrNot() { return &e; }
  bool compute() {
    *o = N + M + C + arr[0] + e;
    return true;
  }
};
template class NonType<3, -4, 'x'>;
} // namespace poplin
