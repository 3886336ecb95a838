#pragma once

#include "poplar/ArrayRef.hpp"
#include "poplar/Type.hpp"

namespace poplar {

/// Converts host values to the elements of \p type as an IPU stores them (HALF in 2 bytes), by
/// value; floating-point ones round to nearest even.
///
/// T: any arithmetic type of the host.
/// \param dst  room for src.size() elements of \p type
/// \throws type_error if \p type is none; overflow_error if a value does not fit an integer \p type
template <typename T> void convertToDeviceType(const Type &type, ArrayRef<T> src, void *dst);

/// The other way round. \param dst  the elements to fill; its size says how many
/// \throws type_error, overflow_error
template <typename T>
void convertFromDeviceType(const Type &type, const void *src, ArrayRef<T> dst);

} // namespace poplar
