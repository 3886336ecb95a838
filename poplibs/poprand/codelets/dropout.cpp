#include "random_bits.hpp"
#include "worker_part.hpp"

using namespace poplar;

namespace poprand {

/// Keeps an element, times a factor, or writes 0. `seed` is empty, or has two words.
template <typename T> class Dropout : public MultiVertex {
public:
  Input<Vector<unsigned>> seed;
  Input<Vector<T, VectorLayout::ONE_PTR, 8>> in;
  Output<Vector<T, VectorLayout::SPAN, 8>> out;
  unsigned modifier;
  unsigned stream; ///< stream of the first worker
  unsigned kept;   ///< kept elements in 65536
  float scale;

  bool compute(unsigned worker) {
    RandomBits bits =
        seed.size() == 0 ? RandomBits() : RandomBits(seed[0], seed[1], modifier, stream + worker);
    const poplibs::WorkerPart part(out.size(), worker, numWorkers(), kGrain);
    for (unsigned i = part.begin; i < part.end; i += 4) {
      const unsigned long long word = bits.next();
      for (unsigned k = 0; k < 4 && i + k < part.end; ++k)
        out[i + k] = (word >> 16 * k & 0xFFFF) < kept
                         ? static_cast<T>(static_cast<float>(in[i + k]) * scale)
                         : static_cast<T>(0.0f);
    }
    return true;
  }
};
template class Dropout<float>;
template class Dropout<half>;

/// out = in * factors
template <typename T> class Scale : public MultiVertex {
public:
  Input<Vector<T, VectorLayout::ONE_PTR, 8>> in;
  Input<Vector<T, VectorLayout::ONE_PTR, 8>> factors;
  Output<Vector<T, VectorLayout::SPAN, 8>> out;

  bool compute(unsigned worker) {
    const poplibs::WorkerPart part(out.size(), worker, numWorkers(), kGrain);
    for (unsigned i = part.begin; i < part.end; ++i)
      out[i] = static_cast<T>(static_cast<float>(in[i]) * static_cast<float>(factors[i]));
    return true;
  }
};
template class Scale<float>;
template class Scale<half>;

} // namespace poprand
