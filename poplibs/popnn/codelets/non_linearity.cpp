// Functions of single elements, and their gradients.
#include "../include/popnn/NonLinearityDef.hpp"
#include "worker_part.hpp"

#include <poplar/Vertex.hpp>

using namespace poplar;

namespace popnn {

using Kind = NonLinearityType;
constexpr float kGeluScale = 0.7978845608f, kGeluCube = 0.044715f;

/// Returns the sigmoid. exp() never gets a positive number, so it cannot overflow.
inline float sigmoidOf(float x) {
  const float e = std::exp(x < 0 ? x : -x);
  return (x < 0 ? e : 1.0f) / (1.0f + e);
}

/// Returns the s of gelu's x * s. With u = kGeluScale * x * (1 + kGeluCube * x * x), it is 0.5 * (1
/// + tanh(u)), which is the sigmoid of 2 u: an exponential takes less time than tanh(), and nothing
/// cancels out where x is negative.
inline float geluShare(float x) { return sigmoidOf(2 * kGeluScale * x * (1 + kGeluCube * x * x)); }

template <Kind kind> inline float valueOf(float x) {
  switch (kind) {
  case Kind::SIGMOID:
    return sigmoidOf(x);
  case Kind::HARD_SIGMOID:
    return std::fmin(std::fmax(0.2f * x + 0.5f, 0.0f), 1.0f);
  case Kind::RELU:
    return x > 0 ? x : x != x ? x : 0.0f;
  case Kind::TANH:
    return std::tanh(x);
  case Kind::GELU:
    return x * geluShare(x);
  default:
    return x * sigmoidOf(x); // SWISH
  }
}

/// \param a  the function's result or its argument, as popnn/NonLinearity.hpp says
template <Kind kind> inline float gradientOf(float a, float g) {
  switch (kind) {
  case Kind::SIGMOID:
    return g * a * (1 - a);
  case Kind::HARD_SIGMOID:
    return std::fabs(a) <= 2.5f ? 0.2f * g : 0.0f;
  case Kind::RELU:
    return a > 0 ? g : 0.0f;
  case Kind::TANH:
    return g * (1 - a * a);
  case Kind::GELU: {
    const float s = geluShare(a);
    const float slope = 2 * kGeluScale * (1 + 3 * kGeluCube * a * a);
    return g * s * (1 + (1 - s) * a * slope);
  }
  default: { // SWISH
    const float s = sigmoidOf(a);
    return g * s * (1 + a * (1 - s));
  }
  }
}

/// Calls f.operator()<kind>() for the kind that a number stands for.
template <typename F> inline void dispatch(unsigned kind, const F &f) {
  switch (static_cast<Kind>(kind)) {
  case Kind::SIGMOID:
    return f.template run<Kind::SIGMOID>();
  case Kind::HARD_SIGMOID:
    return f.template run<Kind::HARD_SIGMOID>();
  case Kind::RELU:
    return f.template run<Kind::RELU>();
  case Kind::TANH:
    return f.template run<Kind::TANH>();
  case Kind::GELU:
    return f.template run<Kind::GELU>();
  default:
    return f.template run<Kind::SWISH>();
  }
}

template <typename T> struct Values {
  const T *in;
  T *out;
  poplibs::WorkerPart part;
  template <Kind kind> void run() const {
    for (unsigned i = part.begin; i < part.end; ++i)
      out[i] = static_cast<T>(valueOf<kind>(static_cast<float>(in[i])));
  }
};

template <typename T> struct Gradients {
  const T *act, *outGradient;
  T *inGradient;
  poplibs::WorkerPart part;
  template <Kind kind> void run() const {
    for (unsigned i = part.begin; i < part.end; ++i)
      inGradient[i] = static_cast<T>(
          gradientOf<kind>(static_cast<float>(act[i]), static_cast<float>(outGradient[i])));
  }
};

template <typename T> class NonLinearity : public MultiVertex {
public:
  Input<Vector<T, VectorLayout::ONE_PTR, 8>> in;
  Output<Vector<T, VectorLayout::SPAN, 8>> out;
  unsigned kind; ///< a NonLinearityType

  bool compute(unsigned worker) {
    dispatch(kind,
             Values<T>{&in[0], &out[0], poplibs::WorkerPart(out.size(), worker, numWorkers(), 8)});
    return true;
  }
};
template class NonLinearity<float>;
template class NonLinearity<half>;

template <typename T> class NonLinearityInPlace : public MultiVertex {
public:
  InOut<Vector<T, VectorLayout::SPAN, 8>> data;
  unsigned kind; ///< a NonLinearityType

  bool compute(unsigned worker) {
    dispatch(kind, Values<T>{&data[0], &data[0],
                             poplibs::WorkerPart(data.size(), worker, numWorkers(), 8)});
    return true;
  }
};
template class NonLinearityInPlace<float>;
template class NonLinearityInPlace<half>;

template <typename T> class NonLinearityGradient : public MultiVertex {
public:
  Input<Vector<T, VectorLayout::ONE_PTR, 8>> act;
  Input<Vector<T, VectorLayout::ONE_PTR, 8>> outGradient;
  Output<Vector<T, VectorLayout::SPAN, 8>> inGradient;
  unsigned kind; ///< a NonLinearityType

  bool compute(unsigned worker) {
    dispatch(kind, Gradients<T>{&act[0], &outGradient[0], &inGradient[0],
                                poplibs::WorkerPart(inGradient.size(), worker, numWorkers(), 8)});
    return true;
  }
};
template class NonLinearityGradient<float>;
template class NonLinearityGradient<half>;

} // namespace popnn
