#include "compiler/field_encoding.hpp"

#include "poplar/exceptions.hpp"

#include <cassert>
#include <cstring>
#include <limits>

namespace copse::compiler {

using codelets::Layout;

namespace {

constexpr std::uint64_t kShortSpanLimit = 2047; // 11 bits
constexpr std::uint32_t kAddressMask20 = 0xFFFFF;

template <class Word> void put(std::span<std::byte> out, std::size_t offset, Word word) {
  std::memcpy(out.data() + offset, &word, sizeof word);
}

void checkLimit(std::uint64_t elements, std::uint64_t limit, const char *layout,
                const std::string &where) {
  if (elements > limit)
    throw poplar::graph_connection_error(
        where + ": " + std::to_string(elements) + " elements, but " + layout + " holds at most " +
        std::to_string(limit) + "; connect a shorter tensor or choose another VectorLayout");
}

} // namespace

std::uint32_t pointerBytes(Layout layout) {
  switch (layout) {
  case Layout::Span:
    return 8;
  case Layout::ScaledPtr32:
  case Layout::ScaledPtr64:
  case Layout::ScaledPtr128:
    return 2;
  default:
    return 4;
  }
}

std::uint32_t pointerAlignment(Layout layout) {
  switch (layout) {
  case Layout::ScaledPtr32:
    return 4;
  case Layout::ScaledPtr64:
    return 8;
  case Layout::ScaledPtr128:
    return 16;
  default:
    return 1;
  }
}

void encodePointer(Layout layout, Pointer pointer, std::uint32_t memoryBase,
                   const std::string &where, std::span<std::byte> out) {
  assert(out.size() >= pointerBytes(layout));
  switch (layout) {
  case Layout::NotAVector: // a scalar edge is one plain address
  case Layout::OnePtr:
    return put<std::uint32_t>(out, 0, pointer.address);
  case Layout::Span:
    checkLimit(pointer.elements, std::numeric_limits<std::uint32_t>::max(), "SPAN", where);
    put<std::uint32_t>(out, 0, pointer.address);
    return put<std::uint32_t>(out, 4, static_cast<std::uint32_t>(pointer.elements));
  case Layout::ShortSpan:
    checkLimit(pointer.elements, kShortSpanLimit, "SHORT_SPAN", where);
    return put<std::uint32_t>(out, 0,
                              (pointer.address & kAddressMask20) |
                                  static_cast<std::uint32_t>(pointer.elements) << 21);
  case Layout::ScaledPtr32:
    return put<std::uint16_t>(out, 0,
                              static_cast<std::uint16_t>((pointer.address & ~memoryBase) >> 2));
  case Layout::ScaledPtr64:
    return put<std::uint16_t>(out, 0, static_cast<std::uint16_t>(pointer.address >> 3));
  case Layout::ScaledPtr128:
    return put<std::uint16_t>(out, 0, static_cast<std::uint16_t>(pointer.address >> 4));
  case Layout::DeltaN:
  case Layout::DeltaNElements:
    break;
  }
  throw poplar::graph_connection_error(where + ": this layout is not a pointer to one vector");
}

} // namespace copse::compiler
