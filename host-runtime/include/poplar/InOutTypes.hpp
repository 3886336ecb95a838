#pragma once

#include "poplar/FieldTypes.hpp"

#include <utility>

namespace poplar {
namespace encoding {

/// The operations of an edge to one element.
template <typename T> class ScalarField {
public:
  using View = ScalarView<T>;
  __attribute__((pure)) operator T &() const { return **this; }
  __attribute__((pure)) T &operator*() const { return *pointer_.get(slotOf(this)); }
  T *operator->() const { return pointer_.get(slotOf(this)); }
  View view(std::uintptr_t slot) const { return View(pointer_.get(slot)); }

private:
  Pointer<T, VectorLayout::ONE_PTR> pointer_;
};

} // namespace encoding

/// An edge that the vertex reads.  Source: guide, 2.8. The elements of a vector are not const, as
/// programs cast `&input[0]` to pointers of other types without const; a codelet must not write
/// there all the same. An edge to a vector is a Vector, which functions of programs take.
template <typename T> class Input : public encoding::ScalarField<const T> {};
template <typename T, VectorLayout L, unsigned MinAlign, bool Interleaved>
class Input<Vector<T, L, MinAlign, Interleaved>> : public Vector<T, L, MinAlign, Interleaved> {
public:
  /// As a row of a vector of edges: const, which programs rely on, too.
  using View = decltype(encoding::readOnly(
      std::declval<typename Vector<T, L, MinAlign, Interleaved>::View>()));
  View view(std::uintptr_t slot) const {
    return encoding::readOnly(Vector<T, L, MinAlign, Interleaved>::view(slot));
  }
};

/// An edge that the vertex writes. What it reads from there is undefined.
template <typename T> class Output : public encoding::ScalarField<T> {};
template <typename T, VectorLayout L, unsigned MinAlign, bool Interleaved>
class Output<Vector<T, L, MinAlign, Interleaved>> : public Vector<T, L, MinAlign, Interleaved> {};

/// An edge that the vertex reads and writes.
template <typename T> class InOut : public encoding::ScalarField<T> {};
template <typename T, VectorLayout L, unsigned MinAlign, bool Interleaved>
class InOut<Vector<T, L, MinAlign, Interleaved>> : public Vector<T, L, MinAlign, Interleaved> {};

} // namespace poplar
