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

/// Holds data whose form is known at run time only, as JSON does: nothing, a boolean, a number,
/// text, a list or a map. Immutable, and cheap to copy.
///
/// \code
/// const std::uint64_t tiles = engine.getGraphProfile()["target"]["numTiles"].asUint64();
/// \endcode
class ProfileValue {
public:
  /// A boolean.
  using Boolean = bool;
  /// A floating-point number.
  using Number = double;
  /// Text.
  using String = std::string;
  /// A list of values.
  using Vector = std::vector<ProfileValue>;
  /// A map of values by name.
  using Map = std::map<std::string, ProfileValue>;

  /// The kind of a value.
  enum class Type { NONE, BOOLEAN, NUMBER, STRING, VECTOR, MAP, BOOL_ = BOOLEAN };

  /// Makes a value that holds nothing.
  ProfileValue();
  /// Makes a boolean.
  ProfileValue(Boolean value);
  /// Makes a number.
  ProfileValue(Number value);
  /// Makes an integer, which keeps all its bits.
  template <typename T, typename = typename std::enable_if<std::is_integral<T>::value &&
                                                           !std::is_same<T, bool>::value>::type>
  ProfileValue(T value) : kind_(std::is_signed<T>::value ? Kind::Signed : Kind::Unsigned) {
    if (std::is_signed<T>::value)
      number_.asSigned = static_cast<std::int64_t>(value);
    else
      number_.asUnsigned = static_cast<std::uint64_t>(value);
  }

  ///@{

  /// Makes text, a list or a map.
  ProfileValue(const char *value);
  ProfileValue(StringRef value);
  ProfileValue(String value);
  ProfileValue(Vector value);
  ProfileValue(Map value);
  ///@}

  /// Returns the kind of the value.
  Type type() const;
  /// The ways in which a number is kept.
  enum class Representation { Signed, Unsigned, Floating };
  /// Returns how the number is kept.
  /// \throws type_error if the value is no number
  Representation representation() const;

  ///@{

  /// Returns the value as a C++ type. References are valid as long as the value.
  /// \throws type_error if it is something else
  /// \throws overflow_error if a number does not fit the integer type
  bool asBool() const;
  double asDouble() const;
  int asInt() const;
  unsigned asUint() const;
  std::int64_t asInt64() const;
  std::uint64_t asUint64() const;
  const String &asString() const;
  const Vector &asVector() const;
  const Map &asMap() const;
  ///@}

  ///@{

  /// Returns a member of a map, or an element of a list.
  /// \throws index_error if there is none
  /// \throws type_error if the value is no map or list
  const ProfileValue &operator[](StringRef key) const;
  const ProfileValue &operator[](std::size_t index) const;
  ///@}

  /// Returns the number of elements of a list or members of a map; 0 for others.
  std::size_t size() const;
  /// Returns a member of a map, or a value of type NONE if there is none.
  /// \throws type_error if the value is no map
  const ProfileValue &getOrNull(StringRef key) const;
  /// Returns the numbers of a list.
  /// \throws type_error, overflow_error as asUint()
  std::vector<unsigned> toUintVector() const;
  /// Returns the sum of all numbers in the value, however deep.
  double sum() const;

  ///@{

  /// Returns the sum of the numbers of a list, or of a list of lists.
  /// \throws type_error if the value is something else
  /// \throws overflow_error if a number, or the sum, does not fit the integer type
  double sumDouble() const;
  std::int64_t sumInt() const;
  std::uint64_t sumUint() const;
  std::int64_t sum2DInt() const;
  std::uint64_t sum2DUint() const;
  ///@}

  ///@{

  /// Compares kind and contents.
  friend bool operator==(const ProfileValue &a, const ProfileValue &b) { return a.equals(b); }
  friend bool operator!=(const ProfileValue &a, const ProfileValue &b) { return !a.equals(b); }
  ///@}

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
  struct Content; // the value, if its kind owns memory

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
/// Writes the value as JSON on one line.
std::ostream &operator<<(std::ostream &out, const ProfileValue &value);

} // namespace poplar
