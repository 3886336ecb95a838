#pragma once

#include "graph/model.hpp"
#include "poplar/HostValues.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

/// Host numbers to device bytes.
namespace copse::graph {

/// One number, exact for every host type.
struct Number {
  enum class Kind : std::uint8_t { Signed, Unsigned, Floating } kind = Kind::Signed;
  std::int64_t asSigned = 0;
  std::uint64_t asUnsigned = 0;
  double asFloating = 0;
  bool isByte =
      false; ///< of a host type of one byte, such as those that host buffers of bools have
};

/// Element \p i of \p values.
/// \throws poplar::type_error for a host type that is no number
Number numberAt(const poplar::HostValues &values, std::size_t i);

double asDouble(const Number &number);
std::string textOf(const Number &number);

/// Whether integer type \p type of \p bytes bytes can hold \p number. A char may be given as signed
/// or unsigned.
bool fits(const Number &number, ElementType type, std::uint32_t bytes);

/// Appends \p number as an element of \p bytes bytes, converted as by a cast; a half is rounded to
/// nearest even, and is a float if \p bytes is 4. A byte for a bool is kept as it is.
void encode(const Number &number, ElementType type, std::uint32_t bytes,
            std::vector<std::byte> &out);

/// All of \p values.
std::vector<std::byte> encodeAll(const poplar::HostValues &values, ElementType type,
                                 std::uint32_t bytes);

} // namespace copse::graph
