#pragma once

#include "poplar/ArrayRef.hpp"
#include "poplar/IeeeHalf.hpp"
#include "poplar/Quarter.hpp"
#include "poplar/Type.hpp"
#include "poplar/TypeTraits.hpp" // its enumerator Half must come before the name below

#include <vector>

namespace poplar {

using Half = IeeeHalf; ///< its name in SDK 3.x

/// Converts host values to the elements of \p type as an IPU stores them (HALF in 2 bytes), by
/// value; floating-point ones round to nearest even.
///
/// T: any arithmetic type of the host, or Half.
/// \param dst  room for src.size() elements of \p type
/// \throws type_error if \p type is none or QUARTER; overflow_error if a value does not fit an
/// integer \p type
template <typename T> void convertToDeviceType(const Type &type, ArrayRef<T> src, void *dst);

/// The other way round.
/// \param dst  the elements to fill; its size says how many
/// \throws type_error, overflow_error
template <typename T>
void convertFromDeviceType(const Type &type, const void *src, ArrayRef<T> dst);

/// The same for QUARTER, which needs metadata; of another \p type they are ignored. What is too
/// large becomes the largest quarter.
template <typename T>
void convertToDeviceType(const Type &type, const QuarterMetadata &metadata, ArrayRef<T> src,
                         void *dst);
template <typename T>
void convertFromDeviceType(const Type &type, const QuarterMetadata &metadata, const void *src,
                           ArrayRef<T> dst);

/// \param notANumberOnOverflow  a number that is too large for QUARTER becomes the quarter that is
///                              none; otherwise the largest one
template <typename T>
void convertToDeviceType(const Type &type, const QuarterMetadata &metadata, ArrayRef<T> src,
                         void *dst, bool notANumberOnOverflow);

/// The cost that a conversion to quarters keeps small.
enum class CostMetric {
  MEAN_SQUARE_ERROR ///< mean of the squared differences between numbers and their quarters
};

/// The metadata of \p format whose scale gives convertToDeviceType() the least cost on \p src. Of
/// scales with the same cost, the one nearest to 0 is taken, the negative one first. Infinities and
/// NaN do not count.
///
/// T: float, double or Half.
/// \throws type_error if \p type is not QUARTER
template <typename T>
QuarterMetadata calculateMetadataForConversion(const Type &type, ArrayRef<T> src,
                                               QuarterMetadata::Format format, CostMetric metric);

// A vector, too, says what it is of.
template <typename T, typename A>
void convertToDeviceType(const Type &type, const std::vector<T, A> &src, void *dst) {
  convertToDeviceType(type, ArrayRef<T>(src.data(), src.size()), dst);
}
template <typename T, typename A>
void convertToDeviceType(const Type &type, const QuarterMetadata &metadata,
                         const std::vector<T, A> &src, void *dst) {
  convertToDeviceType(type, metadata, ArrayRef<T>(src.data(), src.size()), dst);
}

template <typename T, typename A>
void convertToDeviceType(const Type &type, const QuarterMetadata &metadata,
                         const std::vector<T, A> &src, void *dst, bool notANumberOnOverflow) {
  convertToDeviceType(type, metadata, ArrayRef<T>(src.data(), src.size()), dst,
                      notANumberOnOverflow);
}

// What is only read may be constant.
template <typename T> void convertToDeviceType(const Type &type, ArrayRef<const T> src, void *dst) {
  convertToDeviceType(type, ArrayRef<T>(src.data(), src.size()), dst);
}
template <typename T>
void convertToDeviceType(const Type &type, const QuarterMetadata &metadata, ArrayRef<const T> src,
                         void *dst) {
  convertToDeviceType(type, metadata, ArrayRef<T>(src.data(), src.size()), dst);
}
template <typename T>
void convertToDeviceType(const Type &type, const QuarterMetadata &metadata, ArrayRef<const T> src,
                         void *dst, bool notANumberOnOverflow) {
  convertToDeviceType(type, metadata, ArrayRef<T>(src.data(), src.size()), dst,
                      notANumberOnOverflow);
}

} // namespace poplar
