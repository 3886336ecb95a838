#pragma once

#include "graph/model.hpp"
#include "poplar/HostValues.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

/// Converts host numbers to device bytes.
namespace copse::graph {

/// A number that represents values of every host type exactly.
struct Number {
  enum class Kind : std::uint8_t { Signed, Unsigned, Floating } kind = Kind::Signed;
  std::int64_t asSigned = 0;
  std::uint64_t asUnsigned = 0;
  double asFloating = 0;
  bool isByte = false; ///< the host type has one byte, as in host buffers of bools
};

/// Returns element \p i of \p values.
/// \throws poplar::type_error for a host type that is not a number
Number numberAt(const poplar::HostValues &values, std::size_t i);

double asDouble(const Number &number);
std::string textOf(const Number &number);

/// Returns true if integer type \p type of \p bytes bytes can represent \p number. A char may be
/// given as signed or unsigned.
bool fits(const Number &number, ElementType type, std::uint32_t bytes);

/// Appends \p number as an element of \p bytes bytes, converted like by a cast; a half is rounded
/// to nearest even, and is a float if \p bytes is 4. A byte for a bool is kept unchanged.
void encode(const Number &number, ElementType type, std::uint32_t bytes,
            std::vector<std::byte> &out);

/// Encodes all of \p values.
std::vector<std::byte> encodeAll(const poplar::HostValues &values, ElementType type,
                                 std::uint32_t bytes);

} // namespace copse::graph
