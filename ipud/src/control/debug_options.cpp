#include "ipud/debug_options.hpp"

#include "wire/environment.hpp"

#include <algorithm>
#include <charconv>

namespace copse::ipud {
namespace {

/// \returns true if \p key is an option and \p value is valid for it
bool setDebugOption(DebugOptions &options, std::string_view key, std::string_view value) {
  if (key == "directory") {
    options.directory = value;
    return !value.empty();
  }
  if (key == "vertex") {
    options.vertex = value;
    return !value.empty();
  }
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc{} || end != value.data() + value.size())
    return false;
  if (key != "ipu" && key != "tile")
    return false;
  (key == "ipu" ? options.ipu : options.tile) = number;
  return true;
}

} // namespace

wire::Result<DebugOptions> parseDebug(std::string_view text) {
  DebugOptions options;
  while (!text.empty()) {
    const bool isLast = text.starts_with("vertex="); // the vertex class may contain commas
    const auto item = isLast ? text : text.substr(0, text.find(','));
    text.remove_prefix(std::min(item.size() + 1, text.size()));
    const auto equals = std::min(item.find('='), item.size());
    const auto value = item.substr(std::min(equals + 1, item.size()));
    if (!setDebugOption(options, item.substr(0, equals), value))
      return wire::Status{wire::Code::InvalidOption,
                          "'" + std::string(item) +
                              "' is no option of a debugged run; there are directory=PATH, ipu=N, "
                              "tile=N, vertex=NAME"};
  }
  if (options.directory.empty())
    return wire::Status{wire::Code::InvalidOption, "a debugged run needs directory=PATH"};
  return options;
}

wire::Result<DebugOptions> debugOptionsOfEnvironment() {
  const std::string given = wire::environmentVariable("COPSE_DEBUG");
  if (given.empty())
    return DebugOptions{};
  auto options = parseDebug(given);
  if (!options)
    return wire::Status{wire::Code::InvalidOption, "COPSE_DEBUG: " + options.status().message};
  return options;
}

} // namespace copse::ipud
