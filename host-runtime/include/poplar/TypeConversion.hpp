#pragma once

#include "poplar/ArrayRef.hpp"
#include "poplar/IeeeHalf.hpp"
#include "poplar/Quarter.hpp"
#include "poplar/Type.hpp"
#include "poplar/TypeTraits.hpp" // its enumerator Half must come before the name below

#include <vector>

namespace poplar {

/// The name of IeeeHalf in SDK 3.x.
using Half = IeeeHalf;

/// Converts host values to the elements of \p type as an IPU stores them (HALF in 2 bytes), by
/// value; floating-point ones round to nearest even.
///
/// T: any arithmetic type of the host, or Half.
/// \param dst  room for src.size() elements of \p type
/// \throws type_error if \p type is no element type, or is QUARTER
/// \throws overflow_error if a value does not fit an integer \p type
template <typename T> void convertToDeviceType(const Type &type, ArrayRef<T> src, void *dst);

/// Converts elements as an IPU stores them to host values.
/// \param dst  the elements to fill; its size says how many
/// \throws type_error, overflow_error as convertToDeviceType()
template <typename T>
void convertFromDeviceType(const Type &type, const void *src, ArrayRef<T> dst);

///@{

/// Converts to and from QUARTER with its metadata; for another \p type the metadata are ignored. A
/// number that is too large becomes the largest quarter.
template <typename T>
void convertToDeviceType(const Type &type, const QuarterMetadata &metadata, ArrayRef<T> src,
                         void *dst);
template <typename T>
void convertFromDeviceType(const Type &type, const QuarterMetadata &metadata, const void *src,
                           ArrayRef<T> dst);
///@}

/// Converts to QUARTER as above.
/// \param notANumberOnOverflow  true: a number that is too large becomes the quarter's NaN; false:
///   the largest quarter
template <typename T>
void convertToDeviceType(const Type &type, const QuarterMetadata &metadata, ArrayRef<T> src,
                         void *dst, bool notANumberOnOverflow);

/// The costs of a conversion to quarters that can be kept small.
enum class CostMetric {
  MEAN_SQUARE_ERROR ///< mean of the squared differences between numbers and their quarters
};

/// Returns the metadata of \p format whose scale gives convertToDeviceType() the least cost on \p
/// src. If scales have equal costs, it takes the one nearest to 0, the negative one first.
/// Infinities and NaN do not count.
///
/// T: float, double or Half.
/// \throws type_error if \p type is not QUARTER
template <typename T>
QuarterMetadata calculateMetadataForConversion(const Type &type, ArrayRef<T> src,
                                               QuarterMetadata::Format format, CostMetric metric);

/// Converts a vector as above.
template <typename T, typename A>
void convertToDeviceType(const Type &type, const std::vector<T, A> &src, void *dst) {
  convertToDeviceType(type, ArrayRef<T>(src.data(), src.size()), dst);
}
/// Converts a vector to QUARTER as above.
template <typename T, typename A>
void convertToDeviceType(const Type &type, const QuarterMetadata &metadata,
                         const std::vector<T, A> &src, void *dst) {
  convertToDeviceType(type, metadata, ArrayRef<T>(src.data(), src.size()), dst);
}

/// Converts a vector to QUARTER as above.
template <typename T, typename A>
void convertToDeviceType(const Type &type, const QuarterMetadata &metadata,
                         const std::vector<T, A> &src, void *dst, bool notANumberOnOverflow) {
  convertToDeviceType(type, metadata, ArrayRef<T>(src.data(), src.size()), dst,
                      notANumberOnOverflow);
}

/// Converts values that may only be read as above.
template <typename T> void convertToDeviceType(const Type &type, ArrayRef<const T> src, void *dst) {
  convertToDeviceType(type, ArrayRef<T>(src.data(), src.size()), dst);
}
/// Converts values that may only be read to QUARTER as above.
template <typename T>
void convertToDeviceType(const Type &type, const QuarterMetadata &metadata, ArrayRef<const T> src,
                         void *dst) {
  convertToDeviceType(type, metadata, ArrayRef<T>(src.data(), src.size()), dst);
}
/// Converts values that may only be read to QUARTER as above.
template <typename T>
void convertToDeviceType(const Type &type, const QuarterMetadata &metadata, ArrayRef<const T> src,
                         void *dst, bool notANumberOnOverflow) {
  convertToDeviceType(type, metadata, ArrayRef<T>(src.data(), src.size()), dst,
                      notANumberOnOverflow);
}

} // namespace poplar
