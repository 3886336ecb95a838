#include <poplar/Vertex.hpp>

#ifdef __IPU__
#include <ipu_intrinsics>
#endif

class PiVertex : public poplar::Vertex {
public:
  poplar::Output<unsigned> hits;
  int iterations;
  unsigned seed;

  bool compute() {
    uint32_t state = seed * 2654435761u + 1;
    auto next = [&state]() -> float {
      state = state * 1664525u + 1013904223u;
      return static_cast<float>(state >> 8) / 16777216.0f;
    };
    unsigned count = 0;
    for (auto i = 0; i < iterations; i++) {
      auto x = next();
      auto y = next();
      count += x * x + y * y < 1.0f;
    }
    *hits = count;
    return true;
  }
};
