#pragma once

#include "wire/ids.hpp"

#include <string_view>

/// Who is meant by a message for people, in which an IPU is "ipu 3". A failure goes through several
/// hands: each adds a name only if nobody before it has said whose failure it is.
namespace copse::wire {

/// Whether \p text names any IPU.
bool namesAnIpu(std::string_view text);

/// Whether \p text names \p ipu: "ipu 12" does not name IPU 1.
bool namesIpu(std::string_view text, IpuId ipu);

} // namespace copse::wire
