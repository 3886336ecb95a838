#pragma once

#include "poplar/StringRef.hpp"

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <map>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

namespace poplar {

/// A JSON-like value: nothing, a boolean, a number, text, a list or a map. Immutable, and cheap to
/// copy.
class ProfileValue {
public:
  using Boolean = bool;
  using Number = double;
  using String = std::string;
  using Vector = std::vector<ProfileValue>;
  using Map = std::map<std::string, ProfileValue>;

  enum class Type { NONE, BOOLEAN, NUMBER, STRING, VECTOR, MAP, BOOL_ = BOOLEAN };

  ProfileValue();
  ProfileValue(Boolean value);
  ProfileValue(Number value);
  /// Integers keep all their bits.
  template <typename T, typename = typename std::enable_if<std::is_integral<T>::value &&
                                                           !std::is_same<T, bool>::value>::type>
  ProfileValue(T value) : kind_(std::is_signed<T>::value ? Kind::Signed : Kind::Unsigned) {
    if (std::is_signed<T>::value)
      number_.asSigned = static_cast<std::int64_t>(value);
    else
      number_.asUnsigned = static_cast<std::uint64_t>(value);
  }
  ProfileValue(const char *value);
  ProfileValue(StringRef value);
  ProfileValue(String value);
  ProfileValue(Vector value);
  ProfileValue(Map value);

  Type type() const;
  /// How a number is kept.
  /// \throws type_error if it is none
  enum class Representation { Signed, Unsigned, Floating };
  Representation representation() const;

  // What the value is, as a C++ type.
  // \throws type_error if it is something else; overflow_error if it does not fit the integer
  bool asBool() const;
  double asDouble() const;
  int asInt() const;
  unsigned asUint() const;
  std::int64_t asInt64() const;
  std::uint64_t asUint64() const;
  const String &asString() const;
  const Vector &asVector() const;
  const Map &asMap() const;

  /// A member of a map, or an element of a list.
  /// \throws index_error if there is none, type_error
  const ProfileValue &operator[](StringRef key) const;
  const ProfileValue &operator[](std::size_t index) const;
  /// Elements of a list or a map; 0 for others.
  std::size_t size() const;
  /// A member of a map, or a value of type NONE if there is none.
  /// \throws type_error
  const ProfileValue &getOrNull(StringRef key) const;
  /// \throws type_error, overflow_error as asUint()
  std::vector<unsigned> toUintVector() const;
  /// Of all numbers in it, however deep.
  double sum() const;
  // These work on the numbers of a list, or of a list of lists.
  // \throws type_error; overflow_error if a number, or the sum, does not fit the integer
  double sumDouble() const;
  std::int64_t sumInt() const;
  std::uint64_t sumUint() const;
  std::int64_t sum2DInt() const;
  std::uint64_t sum2DUint() const;

  friend bool operator==(const ProfileValue &a, const ProfileValue &b) { return a.equals(b); }
  friend bool operator!=(const ProfileValue &a, const ProfileValue &b) { return !a.equals(b); }

private:
  enum class Kind : unsigned char {
    None,
    Boolean,
    Signed,
    Unsigned,
    Floating,
    String,
    Vector,
    Map
  };
  struct Content; // of the kinds that own memory

  bool equals(const ProfileValue &other) const;
  bool sameNumber(const ProfileValue &other) const;

  Kind kind_;
  union {
    bool asBoolean;
    std::int64_t asSigned;
    std::uint64_t asUnsigned;
    double asFloating;
  } number_;
  std::shared_ptr<const Content> content_;
};

/// Writes \p value as JSON, on one line or, with \p prettyPrint, indented.
void serializeToJSON(std::ostream &out, const ProfileValue &value, bool prettyPrint = false);
std::ostream &operator<<(std::ostream &out, const ProfileValue &value);

} // namespace poplar
