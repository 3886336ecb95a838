#include "random_bits.hpp"

using namespace poplar;

namespace poprand {

/// The seeds of a tile's generators, four words for each worker.
class SeedWorkers : public Vertex {
public:
  Input<Vector<unsigned, VectorLayout::ONE_PTR>> masterSeed;
  Output<Vector<unsigned>> seeds;
  unsigned modifier;
  unsigned stream; ///< stream of the first worker

  bool compute() {
    for (unsigned i = 0; i < seeds.size(); i += 4) {
      RandomBits bits(masterSeed[0], masterSeed[1], modifier, stream + i / 4);
      const unsigned long long low = bits.next(), high = bits.next() | 1; // not all zero
      seeds[i] = static_cast<unsigned>(low);
      seeds[i + 1] = static_cast<unsigned>(low >> 32);
      seeds[i + 2] = static_cast<unsigned>(high);
      seeds[i + 3] = static_cast<unsigned>(high >> 32);
    }
    return true;
  }
};

} // namespace poprand
