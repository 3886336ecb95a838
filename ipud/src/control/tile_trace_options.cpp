#include "ipud/tile_trace_options.hpp"

#include <charconv>
#include <string>

namespace copse::ipud {
namespace {

std::optional<std::uint64_t> numberOf(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size())
    return std::nullopt;
  return value;
}

/// \returns true if \p key is an option and \p value is valid for it
bool set(TileTraceOptions &options, std::string_view key, std::string_view value) {
  if (key == "directory") {
    options.directory = value;
    return !value.empty();
  }
  const auto number = numberOf(value);
  if (!number)
    return false;
  const auto narrow = static_cast<std::uint32_t>(std::min<std::uint64_t>(*number, 0xFFFFFFFF));
  if (key == "ipu")
    options.ipu = narrow;
  else if (key == "tile")
    options.tile = narrow;
  else if (key == "context" && *number <= TileTraceOptions::kSupervisorContext)
    options.context = narrow;
  else if (key == "lists")
    options.lists = *number != 0;
  else if (key == "most")
    options.most = *number;
  else
    return false;
  return true;
}

} // namespace

wire::Result<TileTraceOptions> parseTileTrace(std::string_view text) {
  TileTraceOptions options;
  while (!text.empty()) {
    const auto item = text.substr(0, text.find(','));
    text.remove_prefix(std::min(item.size() + 1, text.size()));
    const auto equals = std::min(item.find('='), item.size());
    const auto value = item.substr(std::min(equals + 1, item.size()));
    if (!set(options, item.substr(0, equals), value))
      return wire::Status{wire::Code::InvalidOption,
                          "'" + std::string(item) +
                              "' is no option of a tile trace; there are directory=PATH, ipu=N, "
                              "tile=N, context=0..6 (6: the supervisor), lists=0 or 1, most=N"};
  }
  if (options.directory.empty())
    return wire::Status{wire::Code::InvalidOption, "a tile trace needs directory=PATH"};
  return options;
}

} // namespace copse::ipud
