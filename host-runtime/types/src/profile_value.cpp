#include "poplar/ProfileValue.hpp"
#include "poplar/exceptions.hpp"

#include <cmath>
#include <limits>
#include <string_view>
#include <utility>

namespace poplar {

struct ProfileValue::Content {
  String string;
  Vector vector;
  Map map;
};

namespace {

const char *nameOf(ProfileValue::Type type) {
  switch (type) {
  case ProfileValue::Type::NONE:
    return "nothing";
  case ProfileValue::Type::BOOLEAN:
    return "a boolean";
  case ProfileValue::Type::NUMBER:
    return "a number";
  case ProfileValue::Type::STRING:
    return "a string";
  case ProfileValue::Type::VECTOR:
    return "a vector";
  case ProfileValue::Type::MAP:
    return "a map";
  }
  return "something unknown";
}

void require(const ProfileValue &value, ProfileValue::Type wanted) {
  if (value.type() != wanted)
    throw type_error(std::string("profile value is ") + nameOf(value.type()) + ", not " +
                     nameOf(wanted));
}

template <class Integer> Integer narrowed(const ProfileValue &value) {
  constexpr auto least = std::numeric_limits<Integer>::min();
  constexpr auto largest = std::numeric_limits<Integer>::max();
  const auto integer = [&] {
    if constexpr (std::is_signed_v<Integer>)
      return value.asInt64();
    else
      return value.asUint64();
  }();
  if (std::cmp_less(integer, least) || std::cmp_greater(integer, largest))
    throw overflow_error("profile value " + std::to_string(integer) +
                         " does not fit the integer type");
  return static_cast<Integer>(integer);
}

template <class Integer> Integer added(Integer a, Integer b) {
  Integer sum = 0;
  if (__builtin_add_overflow(a, b, &sum))
    throw overflow_error("the sum of the profile values does not fit the integer type");
  return sum;
}

template <class Integer> Integer truncated(double number) {
  // Both limits are exact in double; the upper limit is the first value that does not fit.
  const double limit = std::ldexp(1.0, std::numeric_limits<Integer>::digits);
  const double least = std::is_signed_v<Integer> ? -limit : 0.0;
  if (!(number >= least && number < limit))
    throw overflow_error("profile value " + std::to_string(number) +
                         " does not fit the integer type");
  return static_cast<Integer>(number);
}

} // namespace

ProfileValue::ProfileValue() : kind_(Kind::None), number_() {}
ProfileValue::ProfileValue(Boolean value) : kind_(Kind::Boolean), number_() {
  number_.asBoolean = value;
}
ProfileValue::ProfileValue(Number value) : kind_(Kind::Floating), number_() {
  number_.asFloating = value;
}
ProfileValue::ProfileValue(const char *value) : ProfileValue(String(value)) {}
ProfileValue::ProfileValue(StringRef value) : ProfileValue(value.cloneAsString()) {}
ProfileValue::ProfileValue(String value)
    : kind_(Kind::String), number_(),
      content_(std::make_shared<const Content>(Content{std::move(value), {}, {}})) {}
ProfileValue::ProfileValue(Vector value)
    : kind_(Kind::Vector), number_(),
      content_(std::make_shared<const Content>(Content{{}, std::move(value), {}})) {}
ProfileValue::ProfileValue(Map value)
    : kind_(Kind::Map), number_(),
      content_(std::make_shared<const Content>(Content{{}, {}, std::move(value)})) {}

ProfileValue::Type ProfileValue::type() const {
  switch (kind_) {
  case Kind::None:
    return Type::NONE;
  case Kind::Boolean:
    return Type::BOOLEAN;
  case Kind::Signed:
  case Kind::Unsigned:
  case Kind::Floating:
    return Type::NUMBER;
  case Kind::String:
    return Type::STRING;
  case Kind::Vector:
    return Type::VECTOR;
  case Kind::Map:
    return Type::MAP;
  }
  return Type::NONE;
}

ProfileValue::Representation ProfileValue::representation() const {
  require(*this, Type::NUMBER);
  if (kind_ == Kind::Signed)
    return Representation::Signed;
  return kind_ == Kind::Unsigned ? Representation::Unsigned : Representation::Floating;
}

bool ProfileValue::asBool() const {
  require(*this, Type::BOOLEAN);
  return number_.asBoolean;
}

double ProfileValue::asDouble() const {
  switch (representation()) {
  case Representation::Signed:
    return static_cast<double>(number_.asSigned);
  case Representation::Unsigned:
    return static_cast<double>(number_.asUnsigned);
  case Representation::Floating:
    break;
  }
  return number_.asFloating;
}

std::int64_t ProfileValue::asInt64() const {
  switch (representation()) {
  case Representation::Signed:
    return number_.asSigned;
  case Representation::Unsigned:
    if (!std::in_range<std::int64_t>(number_.asUnsigned))
      throw overflow_error("profile value " + std::to_string(number_.asUnsigned) +
                           " does not fit int64_t");
    return static_cast<std::int64_t>(number_.asUnsigned);
  case Representation::Floating:
    break;
  }
  return truncated<std::int64_t>(number_.asFloating);
}

std::uint64_t ProfileValue::asUint64() const {
  switch (representation()) {
  case Representation::Unsigned:
    return number_.asUnsigned;
  case Representation::Signed:
    if (number_.asSigned < 0)
      throw overflow_error("profile value " + std::to_string(number_.asSigned) +
                           " does not fit uint64_t");
    return static_cast<std::uint64_t>(number_.asSigned);
  case Representation::Floating:
    break;
  }
  return truncated<std::uint64_t>(number_.asFloating);
}

int ProfileValue::asInt() const { return narrowed<int>(*this); }
unsigned ProfileValue::asUint() const { return narrowed<unsigned>(*this); }

const ProfileValue::String &ProfileValue::asString() const {
  require(*this, Type::STRING);
  return content_->string;
}
const ProfileValue::Vector &ProfileValue::asVector() const {
  require(*this, Type::VECTOR);
  return content_->vector;
}
const ProfileValue::Map &ProfileValue::asMap() const {
  require(*this, Type::MAP);
  return content_->map;
}

const ProfileValue &ProfileValue::operator[](StringRef key) const {
  const Map &map = asMap();
  const auto found = map.find(key);
  if (found == map.end())
    throw index_error("profile value has no member '" + key + "'");
  return found->second;
}

const ProfileValue &ProfileValue::operator[](std::size_t index) const {
  const Vector &vector = asVector();
  if (index >= vector.size())
    throw index_error("profile value has " + std::to_string(vector.size()) +
                      " elements; there is no element " + std::to_string(index));
  return vector[index];
}

std::size_t ProfileValue::size() const {
  if (kind_ == Kind::Vector)
    return content_->vector.size();
  return kind_ == Kind::Map ? content_->map.size() : 0;
}

const ProfileValue &ProfileValue::getOrNull(StringRef key) const {
  static const ProfileValue null;
  const Map &map = asMap();
  const auto found = map.find(key);
  return found == map.end() ? null : found->second;
}

std::vector<unsigned> ProfileValue::toUintVector() const {
  std::vector<unsigned> values;
  for (const ProfileValue &element : asVector())
    values.push_back(element.asUint());
  return values;
}

double ProfileValue::sumDouble() const {
  double total = 0;
  for (const ProfileValue &element : asVector())
    total += element.asDouble();
  return total;
}
std::int64_t ProfileValue::sumInt() const {
  std::int64_t total = 0;
  for (const ProfileValue &element : asVector())
    total = added(total, element.asInt64());
  return total;
}
std::uint64_t ProfileValue::sumUint() const {
  std::uint64_t total = 0;
  for (const ProfileValue &element : asVector())
    total = added(total, element.asUint64());
  return total;
}
std::int64_t ProfileValue::sum2DInt() const {
  std::int64_t total = 0;
  for (const ProfileValue &row : asVector())
    total = added(total, row.sumInt());
  return total;
}
std::uint64_t ProfileValue::sum2DUint() const {
  std::uint64_t total = 0;
  for (const ProfileValue &row : asVector())
    total = added(total, row.sumUint());
  return total;
}

double ProfileValue::sum() const {
  double total = 0;
  if (kind_ == Kind::Vector)
    for (const ProfileValue &element : content_->vector)
      total += element.sum();
  else if (kind_ == Kind::Map)
    for (const auto &member : content_->map)
      total += member.second.sum();
  else if (type() == Type::NUMBER)
    total = asDouble();
  return total;
}

bool ProfileValue::equals(const ProfileValue &other) const {
  if (type() != other.type())
    return false;
  switch (type()) {
  case Type::NONE:
    return true;
  case Type::BOOLEAN:
    return asBool() == other.asBool();
  case Type::NUMBER:
    return sameNumber(other);
  case Type::STRING:
    return content_->string == other.content_->string;
  case Type::VECTOR:
    return content_->vector == other.content_->vector;
  case Type::MAP:
    return content_->map == other.content_->map;
  }
  return false;
}

// Compares numbers by value, whatever their C++ type: 3, 3u and 3.0 are equal.
bool ProfileValue::sameNumber(const ProfileValue &other) const {
  if (kind_ == Kind::Floating || other.kind_ == Kind::Floating)
    return asDouble() == other.asDouble();
  if (kind_ == other.kind_)
    return number_.asUnsigned == other.number_.asUnsigned;
  return kind_ == Kind::Signed ? std::cmp_equal(number_.asSigned, other.number_.asUnsigned)
                               : std::cmp_equal(number_.asUnsigned, other.number_.asSigned);
}

} // namespace poplar
