#include "types/simulator_options.hpp"

#include "environment_options.hpp"

#include "poplar/exceptions.hpp"
#include "types/option_tables.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>

namespace copse::types {
namespace {

constexpr const char *kVariable = "POPLAR_SIMULATOR_OPTIONS";

constexpr std::array kSimulatorOptions{
    OptionSpec{"workerOrder", OptionKind::Word, "fixed", OptionEffect::Used, "fixed|shuffled"},
    OptionSpec{"workerSeed", OptionKind::Integer, "1", OptionEffect::Used, ""},
    OptionSpec{"parityErrors", OptionKind::Text, "", OptionEffect::Used, ""}};

/// Returns the options that this simulator knows.
poplar::OptionFlags knownOptions() {
  poplar::OptionFlags known;
  for (const auto &[key, value] : withEnvironment({}, kVariable))
    if (std::ranges::any_of(kSimulatorOptions,
                            [&](const OptionSpec &spec) { return spec.name == key; }))
      known.set(key, value);
  return known;
}

/// Parses and removes the number at the front of \p text, and the ':' that must follow all numbers
/// but the last.
std::uint32_t takeNumber(std::string_view &text, bool last) {
  const bool hex = text.starts_with("0x");
  std::uint32_t number = 0;
  const char *const first = text.data() + (hex ? 2 : 0), *const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(first, end, number, hex ? 16 : 10);
  if (error != std::errc() || (last ? rest != end : rest == end || *rest != ':'))
    throw std::invalid_argument("not a number");
  text.remove_prefix(static_cast<std::size_t>(rest - text.data()) + (last ? 0 : 1));
  return number;
}

SimulatorOptions::ParityError parityError(const std::string &word) {
  try {
    std::string_view rest = word;
    SimulatorOptions::ParityError error;
    error.ipu = takeNumber(rest, false);
    error.tile = takeNumber(rest, false);
    error.address = takeNumber(rest, true);
    return error;
  } catch (const std::invalid_argument &) {
    throw poplar::invalid_option(std::string(kVariable) + ": 'parityErrors' has '" + word +
                                 "'; write IPU:TILE:ADDRESS, such as 0:5:0x50000, with blanks "
                                 "between several");
  }
}

} // namespace

std::span<const OptionSpec> simulatorOptionTable() { return kSimulatorOptions; }

SimulatorOptions simulatorOptions() {
  const OptionReader reader(kVariable, kSimulatorOptions, knownOptions());
  SimulatorOptions options;
  // A different nonzero seed for each.
  if (reader.word("workerOrder") == "shuffled")
    options.workerSeed = 2 * reader.integer("workerSeed") + 1;
  std::istringstream errors(reader.text("parityErrors"));
  for (std::string word; errors >> word;)
    options.parityErrors.push_back(parityError(word));
  return options;
}

} // namespace copse::types
