#pragma once

#include "poplar/AvailableVTypes.h"
#include "poplar/TileConstants.hpp"
#include "poplar/VectorLayout.hpp"

#include <cstddef>
#include <cstdint>

/// Vertex state holds encoded addresses in place of native pointers. popc sets __COPSE_SLOT_BITS__:
/// a tile's memory is a slot of 2^__COPSE_SLOT_BITS__ bytes of the address space, aligned to its
/// size, and an encoded address is an offset into the slot that the field itself lies in.
#ifndef __COPSE_SLOT_BITS__
#define __COPSE_SLOT_BITS__ 32
#endif

/// Returns the tile's number. The emulator sets this pointer; a codelet calls
/// __builtin_ipu_get_tile_id().
extern "C" __attribute__((visibility("default"))) unsigned (*__copseTileId)();
/// Returns the native address of the slot of the tile whose vertex runs. The emulator sets this
/// pointer.
extern "C" __attribute__((visibility("default"))) unsigned long (*__copseTileSlot)();

namespace poplar {
namespace encoding {

// Types of their own, so that stores to float or int data cannot alias them: a loop over fields
// then needs no reload of addresses and counts, and vectorises.
enum class Address : std::uint32_t {};
enum class Count : std::uint32_t {};
enum class ScaledAddress : std::uint16_t {};
enum class PackedWord : std::uint32_t {};

#if defined(__POPC__)
/// Returns the slot for copies of fields. The slot is constant while a vertex runs, so one call is
/// enough.
__attribute__((noinline, const)) inline std::uintptr_t slotOfVertex() { return __copseTileSlot(); }
#endif

/// Returns the slot in which the data of \p field are. A field in vertex state lies in that slot
/// itself. A copy of a field, which is a variable of a function, does not. The compiler tells the
/// two apart by the size of the object: it is known for a variable, and unknown for vertex state.
/// Edges within a vector of edges are decoded with the slot of the vector, which loops over rows
/// compute once.
inline std::uintptr_t slotOf(const void *field) {
#if defined(__POPC__)
  if (__builtin_object_size(field, 0) != ~std::size_t(0))
    return slotOfVertex();
#endif
  const std::uintptr_t slotMask = (std::uintptr_t(1) << __COPSE_SLOT_BITS__) - 1;
  return reinterpret_cast<std::uintptr_t>(field) & ~slotMask;
}

/// Combines slot and address by `or`: compilers regroup sums, and would add slot, address and index
/// again for each element.
template <typename T> T *native(std::uintptr_t slot, std::uint32_t address) {
  return reinterpret_cast<T *>(slot | address);
}
/// Adds an address that is an offset into another object, and that changes in a loop.
template <typename T> T *nativeSum(std::uintptr_t base, std::uint32_t address) {
  return reinterpret_cast<T *>(base + address);
}

/// Returns the layout of COMPACT_PTR. The result is never SCALED_PTR128, because the assembly of
/// libraries reads a compact pointer to data of 16-byte alignment like one to data of 8-byte
/// alignment.
constexpr VectorLayout compactPointer(unsigned align) {
#if defined(VECTOR_AVAIL_SCALED_PTR32)
  return align >= 8   ? VectorLayout::SCALED_PTR64
         : align >= 4 ? VectorLayout::SCALED_PTR32
                      : VectorLayout::ONE_PTR;
#else
  return align ? VectorLayout::ONE_PTR : VectorLayout::ONE_PTR;
#endif
}

/// Returns the layout that the target uses for \p layout. CPU targets accept all names, but use
/// SPAN and ONE_PTR only.
constexpr VectorLayout resolved(VectorLayout layout, unsigned align) {
#if defined(__IPU_ARCH_VERSION__)
  return layout == VectorLayout::COMPACT_PTR ? compactPointer(align) : layout;
#else
  return layout == VectorLayout::SPAN || layout == VectorLayout::SHORT_SPAN ? VectorLayout::SPAN
                                                                            : compactPointer(align);
#endif
}

/// An encoded pointer to elements of T, with its count if the layout has one.
template <typename T, VectorLayout Resolved> class Pointer;

template <typename T> class Pointer<T, VectorLayout::SPAN> {
public:
  static constexpr bool kHasSize = true;
  T *get(std::uintptr_t slot) const {
    return native<T>(slot, static_cast<std::uint32_t>(address_));
  }
  __attribute__((pure)) unsigned size() const { return static_cast<unsigned>(count_); }

private:
  Address address_;
  Count count_;
};

template <typename T> class Pointer<T, VectorLayout::ONE_PTR> {
public:
  static constexpr bool kHasSize = false;
  T *get(std::uintptr_t slot) const {
    return native<T>(slot, static_cast<std::uint32_t>(address_));
  }

private:
  Address address_;
};

#if defined(VECTOR_AVAIL_SHORT_SPAN)
template <typename T> class Pointer<T, VectorLayout::SHORT_SPAN> {
public:
  static constexpr bool kHasSize = true;
  T *get(std::uintptr_t slot) const {
    return native<T>(slot, static_cast<std::uint32_t>(word_) & 0xFFFFFu);
  }
  __attribute__((pure)) unsigned size() const { return static_cast<unsigned>(word_) >> 20; }

private:
  PackedWord word_; ///< bits 0-19 address, bits 20-31 count
};
#endif

#if defined(VECTOR_AVAIL_SCALED_PTR32)
template <typename T> class Pointer<T, VectorLayout::SCALED_PTR32> {
public:
  static constexpr bool kHasSize = false;
  T *get(std::uintptr_t slot) const {
    const std::uint32_t offset = static_cast<std::uint32_t>(static_cast<std::uint16_t>(scaled_))
                                 << 2;
    return native<T>(slot, offset | TMEM_REGION0_BASE_ADDR);
  }

private:
  ScaledAddress scaled_;
};
#endif

#if defined(__IPU_ARCH_VERSION__)
/// A 16-bit pointer without the \p Shift low bits of the address.
template <typename T, unsigned Shift> class ScaledPointer {
public:
  static constexpr bool kHasSize = false;
  T *get(std::uintptr_t slot) const {
    return native<T>(slot, static_cast<std::uint32_t>(static_cast<std::uint16_t>(scaled_))
                               << Shift);
  }

private:
  ScaledAddress scaled_;
};
#if defined(VECTOR_AVAIL_SCALED_PTR64)
template <typename T> class Pointer<T, VectorLayout::SCALED_PTR64> : public ScaledPointer<T, 3> {};
#endif
template <typename T> class Pointer<T, VectorLayout::SCALED_PTR128> : public ScaledPointer<T, 4> {};
#endif

} // namespace encoding
} // namespace poplar
