#pragma once

#include "poplar/IeeeHalf.hpp"
#include "poplar/Type.hpp"

#include <cstddef>
#include <type_traits>

namespace poplar {

/// Holds what the library must know of a host type whose values it gets through a `const void *`.
class TypeTraits {
public:
  /// The meaning of a value's bytes.
  enum class Kind : unsigned char { Other, Boolean, Signed, Unsigned, Floating, Half };

  /// Returns the traits of T.
  template <typename T> static TypeTraits make() {
    TypeTraits traits;
    traits.size = sizeof(T);
    traits.align = alignof(T);
    traits.kind = kindOf<T>();
    traits.isFloat = traits.kind == Kind::Floating || traits.kind == Kind::Half;
    traits.isIntegral = std::is_integral<T>::value;
    traits.isSigned = std::is_signed<T>::value;
    return traits;
  }

  /// Returns true for the types that equivalent_device_type knows.
  template <typename T> static constexpr bool isSimpleType() {
    return std::is_arithmetic<T>::value && !std::is_same<T, long double>::value &&
           !std::is_same<T, wchar_t>::value && !std::is_same<T, char16_t>::value &&
           !std::is_same<T, char32_t>::value;
  }

  /// Returns true if the type that this was made of is simple, too.
  bool isSimpleType() const { return kind != Kind::Other && kind != Kind::Half; }

  /// The size of a value [bytes].
  std::size_t size = 0;
  /// The alignment of a value [bytes].
  std::size_t align = 0;
  /// The meaning of a value's bytes.
  Kind kind = Kind::Other;
  /// True for a floating-point type, IeeeHalf included.
  bool isFloat = false;
  /// True if std::is_integral is.
  bool isIntegral = false;
  /// True if std::is_signed is: for floating point, and for integers with negative values.
  bool isSigned = false;

private:
  template <typename T> static constexpr Kind kindOf() {
    return std::is_same<T, IeeeHalf>::value   ? Kind::Half
           : std::is_same<T, bool>::value     ? Kind::Boolean
           : std::is_floating_point<T>::value ? Kind::Floating
           : !std::is_integral<T>::value      ? Kind::Other
           : std::is_signed<T>::value         ? Kind::Signed
                                              : Kind::Unsigned;
  }
};

} // namespace poplar
