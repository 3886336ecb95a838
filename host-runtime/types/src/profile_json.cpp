#include "types/profile_json.hpp"

#include <charconv>
#include <cmath>
#include <limits>
#include <ostream>

namespace copse::types {
namespace {

constexpr double kExactIntegers = 9007199254740992; // 2^53

/// Converts a double. Programs store integers and floats as doubles: an integer has no fraction,
/// and a float has only a float's digits.
nlohmann::json doubleToJson(double number) {
  if (std::trunc(number) == number && std::fabs(number) < kExactIntegers)
    return static_cast<std::int64_t>(number);
  if (!(std::fabs(number) <= std::numeric_limits<float>::max()))
    return number;
  const auto single = static_cast<float>(number);
  if (static_cast<double>(single) != number)
    return number;
  char digits[32]; // the longest is -1.17549435e-38
  const auto end = std::to_chars(std::begin(digits), std::end(digits), single).ptr;
  std::from_chars(digits, end, number);
  return number;
}

nlohmann::json numberToJson(const poplar::ProfileValue &number) {
  switch (number.representation()) {
  case poplar::ProfileValue::Representation::Signed:
    return number.asInt64();
  case poplar::ProfileValue::Representation::Unsigned:
    return number.asUint64();
  default:
    return doubleToJson(number.asDouble());
  }
}

} // namespace

nlohmann::json toJson(const poplar::ProfileValue &value) {
  using Type = poplar::ProfileValue::Type;
  switch (value.type()) {
  case Type::NONE:
    return nullptr;
  case Type::BOOLEAN:
    return value.asBool();
  case Type::NUMBER:
    return numberToJson(value);
  case Type::STRING:
    return value.asString();
  case Type::VECTOR: {
    nlohmann::json list = nlohmann::json::array();
    for (const poplar::ProfileValue &element : value.asVector())
      list.push_back(toJson(element));
    return list;
  }
  case Type::MAP: {
    nlohmann::json object = nlohmann::json::object();
    for (const auto &[name, member] : value.asMap())
      object[name] = toJson(member);
    return object;
  }
  }
  return nullptr;
}

poplar::ProfileValue fromJson(const nlohmann::json &json) {
  using Kind = nlohmann::json::value_t;
  switch (json.type()) {
  case Kind::boolean:
    return json.get<bool>();
  case Kind::number_integer:
    return json.get<std::int64_t>();
  case Kind::number_unsigned:
    return json.get<std::uint64_t>();
  case Kind::number_float:
    return json.get<double>();
  case Kind::string:
    return json.get<std::string>();
  case Kind::array: {
    poplar::ProfileValue::Vector list;
    for (const nlohmann::json &element : json)
      list.push_back(fromJson(element));
    return list;
  }
  case Kind::object: {
    poplar::ProfileValue::Map map;
    for (const auto &[name, member] : json.items())
      map.emplace(name, fromJson(member));
    return map;
  }
  case Kind::null:
  case Kind::binary:
  case Kind::discarded:
    break;
  }
  return {};
}

} // namespace copse::types

namespace poplar {

void serializeToJSON(std::ostream &out, const ProfileValue &value, bool prettyPrint) {
  const nlohmann::json json = copse::types::toJson(value);
  // Names of a user's tensors need not be UTF-8; the report must be written nevertheless.
  out << json.dump(prettyPrint ? 2 : -1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::ostream &operator<<(std::ostream &out, const ProfileValue &value) {
  serializeToJSON(out, value);
  return out;
}

} // namespace poplar
