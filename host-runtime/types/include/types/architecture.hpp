#pragma once

#include "wire/architecture.hpp"

namespace copse::types {

using wire::Architecture;

} // namespace copse::types
