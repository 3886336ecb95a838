#pragma once

#include "compiler/where.hpp"
#include "popc/vertex_type.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace copse::compiler {

/// The content of a pointer field: the address of the data and the number of elements.
struct Pointer {
  std::uint32_t address = 0;
  std::uint64_t elements = 0;
};

/// Returns the size of an encoded pointer of \p layout, in vertex state or in the table of an outer
/// vector.
std::uint32_t pointerBytes(popc::Layout layout);

/// Encodes \p pointer in \p layout as specified in guide 4.2, except SHORT_SPAN, which is encoded
/// as the assembly of PopLibs 2.1 to 3.4 reads it: the count has 12 bits, where the guide has a
/// reserved bit and 11 bits.
/// \param where  names vertex and field for messages
/// \throws poplar::graph_connection_error if the layout cannot represent that many elements,
///   graph_memory_allocation_error if it cannot reach the address
void encodePointer(popc::Layout layout, Pointer pointer, std::uint32_t memoryBase,
                   const Where &where, std::span<std::byte> out);

/// Encodes a DELTAN or DELTANELEMENTS list of \p rows (guide, 4.2.4).
/// \param align  alignment of the rows' data, and the unit of DELTANELEMENTS
/// \param field  receives the list itself
/// \param table  at \p tableAddress; receives a word for each row
/// \throws poplar::graph_connection_error naming the exceeded limit, graph_memory_allocation_error
///   if the layout cannot reach an address
void encodeList(popc::Layout layout, std::span<const Pointer> rows, std::uint32_t align,
                std::uint32_t tableAddress, std::uint32_t memoryBase, const Where &where,
                std::span<std::byte> field, std::span<std::byte> table);

} // namespace copse::compiler
