#include "poplar/OptionFlags.hpp"
#include "poplar/ProfileValue.hpp"
#include "poplar/exceptions.hpp"

#include <istream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <ostream>
#include <stdexcept>

namespace poplar {
namespace {

std::string textOf(const std::string &name, const nlohmann::json &value) {
  if (value.is_string())
    return value.get<std::string>();
  if (value.is_number() || value.is_boolean())
    return value.dump();
  throw parse_error("option '" + name + "': value is " + std::string(value.type_name()) +
                    ", not a string, number or boolean");
}

} // namespace

StringRef OptionFlags::at(StringRef option) const {
  const auto found = flags_.find(option);
  if (found == flags_.end())
    throw std::out_of_range("option '" + option + "' is not set");
  return found->second;
}

void readJSON(StringRef text, OptionFlags &flags) {
  nlohmann::json json;
  try {
    json = nlohmann::json::parse(text.begin(), text.end());
  } catch (const nlohmann::json::exception &e) {
    throw parse_error(std::string("options are not JSON: ") + e.what());
  }
  if (!json.is_object())
    throw parse_error(std::string("options are not a JSON object but ") + json.type_name());
  OptionFlags merged = flags;
  for (const auto &[name, value] : json.items())
    merged.set(name, textOf(name, value));
  flags = std::move(merged);
}

void readJSON(std::istream &json, OptionFlags &flags) {
  readJSON(std::string(std::istreambuf_iterator<char>(json), {}), flags);
}

ProfileValue getAsProfileValue(const OptionFlags &flags) {
  ProfileValue::Map map;
  for (const auto &[name, value] : flags)
    map.emplace(name, value);
  return map;
}

std::ostream &operator<<(std::ostream &out, const OptionFlags &flags) {
  return out << getAsProfileValue(flags);
}

} // namespace poplar
