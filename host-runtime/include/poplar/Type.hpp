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

/// Names the type of a tensor's elements. Compare it with the constants below; it is ordered, so
/// that it can be a key. A default-constructed Type differs from all of them, and throws type_error
/// where a type is needed. See User guide, 2.3.
class Type {
public:
  /// Makes a type that differs from all of the constants.
  constexpr Type() : code_(0) {}

  /// Returns the C++ spelling, as it stands in names of vertex types: "unsigned int", "half", ...
  StringRef toString() const;

  /// Returns true if elements mean nothing without metadata: for QUARTER only.
  bool requiresMetadata() const;
  /// Returns true for HALF, FLOAT and QUARTER.
  bool isFloatingPoint() const;
  /// Returns a hash, equal for equal types.
  std::size_t hash() const { return code_; }

  ///@{

  /// Compares types; their order is arbitrary, but always the same.
  friend bool operator==(Type a, Type b) { return a.code_ == b.code_; }
  friend bool operator!=(Type a, Type b) { return a.code_ != b.code_; }
  friend bool operator<(Type a, Type b) { return a.code_ < b.code_; }
  ///@}

private:
  friend struct copse::types::TypeAccess;
  constexpr explicit Type(std::uint8_t code) : code_(code) {}

  std::uint8_t code_;
};

/// Writes the C++ spelling.
std::ostream &operator<<(std::ostream &out, const Type &type);

// Constant-initialised: may be used while other static objects are being constructed. Not const, as
// programs keep references of type Type & to them; no program may change one.
/// bool; 1 byte.
extern Type BOOL;
/// char; 1 byte, signed as the target's C++ says.
extern Type CHAR;
/// unsigned char; 1 byte.
extern Type UNSIGNED_CHAR;
/// signed char; 1 byte.
extern Type SIGNED_CHAR;
/// unsigned short; 2 bytes.
extern Type UNSIGNED_SHORT;
/// short; 2 bytes.
extern Type SHORT;
/// unsigned int; 4 bytes.
extern Type UNSIGNED_INT;
/// int; 4 bytes.
extern Type INT;
/// unsigned long; 4 bytes on an IPU, 8 on the host.
extern Type UNSIGNED_LONG;
/// long; 4 bytes on an IPU, 8 on the host.
extern Type LONG;
/// unsigned long long; 8 bytes.
extern Type UNSIGNED_LONGLONG;
/// long long; 8 bytes.
extern Type LONGLONG;
/// IEEE binary16; 2 bytes, or a float of 4 on a CPU target without accurateHalf.
extern Type HALF;
/// IEEE binary32; 4 bytes.
extern Type FLOAT;
/// An 8-bit floating-point number, whose format and scale its metadata say: poplar/Quarter.hpp.
extern Type QUARTER;
/// The metadata of quarters: a format and a scale; 1 byte.
extern Type QUARTER_METADATA;

class IeeeHalf;
class QuarterMetadata;

/// Gives the device type that a host type corresponds to: equivalent_device_type<float>().value ==
/// FLOAT. Other host types are a compile error.
template <typename T> struct equivalent_device_type;

/// Gives the device type of `bool`.
template <> struct equivalent_device_type<bool> {
  /// The device type.
  const Type &value = BOOL;
};
/// Gives the device type of `char`.
template <> struct equivalent_device_type<char> {
  /// The device type.
  const Type &value = CHAR;
};
/// Gives the device type of `signed char`.
template <> struct equivalent_device_type<signed char> {
  /// The device type.
  const Type &value = SIGNED_CHAR;
};
/// Gives the device type of `unsigned char`.
template <> struct equivalent_device_type<unsigned char> {
  /// The device type.
  const Type &value = UNSIGNED_CHAR;
};
/// Gives the device type of `short`.
template <> struct equivalent_device_type<short> {
  /// The device type.
  const Type &value = SHORT;
};
/// Gives the device type of `unsigned short`.
template <> struct equivalent_device_type<unsigned short> {
  /// The device type.
  const Type &value = UNSIGNED_SHORT;
};
/// Gives the device type of `int`.
template <> struct equivalent_device_type<int> {
  /// The device type.
  const Type &value = INT;
};
/// Gives the device type of `unsigned`.
template <> struct equivalent_device_type<unsigned> {
  /// The device type.
  const Type &value = UNSIGNED_INT;
};
/// Gives the device type of `long`.
template <> struct equivalent_device_type<long> {
  /// The device type.
  const Type &value = LONG;
};
/// Gives the device type of `unsigned long`.
template <> struct equivalent_device_type<unsigned long> {
  /// The device type.
  const Type &value = UNSIGNED_LONG;
};
/// Gives the device type of `long long`.
template <> struct equivalent_device_type<long long> {
  /// The device type.
  const Type &value = LONGLONG;
};
/// Gives the device type of `unsigned long long`.
template <> struct equivalent_device_type<unsigned long long> {
  /// The device type.
  const Type &value = UNSIGNED_LONGLONG;
};
/// Gives the device type of `float`.
template <> struct equivalent_device_type<float> {
  /// The device type.
  const Type &value = FLOAT;
};
/// Gives the device type of `double`. There are no doubles on a tile: they are rounded to float on
/// their way there.
template <> struct equivalent_device_type<double> {
  /// The device type.
  const Type &value = FLOAT;
};
/// Gives the device type of `IeeeHalf`.
template <> struct equivalent_device_type<IeeeHalf> {
  /// The device type.
  const Type &value = HALF;
};
/// Gives the device type of `QuarterMetadata`.
template <> struct equivalent_device_type<QuarterMetadata> {
  /// The device type.
  const Type &value = QUARTER_METADATA;
};

} // namespace poplar

namespace std {
template <> struct hash<poplar::Type> {
  size_t operator()(poplar::Type type) const { return type.hash(); }
};
} // namespace std
