// Vertices for reductions.
#include "worker_part.hpp"

#include <poplar/Vertex.hpp>

namespace gcl {

struct Add {
  template <typename T> static T of(T a, T b) { return a + b; }
};
struct Multiply {
  template <typename T> static T of(T a, T b) { return a * b; }
};
struct Minimum {
  template <typename T> static T of(T a, T b) { return b < a ? b : a; }
};
struct Maximum {
  template <typename T> static T of(T a, T b) { return a < b ? b : a; }
};
struct And {
  static bool of(bool a, bool b) { return a && b; }
};
struct Or {
  static bool of(bool a, bool b) { return a || b; }
};
struct BitOr {
  template <typename T> static T of(T a, T b) { return a | b; }
};

/// Combines `into` with each row of `parts`, in order.
template <typename Operation, typename T> class Combine : public poplar::MultiVertex {
public:
  poplar::InOut<poplar::Vector<T, poplar::VectorLayout::SPAN>> into;  ///< [columns]
  poplar::Input<poplar::Vector<T, poplar::VectorLayout::SPAN>> parts; ///< [rows][columns]

  bool compute(unsigned worker) {
    const unsigned columns = into.size();
    const poplibs::WorkerPart part(columns, worker, numWorkers(), 8 / sizeof(T));
    T *const to = into.data();
    for (unsigned first = 0; first < parts.size(); first += columns) {
      const T *const from = parts.data() + first;
      for (unsigned j = part.begin; j < part.end; ++j)
        to[j] = Operation::of(to[j], from[j]);
    }
    return true;
  }
};

#define OF_NUMBERS(OPERATION)                                                                      \
  template class Combine<OPERATION, float>;                                                        \
  template class Combine<OPERATION, half>;                                                         \
  template class Combine<OPERATION, int>;                                                          \
  template class Combine<OPERATION, unsigned int>;                                                 \
  template class Combine<OPERATION, short>;                                                        \
  template class Combine<OPERATION, unsigned short>;                                               \
  template class Combine<OPERATION, signed char>;                                                  \
  template class Combine<OPERATION, unsigned char>;
OF_NUMBERS(Add)
OF_NUMBERS(Multiply)
OF_NUMBERS(Minimum)
OF_NUMBERS(Maximum)
#undef OF_NUMBERS
template class Combine<And, bool>;
template class Combine<Or, bool>;
template class Combine<BitOr, unsigned int>;
template class Combine<BitOr, unsigned short>;
template class Combine<BitOr, unsigned char>;

/// Squares each element.
template <typename T> class Square : public poplar::MultiVertex {
public:
  poplar::InOut<poplar::Vector<T, poplar::VectorLayout::SPAN>> elements;

  bool compute(unsigned worker) {
    const poplibs::WorkerPart part(elements.size(), worker, numWorkers(), 8 / sizeof(T));
    T *const to = elements.data();
    for (unsigned j = part.begin; j < part.end; ++j)
      to[j] = to[j] * to[j];
    return true;
  }
};
template class Square<float>;
template class Square<half>;
template class Square<int>;
template class Square<unsigned int>;

/// Divides each element.
template <typename T> class Divide : public poplar::MultiVertex {
public:
  poplar::InOut<poplar::Vector<T, poplar::VectorLayout::SPAN>> elements;
  T divisor;

  bool compute(unsigned worker) {
    const poplibs::WorkerPart part(elements.size(), worker, numWorkers(), 8 / sizeof(T));
    T *const to = elements.data();
    const T by = divisor;
    for (unsigned j = part.begin; j < part.end; ++j)
      to[j] = to[j] / by;
    return true;
  }
};
template class Divide<float>;
template class Divide<half>;
template class Divide<int>;
template class Divide<unsigned int>;

} // namespace gcl
