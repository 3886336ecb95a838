#pragma once

#include "poplar/ProfileValue.hpp"

#include <cstdint>

namespace copse::profile {

/// \throws poplar::index_error if \p map lacks the member, poplar::type_error if it is not a number
inline std::uint64_t numberAt(const poplar::ProfileValue &map, const char *key) {
  return map[key].asUint64();
}

} // namespace copse::profile
