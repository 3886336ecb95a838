#include "engine/assumptions.hpp"

#include "ipud/step_names.hpp"
#include "poplar/exceptions.hpp"
#include "wire/environment.hpp"
#include "wire/step_bodies.hpp"

#include <algorithm>
#include <charconv>
#include <fnmatch.h>
#include <set>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace copse::engine {

using wire::Op;

namespace {

constexpr const char *kForm = "; write KIND=VALUE or KIND:NAME=VALUE, for example if=true, "
                              "switch:layer/mode=3 or while=10";

[[noreturn]] void refuse(const std::string &entry, const std::string &why) {
  throw std::invalid_argument("the assumption '" + entry + "' " + why + kForm);
}

std::optional<std::uint32_t> numberOf(const std::string &text) {
  std::uint32_t number = 0;
  const char *const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && rest == end ? std::optional(number) : std::nullopt;
}

Op opOf(const std::string &kind, const std::string &entry) {
  if (kind == "if")
    return Op::If;
  if (kind == "switch")
    return Op::Switch;
  if (kind == "while")
    return Op::While;
  refuse(entry, "has the kind '" + kind + "', which is none of if, switch and while");
}

/// Returns the value of an assumption; nothing: the default of a Switch.
std::optional<std::uint32_t> valueOf(Op op, const std::string &value, const std::string &entry) {
  if (op == Op::If) {
    if (value != "true" && value != "false")
      refuse(entry, "has the value '" + value + "', which is neither true nor false");
    return value == "true" ? 1 : 0;
  }
  if (op == Op::Switch && value == "default")
    return std::nullopt;
  const auto number = numberOf(value);
  if (!number)
    refuse(entry, "has the value '" + value + "', which is no number");
  return number;
}

/// Returns a value that none of the cases of a Switch has.
std::uint32_t valueOfNoCase(const wire::Image &image, std::uint32_t step) {
  std::set<std::uint32_t> cases;
  wire::visitCases(image.steps, step,
                   [&](std::uint32_t value, const wire::StepRange &) { cases.insert(value); });
  std::uint32_t value = 0;
  while (cases.contains(value))
    ++value;
  return value;
}

} // namespace

Assumptions::Entry Assumptions::entryOf(const std::string &text) {
  const auto equals = text.rfind('=');
  if (equals == std::string::npos)
    refuse(text, "has no value");
  const std::string left = text.substr(0, equals);
  const auto colon = left.find(':');
  Entry entry;
  entry.op = opOf(left.substr(0, colon), text);
  if (colon != std::string::npos) {
    entry.name = left.substr(colon + 1);
    if (entry.name.empty())
      refuse(text, "has an empty name");
  }
  entry.value = valueOf(entry.op, text.substr(equals + 1), text);
  return entry;
}

Assumptions::Assumptions(const std::string &text) {
  std::istringstream entries(text);
  for (std::string entry; std::getline(entries, entry, ',');)
    entries_.push_back(entryOf(entry));
}

Assumptions Assumptions::ofEnvironment() {
  try {
    return Assumptions(wire::environmentVariable("COPSE_ASSUME"));
  } catch (const std::invalid_argument &error) {
    throw poplar::no_environment(std::string("COPSE_ASSUME: ") + error.what());
  }
}

const Assumptions::Entry *Assumptions::entryFor(const wire::Image &image,
                                                std::uint32_t step) const {
  const std::string name = ipud::nameOfBranch(image, step), number = std::to_string(step);
  const Entry *found = nullptr;
  for (const Entry &entry : entries_) {
    const bool isNamed = !entry.name.empty();
    if (entry.op != image.steps[step].op || (!isNamed && found != nullptr && !found->name.empty()))
      continue;
    if (!isNamed || entry.name == number || ::fnmatch(entry.name.c_str(), name.c_str(), 0) == 0)
      found = &entry;
  }
  return found;
}

std::optional<std::uint32_t> Assumptions::at(const wire::Image &image, std::uint32_t step) const {
  const Entry *const entry = entryFor(image, step);
  if (entry == nullptr)
    return std::nullopt;
  return entry->value ? entry->value : valueOfNoCase(image, step);
}

std::string Assumptions::exampleFor(const wire::Image &image, std::uint32_t step) {
  const std::string name = ipud::nameOfBranch(image, step);
  const std::string of = ":" + (name.empty() ? std::to_string(step) : name);
  switch (image.steps[step].op) {
  case Op::If:
    return "if" + of + "=true";
  case Op::Switch:
    return "switch" + of + "=default";
  default:
    return "while" + of + "=10";
  }
}

} // namespace copse::engine
