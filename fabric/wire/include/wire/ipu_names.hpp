#pragma once

#include "wire/ids.hpp"

#include <string>
#include <string_view>

/// The IPU that a message for people names. A failure passes through several modules: each adds a name only if the
/// message has none yet.
namespace copse::wire {

/// "ipu 3"
std::string nameOf(IpuId ipu);

/// Whether \p text names any IPU.
bool namesAnIpu(std::string_view text);

/// Whether \p text names \p ipu: "ipu 12" does not name IPU 1.
bool namesIpu(std::string_view text, IpuId ipu);

} // namespace copse::wire
