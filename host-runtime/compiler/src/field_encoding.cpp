#include "field_encoding.hpp"

#include "poplar/exceptions.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>
#include <limits>
#include <optional>

namespace copse::compiler {

using popc::Layout;

namespace {

constexpr unsigned kShortSpanAddressBits = 20; // the count has the other 12 bits
constexpr std::uint32_t kAddressMask20 = 0xFFFFF;

template <class Word> void put(std::span<std::byte> out, std::size_t offset, Word word) {
  std::memcpy(out.data() + offset, &word, sizeof word);
}

/// One vector of a list, or all of a field if there is no number.
struct Part {
  const Where &where;
  std::optional<std::size_t> vector = std::nullopt;
  std::string text() const {
    return where.text() + (vector ? ", vector " + std::to_string(*vector) : std::string());
  }
};

void checkLimit(std::uint64_t count, std::uint64_t limit, const char *layout, const Part &part,
                const char *what = "elements") {
  if (count > limit)
    throw poplar::graph_connection_error(part.text() + ": " + std::to_string(count) + " " + what +
                                         ", but " + layout + " holds at most " +
                                         std::to_string(limit) +
                                         "; connect a shorter tensor or choose another layout");
}

/// Checks that a pointer reaches its target. On a tile of the chip's size every layout reaches
/// everything; on a larger tile it may not.
/// \param decoded  the address that the vertex will see
void checkReach(std::uint32_t address, std::uint32_t decoded, const char *layout,
                const Where &where) {
  if (address != decoded)
    throw poplar::graph_memory_allocation_error(
        where.text() + ": its data lies at address " + std::to_string(address) +
        " of the tile, where " + layout +
        " cannot point to; map less on this tile, or choose the layout SPAN or ONE_PTR");
}

/// Writes a 16-bit pointer without its \p shift lowest bits; all addresses contain the bits of \p
/// base.
void putScaled(std::span<std::byte> out, std::uint32_t address, unsigned shift, std::uint32_t base,
               const char *layout, const Where &where) {
  const auto scaled = static_cast<std::uint16_t>((address & ~base) >> shift);
  checkReach(address, std::uint32_t{scaled} << shift | base, layout, where);
  put(out, 0, scaled);
}

/// The bit fields of a list layout's words.
struct ListBits {
  const char *name;
  unsigned rows;      ///< width of the number of rows
  unsigned offset;    ///< width of a row's offset
  std::uint32_t unit; ///< unit of the offset [bytes]
};

ListBits bitsOf(Layout layout, std::uint32_t align) {
  constexpr unsigned kAddressBits = 21;
  if (layout == Layout::DeltaN)
    return {"DELTAN", 12, 18, 1};
  return {"DELTANELEMENTS", 16, kAddressBits - static_cast<unsigned>(std::countr_zero(align)),
          align};
}

/// Returns the lowest address of all rows, from which their offsets count.
std::uint32_t baseOf(std::span<const Pointer> rows, std::uint32_t memoryBase) {
  std::uint32_t base = std::numeric_limits<std::uint32_t>::max();
  for (const Pointer &row : rows)
    if (row.elements > 0)
      base = std::min(base, row.address);
  return base == std::numeric_limits<std::uint32_t>::max() ? memoryBase : base;
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

void encodePointer(Layout layout, Pointer pointer, std::uint32_t memoryBase, const Where &where,
                   std::span<std::byte> out) {
  assert(out.size() >= pointerBytes(layout));
  switch (layout) {
  case Layout::NotAVector: // a scalar edge is one plain address
  case Layout::OnePtr:
    return put<std::uint32_t>(out, 0, pointer.address);
  case Layout::Span:
    checkLimit(pointer.elements, std::numeric_limits<std::uint32_t>::max(), "SPAN", {where});
    put<std::uint32_t>(out, 0, pointer.address);
    return put<std::uint32_t>(out, 4, static_cast<std::uint32_t>(pointer.elements));
  case Layout::ShortSpan:
    checkLimit(pointer.elements, (1ull << (32 - kShortSpanAddressBits)) - 1, "SHORT_SPAN", {where});
    checkReach(pointer.address, pointer.address & kAddressMask20, "SHORT_SPAN", where);
    return put<std::uint32_t>(out, 0,
                              pointer.address | static_cast<std::uint32_t>(pointer.elements)
                                                    << kShortSpanAddressBits);
  case Layout::ScaledPtr32:
    return putScaled(out, pointer.address, 2, memoryBase, "SCALED_PTR32", where);
  case Layout::ScaledPtr64:
    return putScaled(out, pointer.address, 3, 0, "SCALED_PTR64", where);
  case Layout::ScaledPtr128:
    return putScaled(out, pointer.address, 4, 0, "SCALED_PTR128", where);
  case Layout::DeltaN:
  case Layout::DeltaNElements:
    break;
  }
  throw poplar::graph_connection_error(where.text() +
                                       ": this layout is not a pointer to one vector");
}

void encodeList(Layout layout, std::span<const Pointer> rows, std::uint32_t align,
                std::uint32_t tableAddress, std::uint32_t memoryBase, const Where &where,
                std::span<std::byte> field, std::span<std::byte> table) {
  const ListBits bits = bitsOf(layout, align);
  const std::uint64_t rowLimit = (1ull << bits.rows) - 1;
  const std::uint64_t elementLimit = (1ull << (32 - bits.offset)) - 1;
  checkLimit(rows.size(), rowLimit, bits.name, {where}, "vectors");
  const std::uint32_t base = baseOf(rows, memoryBase);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    checkLimit(rows[i].elements, elementLimit, bits.name, {where, i});
    const std::uint32_t offset = rows[i].elements > 0 ? (rows[i].address - base) / bits.unit : 0;
    checkLimit(offset, (1ull << bits.offset) - 1, bits.name, {where, i},
               "bytes from the first vector");
    put<std::uint32_t>(table, 4 * i,
                       offset | static_cast<std::uint32_t>(rows[i].elements) << bits.offset);
  }
  const auto count = static_cast<std::uint32_t>(rows.size());
  if (layout == Layout::DeltaN) {
    checkReach(base, base & kAddressMask20, bits.name, where);
    put<std::uint32_t>(field, 0, base | count << 20);
    return encodePointer(Layout::ScaledPtr32, {tableAddress, count}, memoryBase, where,
                         field.subspan(4));
  }
  put<std::uint32_t>(field, 0, base | (count >> 8) << 24);
  put<std::uint32_t>(field, 4, tableAddress | (count & 0xFF) << 24);
}

} // namespace copse::compiler
