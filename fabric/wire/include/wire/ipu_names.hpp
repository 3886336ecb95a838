#pragma once

#include "wire/ids.hpp"

#include <string>
#include <string_view>

/// Names of IPUs in messages for people. A failure passes through several modules, and each adds
/// the name of an IPU only if the message does not name one yet.
namespace copse::wire {

/// Returns a name such as "ipu 3".
std::string nameOf(IpuId ipu);

/// Returns true if \p text names any IPU.
bool namesAnIpu(std::string_view text);

/// Returns true if \p text names \p ipu; "ipu 12" does not name IPU 1.
bool namesIpu(std::string_view text, IpuId ipu);

} // namespace copse::wire
