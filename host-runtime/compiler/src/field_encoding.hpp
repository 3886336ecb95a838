#pragma once

#include "compiler/where.hpp"
#include "popc/vertex_type.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace copse::compiler {

/// What a pointer field must say: where the data is and how many elements there are.
struct Pointer {
  std::uint32_t address = 0;
  std::uint64_t elements = 0;
};

/// Bytes of an encoded pointer of \p layout in vertex state, or in the table of an outer vector.
std::uint32_t pointerBytes(popc::Layout layout);

/// Writes \p pointer in \p layout, bit by bit as guide 4.2 says; but SHORT_SPAN as the assembly of
/// PopLibs 2.1 to 3.4 reads it: the count has 12 bits, where the guide has a reserved bit and 11.
/// \p where names vertex and field for the message.
/// \throws poplar::graph_connection_error if the layout cannot hold that many elements,
///   graph_memory_allocation_error if it cannot point so far
void encodePointer(popc::Layout layout, Pointer pointer, std::uint32_t memoryBase,
                   const Where &where, std::span<std::byte> out);

/// Writes a DELTAN or DELTANELEMENTS list of \p rows (guide, 4.2.4). \p align is that of the rows'
/// data and the unit of DELTANELEMENTS; \p field gets the list itself, \p table, at \p
/// tableAddress, a word for each row.
/// \throws poplar::graph_connection_error naming the limit that is exceeded,
///   graph_memory_allocation_error if the layout cannot point so far
void encodeList(popc::Layout layout, std::span<const Pointer> rows, std::uint32_t align,
                std::uint32_t tableAddress, std::uint32_t memoryBase, const Where &where,
                std::span<std::byte> field, std::span<std::byte> table);

} // namespace copse::compiler
