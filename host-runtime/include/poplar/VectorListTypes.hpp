#pragma once

#include "poplar/FieldTypes.hpp"
#include "poplar/InOutTypes.hpp"

namespace poplar {

/// Declares a jagged two-dimensional field: packed addresses and counts of its sub-vectors. Used
/// inside Input, Output or InOut. A VectorList has operator[], size(), begin() and end(). See User
/// guide, 4.2.4.
template <typename T, VectorListLayout L, unsigned MinAlign = alignof(T), bool Interleaved = false>
class VectorList;

namespace encoding {

constexpr VectorListLayout resolved(VectorListLayout layout) {
#if defined(VECTORLIST_AVAIL_DELTAN)
  return layout == VectorListLayout::COMPACT_DELTAN ? VectorListLayout::DELTAN : layout;
#elif defined(__IPU_ARCH_VERSION__)
  return layout == VectorListLayout::COMPACT_DELTAN ? VectorListLayout::DELTANELEMENTS : layout;
#else
  // Addresses of a CPU target fill 32 bits: its lists are spans of spans.
  return layout == VectorListLayout::NOT_A_VECTOR ? layout : VectorListLayout::NOT_A_VECTOR;
#endif
}

constexpr unsigned log2Of(unsigned powerOfTwo) {
  return powerOfTwo <= 1 ? 0 : 1 + log2Of(powerOfTwo / 2);
}

/// Finds the sub-vectors of a list of one layout.
template <typename T, VectorListLayout Resolved, unsigned Align> class ListPointer;

#if defined(VECTORLIST_AVAIL_DELTAN)
/// Has 6 bytes and no padding, because assembly expects the next field to follow in the same word.
template <typename T, unsigned Align>
class __attribute__((packed, aligned(2))) ListPointer<T, VectorListLayout::DELTAN, Align> {
public:
  __attribute__((pure)) unsigned size() const {
    return static_cast<std::uint32_t>(baseAndCount_) >> 20;
  }
  SpanView<T> at(std::size_t i) const {
    const std::uintptr_t slot = slotOf(this);
    const std::uint32_t entry = static_cast<std::uint32_t>(table_.get(slot)[i]);
    const std::uint32_t base = static_cast<std::uint32_t>(baseAndCount_) & 0xFFFFFu;
    return SpanView<T>(nativeSum<T>(slot + (entry & 0x3FFFFu), base), entry >> 18);
  }

private:
  PackedWord baseAndCount_; ///< bits 0-19 base address, bits 20-31 number of sub-vectors
  /// Points to a word for each sub-vector: bits 0-17 offset [bytes], bits 18-31 count.
  Pointer<const PackedWord, VectorLayout::SCALED_PTR32> table_;
};
#endif

#if defined(__IPU_ARCH_VERSION__)
template <typename T, unsigned Align>
class ListPointer<T, VectorListLayout::DELTANELEMENTS, Align> {
public:
  __attribute__((pure)) unsigned size() const {
    return (static_cast<std::uint32_t>(base_) >> 24 << 8) |
           (static_cast<std::uint32_t>(table_) >> 24);
  }
  SpanView<T> at(std::size_t i) const {
    const std::uintptr_t slot = slotOf(this);
    const std::uint32_t entry =
        static_cast<std::uint32_t>(nativeSum<const PackedWord>(slot, address(table_))[i]);
    const std::uintptr_t offset = std::uintptr_t(entry & ((1u << kOffsetBits) - 1)) * Align;
    return SpanView<T>(nativeSum<T>(slot + offset, address(base_)), entry >> kOffsetBits);
  }

private:
  static constexpr unsigned kOffsetBits = TMEM_BYTE_MAX_ADDRESS_WIDTH - log2Of(Align);
  static std::uint32_t address(PackedWord word) {
    return static_cast<std::uint32_t>(word) & TMEM_FULL_ADDRESS_MASK;
  }
  // Bits 0-20 an address, bits 24-31 a half of the number of sub-vectors, the high half first.
  PackedWord base_;
  PackedWord table_; ///< to words of an offset [units of Align, kOffsetBits] and a count
};
#else
template <typename T, unsigned Align> class ListPointer<T, VectorListLayout::NOT_A_VECTOR, Align> {
public:
  __attribute__((pure)) unsigned size() const { return rows_.size(); }
  SpanView<T> at(std::size_t i) const {
    const std::uintptr_t slot = slotOf(this);
    const auto &row = rows_.get(slot)[i];
    return SpanView<T>(row.get(slot), row.size());
  }

private:
  Pointer<const Pointer<T, VectorLayout::SPAN>, VectorLayout::SPAN> rows_;
};
#endif

template <typename List, typename T> class ListIterator {
public:
  ListIterator(const List *list, std::size_t index) : list_(list), index_(index) {}
  const SpanView<T> operator*() const { return list_->at(index_); }
  ListIterator &operator++() {
    ++index_;
    return *this;
  }
  bool operator==(const ListIterator &other) const { return index_ == other.index_; }
  bool operator!=(const ListIterator &other) const { return index_ != other.index_; }

private:
  const List *list_;
  std::size_t index_;
};

/// Implements the operations of every list edge.
template <typename T, VectorListLayout Resolved, unsigned Align> class ListField {
  using List = ListPointer<T, Resolved, Align>;

public:
  __attribute__((pure)) unsigned size() const { return list_.size(); }
  const SpanView<T> operator[](std::size_t i) const { return list_.at(i); }
  ListIterator<List, T> begin() const { return ListIterator<List, T>(&list_, 0); }
  ListIterator<List, T> end() const { return ListIterator<List, T>(&list_, list_.size()); }
  const ListField &operator*() const { return *this; }
  const ListField *operator->() const { return this; }

private:
  List list_;
};

template <typename T, VectorListLayout L, unsigned MinAlign>
using EdgeList = ListField<T, resolved(L),
                           (MinAlign < alignof(T) ? static_cast<unsigned>(alignof(T)) : MinAlign)>;

} // namespace encoding

/// Declares a list of vectors that the vertex reads.
template <typename T, VectorListLayout L, unsigned MinAlign, bool Interleaved>
class Input<VectorList<T, L, MinAlign, Interleaved>> : public encoding::EdgeList<T, L, MinAlign> {};
/// Declares a list of vectors that the vertex writes.
template <typename T, VectorListLayout L, unsigned MinAlign, bool Interleaved>
class Output<VectorList<T, L, MinAlign, Interleaved>> : public encoding::EdgeList<T, L, MinAlign> {
};
/// Declares a list of vectors that the vertex reads and writes.
template <typename T, VectorListLayout L, unsigned MinAlign, bool Interleaved>
class InOut<VectorList<T, L, MinAlign, Interleaved>> : public encoding::EdgeList<T, L, MinAlign> {};

} // namespace poplar
