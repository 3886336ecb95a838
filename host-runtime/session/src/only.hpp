#pragma once

#include "fabric/payload.hpp"

#include <utility>
#include <vector>

namespace copse::session {

/// The payloads of a message that has one. A Payload cannot be copied, so a braced list cannot hold
/// it.
inline std::vector<fabric::Payload> only(fabric::Payload payload) {
  std::vector<fabric::Payload> all;
  all.push_back(std::move(payload));
  return all;
}

} // namespace copse::session
