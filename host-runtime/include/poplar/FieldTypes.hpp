#pragma once

#include "poplar/MetadataType.hpp"
#include "poplar/TileAddress.hpp"

#include <cstddef>
#include <type_traits>

namespace poplar {

template <typename T> class Input;
template <typename T> class Output;
template <typename T> class InOut;

namespace encoding {

/// Gives codelets access to an edge that is an element of a vector. Has native pointers, so it may
/// be copied freely.
template <typename T> class ScalarView {
public:
  explicit ScalarView(T *data) : data_(data) {}
  ScalarView(const ScalarView &) = default;
  ScalarView &operator=(const ScalarView &) = default;
  /// Writes the element: `numbers[1] = 5`. The assignment of another view makes this one refer to
  /// the other's element instead.
  const ScalarView &operator=(const typename std::remove_const<T>::type &value) const {
    *data_ = value;
    return *this;
  }
  operator T &() const { return *data_; }
  T &operator*() const { return *data_; }
  T *operator->() const { return data_; }

private:
  T *data_;
};

template <typename T> class PointerView {
public:
  explicit PointerView(T *data) : data_(data) {}
  T &operator[](std::size_t i) const { return data_[i]; }
  T *data() const { return data_; }
  T *begin() const { return data_; }
  const PointerView &operator*() const { return *this; }
  const PointerView *operator->() const { return this; }

private:
  T *data_;
};

template <typename T> class SpanView {
public:
  SpanView(T *data, unsigned size) : data_(data), size_(size) {}
  SpanView(const SpanView &) = default;
  SpanView &operator=(const SpanView &) = default;
  /// Copies as many elements as both have: `rows[1] = rows[0]`. For a variable of this type, the
  /// assignment makes it refer to the other row instead.
  template <typename U> const SpanView &operator=(const SpanView<U> &from) const {
    for (unsigned i = 0; i < size_ && i < from.size(); ++i)
      data_[i] = from[i];
    return *this;
  }
  T &operator[](std::size_t i) const { return data_[i]; }
  T *data() const { return data_; }
  __attribute__((pure)) unsigned size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T *begin() const { return data_; }
  T *end() const { return data_ + size_; }
  const SpanView &operator*() const { return *this; }
  const SpanView *operator->() const { return this; }

private:
  T *data_;
  unsigned size_;
};

template <typename T> PointerView<const T> readOnly(const PointerView<T> &view) {
  return PointerView<const T>(view.data());
}
template <typename T> SpanView<const T> readOnly(const SpanView<T> &view) {
  return SpanView<const T>(view.data(), view.size());
}

template <typename P, typename T, bool HasSize> struct ViewOf {
  using type = SpanView<T>;
  static type make(const P &pointer, std::uintptr_t slot) {
    return type(pointer.get(slot), pointer.size());
  }
};
template <typename P, typename T> struct ViewOf<P, T, false> {
  using type = PointerView<T>;
  static type make(const P &pointer, std::uintptr_t slot) { return type(pointer.get(slot)); }
};

/// Returns an element of a vector: data as a reference, an inner edge as its view. The view is a
/// const value, so that `auto x`, `auto &x` and `const auto &x` can all be initialised with it.
template <typename T> struct Element {
  using Reference = T &;
  using Iterator = T *;
  static Reference at(T *elements, std::size_t i, std::uintptr_t) { return elements[i]; }
  static Iterator iterator(T *elements, std::uintptr_t) { return elements; }
};

/// Iterates over inner edges. Dereferencing returns a view by value, const, so that `for (auto &row
/// : rows)` can bind to it.
template <typename E> class EdgeIterator {
public:
  EdgeIterator(E *edge, std::uintptr_t slot) : edge_(edge), slot_(slot) {}
  const typename E::View operator*() const { return edge_->view(slot_); }
  EdgeIterator &operator++() {
    ++edge_;
    return *this;
  }
  EdgeIterator operator++(int) { return EdgeIterator(edge_++, slot_); }
  EdgeIterator operator+(std::ptrdiff_t n) const { return EdgeIterator(edge_ + n, slot_); }
  std::ptrdiff_t operator-(const EdgeIterator &other) const { return edge_ - other.edge_; }
  bool operator==(const EdgeIterator &other) const { return edge_ == other.edge_; }
  bool operator!=(const EdgeIterator &other) const { return edge_ != other.edge_; }

private:
  E *edge_;
  std::uintptr_t slot_;
};

template <typename E> struct EdgeElement {
  using Reference = const typename E::View;
  using Iterator = EdgeIterator<E>;
  static Reference at(E *edges, std::size_t i, std::uintptr_t slot) { return edges[i].view(slot); }
  static Iterator iterator(E *edges, std::uintptr_t slot) { return Iterator(edges, slot); }
};
template <typename T> struct Element<Input<T>> : EdgeElement<Input<T>> {};
template <typename T> struct Element<Output<T>> : EdgeElement<Output<T>> {};
template <typename T> struct Element<InOut<T>> : EdgeElement<InOut<T>> {};

/// Implements the operations of every vector field. A field lies in vertex state. A copy of it, as
/// an argument or a variable of a function, has the same words; slotOf() in poplar/TileAddress.hpp
/// tells them apart.
template <typename T, VectorLayout Resolved, bool HasSize = Pointer<T, Resolved>::kHasSize>
class VectorField {
public:
  using View = typename ViewOf<Pointer<T, Resolved>, T, HasSize>::type;
  typename Element<T>::Reference operator[](std::size_t i) const {
    return Element<T>::at(data(), i, slotOf(this));
  }
  T *data() const { return pointer_.get(slotOf(this)); }
  /// Stops with a fault. A field of quarters does not carry its metadata: give the vertex a field
  /// of type quarter_metadata.
  const MetadataType *getMetadata() const { __builtin_trap(); }
  typename Element<T>::Iterator begin() const { return Element<T>::iterator(data(), slotOf(this)); }
  const VectorField &operator*() const { return *this; }
  const VectorField *operator->() const { return this; }
  /// \param slot  the slot that contains the field
  View view(std::uintptr_t slot) const {
    return ViewOf<Pointer<T, Resolved>, T, HasSize>::make(pointer_, slot);
  }

protected:
  Pointer<T, Resolved> pointer_;
};

template <typename T, VectorLayout Resolved>
class VectorField<T, Resolved, true> : public VectorField<T, Resolved, false> {
public:
  using View = typename ViewOf<Pointer<T, Resolved>, T, true>::type;
  VectorField() = default;
  __attribute__((pure)) unsigned size() const { return this->pointer_.size(); }
  bool empty() const { return size() == 0; }
  typename Element<T>::Iterator end() const {
    return Element<T>::iterator(this->data() + size(), slotOf(this));
  }
  const VectorField &operator*() const { return *this; }
  const VectorField *operator->() const { return this; }
  View view(std::uintptr_t slot) const { return View(this->pointer_.get(slot), size()); }
};

} // namespace encoding

/// Declares a one-dimensional field. As a field of its own it is vertex state, set with
/// Graph::setInitialValue(); inside Input, Output or InOut it is an edge. A Vector has operator[],
/// data() and begin(); SPAN and SHORT_SPAN also know size(), empty() and end(). See User guide, 4.1
/// and 4.2.
///
/// \code
/// Input<Vector<float>> in;  Output<Vector<float, VectorLayout::ONE_PTR, 8>> out;
/// for (unsigned i = 0; i < in.size(); ++i) out[i] = in[i];
/// \endcode
/// \tparam T            type of the elements
/// \tparam L            default SPAN
/// \tparam MinAlign     alignment of the elements [bytes]; never less than their natural one, the
///   default
/// \tparam Interleaved  default false; true: the elements must lie in interleaved memory
template <typename T, VectorLayout L = VectorLayout::SPAN, unsigned MinAlign = alignof(T),
          bool Interleaved = false>
class Vector
    : public encoding::VectorField<T, encoding::resolved(L, MinAlign < alignof(T)
                                                                ? static_cast<unsigned>(alignof(T))
                                                                : MinAlign)> {};

} // namespace poplar
