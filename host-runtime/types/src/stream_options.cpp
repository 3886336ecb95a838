#include "types/stream_options.hpp"

#include "poplar/exceptions.hpp"
#include "types/option_tables.hpp"

#include <array>
#include <limits>

namespace copse::types {
namespace {

constexpr std::array kStreamOptions{
    OptionSpec{"bufferingDepth", OptionKind::Integer, "1", OptionEffect::Used, {}},
    OptionSpec{"splitLimit", OptionKind::Integer, "52428800", OptionEffect::Used, {}},
    // Options of trusted execution, which the emulation does not need.
    OptionSpec{"streamVerification", OptionKind::Boolean, "false", OptionEffect::Hint, {}},
    OptionSpec{"key", OptionKind::Integer, "0", OptionEffect::Hint, {}},
    OptionSpec{"id", OptionKind::Integer, "0", OptionEffect::Hint, {}},
};

} // namespace

std::span<const OptionSpec> streamOptionTable() { return kStreamOptions; }

StreamOptions parseStreamOptions(const poplar::OptionFlags &flags) {
  const OptionReader reader("stream option", kStreamOptions, flags);
  const std::uint64_t depth = reader.integer("bufferingDepth");
  if (depth == 0 || depth > std::numeric_limits<std::uint32_t>::max())
    throw poplar::invalid_option("stream option 'bufferingDepth': value '" +
                                 reader.text("bufferingDepth") +
                                 "' is not a number of buffers; there must be at least 1");
  return {static_cast<std::uint32_t>(depth), reader.integer("splitLimit")};
}

} // namespace copse::types
