// Vertices whose code is in loops.S: inner products of a tile, by its AMP units.
#include <poplar/HalfFloat.hpp>
#include <poplar/Vertex.hpp>

using namespace poplar;

/// out[b][r][o] = sum over blocks k and inputs i of in[k][r][i] * w[b][k][i][o]: a block of inputs,
/// and one of outputs, is what the units take at once. The weights lie in the order of $CWEI.
template <typename In, typename Out>
class [[poplar::constraint("elem(*in) != elem(*out)")]] InnerProductLoop : public SupervisorVertex {
public:
  Input<Vector<In, VectorLayout::ONE_PTR, 16, true>> in;
  Input<Vector<In, VectorLayout::ONE_PTR, 16, true>> weights;
  Output<Vector<Out, VectorLayout::ONE_PTR, 16, true>> out;
  unsigned inBlocks, outBlocks;
  unsigned workerBytes; ///< of a worker's rows in a block of inputs
  unsigned blockBytes;  ///< of a block of inputs
  unsigned outBytes;    ///< of a block of outputs
  unsigned turns;       ///< a worker's rows, less the two in which the pipeline fills and drains
  static const bool isExternalCodelet = true;
  __attribute__((target("supervisor"))) bool compute() { return true; }
};

template class InnerProductLoop<half, float>;
template class InnerProductLoop<half, half>;
template class InnerProductLoop<float, float>;
