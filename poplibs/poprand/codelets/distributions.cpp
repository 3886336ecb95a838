// One vertex for each distribution. `seed` is empty, or has two words; the workers share the
// elements.
#include "random_bits.hpp"
#include "worker_part.hpp"

using namespace poplar;

namespace poprand {

/// Returns a value of the element's type that is not outside [low, high], which the type can
/// represent.
template <typename Out> Out limited(float x, float low, float high) {
  const float y = static_cast<float>(static_cast<Out>(x));
  return static_cast<Out>(y < low ? low : y > high ? high : y);
}

#define POPRAND_FIELDS                                                                             \
  Input<Vector<unsigned>> seed;                                                                    \
  Output<Vector<Out, VectorLayout::SPAN, 8>> out;                                                  \
  unsigned modifier;                                                                               \
  unsigned stream; /* of the first worker */

#define POPRAND_BITS                                                                               \
  RandomBits bits =                                                                                \
      seed.size() == 0 ? RandomBits() : RandomBits(seed[0], seed[1], modifier, stream + worker);   \
  const poplibs::WorkerPart part(out.size(), worker, numWorkers(), kGrain);

template <typename Out> class Uniform : public MultiVertex {
public:
  POPRAND_FIELDS
  float low, high;

  bool compute(unsigned worker) {
    POPRAND_BITS
    // Computed from the middle, not from the ends: their difference may be too large for a float.
    const float middle = low * 0.5f + high * 0.5f, half_ = high * 0.5f - low * 0.5f;
    for (unsigned i = part.begin; i < part.end; i += 2) {
      const unsigned long long word = bits.next();
      for (unsigned k = 0; k < 2 && i + k < part.end; ++k) {
        const float u = unitOf(static_cast<unsigned>(word >> 32 * k)) * 2.0f - 1.0f;
        out[i + k] = limited<Out>(middle + u * half_, low, high);
      }
    }
    return true;
  }
};
template class Uniform<float>;
template class Uniform<half>;

template <typename Out> class UniformInteger : public MultiVertex {
public:
  POPRAND_FIELDS
  int low;
  unsigned range; ///< how many values there are; 0 stands for 2^32

  bool compute(unsigned worker) {
    POPRAND_BITS
    for (unsigned i = part.begin; i < part.end; ++i) {
      const auto word = static_cast<unsigned>(bits.next() >> 32);
      const unsigned step =
          range == 0 ? word
                     : static_cast<unsigned>(static_cast<unsigned long long>(word) * range >> 32);
      out[i] = static_cast<Out>(static_cast<unsigned>(low) + step);
    }
    return true;
  }
};
template class UniformInteger<int>;

template <typename Out> class LogUniform : public MultiVertex {
public:
  POPRAND_FIELDS
  float low, high;       ///< values
  float lowLog, highLog; ///< their logarithms

  bool compute(unsigned worker) {
    POPRAND_BITS
    for (unsigned i = part.begin; i < part.end; i += 2) {
      const unsigned long long word = bits.next();
      for (unsigned k = 0; k < 2 && i + k < part.end; ++k) {
        const float u = unitOf(static_cast<unsigned>(word >> 32 * k));
        const float x = std::exp(lowLog + u * (highLog - lowLog));
        out[i + k] = limited<Out>(x < low ? low : x > high ? high : x, low, high);
      }
    }
    return true;
  }
};
template class LogUniform<float>;
template class LogUniform<half>;
template class LogUniform<int>;

template <typename Out> class Bernoulli : public MultiVertex {
public:
  POPRAND_FIELDS
  unsigned ones; ///< ones in 65536 draws

  bool compute(unsigned worker) {
    POPRAND_BITS
    for (unsigned i = part.begin; i < part.end; i += 4) {
      const unsigned long long word = bits.next();
      for (unsigned k = 0; k < 4 && i + k < part.end; ++k)
        out[i + k] = static_cast<Out>((word >> 16 * k & 0xFFFF) < ones ? 1 : 0);
    }
    return true;
  }
};
template class Bernoulli<float>;
template class Bernoulli<half>;
template class Bernoulli<int>;

/// Draws from the part of the distribution between two quantiles.
template <typename Out> class Normal : public MultiVertex {
public:
  POPRAND_FIELDS
  float mean, deviation;
  float low, high;            ///< no value is outside
  float quantile, proportion; ///< where the part begins, and how much it is

  bool compute(unsigned worker) {
    POPRAND_BITS
    for (unsigned i = part.begin; i < part.end; i += 2) {
      const unsigned long long word = bits.next();
      for (unsigned k = 0; k < 2 && i + k < part.end; ++k) {
        const double p =
            static_cast<double>(quantile) +
            static_cast<double>(proportion) * openUnitOf(static_cast<unsigned>(word >> 32 * k));
        const float x = static_cast<float>(normalQuantile(p));
        out[i + k] = limited<Out>(mean + deviation * x, low, high);
      }
    }
    return true;
  }
};
template class Normal<float>;
template class Normal<half>;

} // namespace poprand
