#include <cstdint>
#include <poplar/Vertex.hpp>
#include <type_traits>

namespace ops {

enum class Kind : std::uint8_t { Add, Shift };

template <Kind K> struct Step {
  template <typename T> static T of(T x) {
    if constexpr (K == Kind::Add)
      return static_cast<T>(x + 1);
    else
      return static_cast<T>(x * 2);
  }
};

template <typename T, Kind K, bool Negate, unsigned N> class Apply : public poplar::Vertex {
  static_assert(std::is_integral<T>::value, "only for integers");

public:
  poplar::InOut<poplar::Vector<T, poplar::VectorLayout::SPAN, 8>> data;
  static const bool isExternalCodelet = false;

  bool compute() {
    for (unsigned i = 0; i < data.size(); ++i) {
      T x = data[i];
      for (unsigned n = 0; n < N; ++n)
        x = Step<K>::of(x);
      data[i] = Negate ? static_cast<T>(-x) : x;
    }
    return true;
  }
};

#define INSTANTIATE(T)                                                                             \
  template class Apply<T, Kind::Add, false, 1>;                                                    \
  template class Apply<T, Kind::Add, true, 3>;                                                     \
  template class Apply<T, Kind::Shift, false, 2>;
INSTANTIATE(int)
INSTANTIATE(std::int16_t)

} // namespace ops
