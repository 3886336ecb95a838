#pragma once

#include "poplar/FieldTypes.hpp"

#include <utility>

namespace poplar {
namespace encoding {

/// Implements the operations of an edge to one element.
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

/// Declares an edge of a codelet that the vertex reads. An edge to one element converts to it;
/// `*edge` is the element. The elements of a vector are not const, because programs cast
/// `&input[0]` to non-const pointers of other types; still a codelet must not write them. An edge
/// to a vector is a Vector, so that it can be passed to functions that take a Vector. See User
/// guide, 2.8 and 3.2.
template <typename T> class Input : public encoding::ScalarField<const T> {};
/// Declares a vector that the vertex reads.
template <typename T, VectorLayout L, unsigned MinAlign, bool Interleaved>
class Input<Vector<T, L, MinAlign, Interleaved>> : public Vector<T, L, MinAlign, Interleaved> {
public:
  /// The view of a row of a vector of edges. Its elements are const; programs rely on that.
  using View = decltype(encoding::readOnly(
      std::declval<typename Vector<T, L, MinAlign, Interleaved>::View>()));
  /// Returns that view.
  View view(std::uintptr_t slot) const {
    return encoding::readOnly(Vector<T, L, MinAlign, Interleaved>::view(slot));
  }
};

/// Declares an edge that the vertex writes. The value before the first write is undefined.
template <typename T> class Output : public encoding::ScalarField<T> {};
/// Declares a vector that the vertex writes.
template <typename T, VectorLayout L, unsigned MinAlign, bool Interleaved>
class Output<Vector<T, L, MinAlign, Interleaved>> : public Vector<T, L, MinAlign, Interleaved> {};

/// Declares an edge that the vertex reads and writes.
template <typename T> class InOut : public encoding::ScalarField<T> {};
/// Declares a vector that the vertex reads and writes.
template <typename T, VectorLayout L, unsigned MinAlign, bool Interleaved>
class InOut<Vector<T, L, MinAlign, Interleaved>> : public Vector<T, L, MinAlign, Interleaved> {};

} // namespace poplar
