#pragma once

#include "poplar/StringRef.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iosfwd>

namespace copse {
namespace types {
struct TypeAccess; // how libpoplar itself looks into a Type
}
} // namespace copse

namespace poplar {

/// The type of a tensor's elements. Compare with the constants below; ordered, so that it can be a
/// key. A default-constructed Type is none of them.
class Type {
public:
  constexpr Type() : code_(0) {}

  /// The C++ spelling, as it stands in names of vertex types: "unsigned int", "half", ...
  StringRef toString() const;

  /// Whether elements mean nothing without metadata: true for QUARTER only.
  bool requiresMetadata() const;
  /// True for HALF, FLOAT and QUARTER.
  bool isFloatingPoint() const;
  std::size_t hash() const { return code_; }

  friend bool operator==(Type a, Type b) { return a.code_ == b.code_; }
  friend bool operator!=(Type a, Type b) { return a.code_ != b.code_; }
  friend bool operator<(Type a, Type b) { return a.code_ < b.code_; }

private:
  friend struct copse::types::TypeAccess;
  constexpr explicit Type(std::uint8_t code) : code_(code) {}

  std::uint8_t code_;
};

std::ostream &operator<<(std::ostream &out, const Type &type);

// Constant-initialised: may be used while other static objects are being constructed. Not const, as
// programs keep references of type Type & to them; no program may change one.
extern Type BOOL;
extern Type CHAR;
extern Type UNSIGNED_CHAR;
extern Type SIGNED_CHAR;
extern Type UNSIGNED_SHORT;
extern Type SHORT;
extern Type UNSIGNED_INT;
extern Type INT;
extern Type UNSIGNED_LONG; ///< 4 bytes on an IPU, 8 on the host
extern Type LONG;          ///< 4 bytes on an IPU, 8 on the host
extern Type UNSIGNED_LONGLONG;
extern Type LONGLONG;
extern Type HALF;
extern Type FLOAT;
extern Type QUARTER; ///< 8 bits, which mean what their metadata say: poplar/Quarter.hpp
extern Type QUARTER_METADATA;

class IeeeHalf;
class QuarterMetadata;

/// The device type that a host type corresponds to: equivalent_device_type<float>().value == FLOAT.
template <typename T> struct equivalent_device_type;

template <> struct equivalent_device_type<bool> {
  const Type &value = BOOL;
};
template <> struct equivalent_device_type<char> {
  const Type &value = CHAR;
};
template <> struct equivalent_device_type<signed char> {
  const Type &value = SIGNED_CHAR;
};
template <> struct equivalent_device_type<unsigned char> {
  const Type &value = UNSIGNED_CHAR;
};
template <> struct equivalent_device_type<short> {
  const Type &value = SHORT;
};
template <> struct equivalent_device_type<unsigned short> {
  const Type &value = UNSIGNED_SHORT;
};
template <> struct equivalent_device_type<int> {
  const Type &value = INT;
};
template <> struct equivalent_device_type<unsigned> {
  const Type &value = UNSIGNED_INT;
};
template <> struct equivalent_device_type<long> {
  const Type &value = LONG;
};
template <> struct equivalent_device_type<unsigned long> {
  const Type &value = UNSIGNED_LONG;
};
template <> struct equivalent_device_type<long long> {
  const Type &value = LONGLONG;
};
template <> struct equivalent_device_type<unsigned long long> {
  const Type &value = UNSIGNED_LONGLONG;
};
template <> struct equivalent_device_type<float> {
  const Type &value = FLOAT;
};
/// There are no doubles on a tile: they are rounded to float on their way there.
template <> struct equivalent_device_type<double> {
  const Type &value = FLOAT;
};
template <> struct equivalent_device_type<IeeeHalf> {
  const Type &value = HALF;
};
template <> struct equivalent_device_type<QuarterMetadata> {
  const Type &value = QUARTER_METADATA;
};

} // namespace poplar

namespace std {
template <> struct hash<poplar::Type> {
  size_t operator()(poplar::Type type) const { return type.hash(); }
};
} // namespace std
