#pragma once

#include "wire/descriptor.hpp"

namespace copse::fabric {
using wire::Descriptor;
} // namespace copse::fabric
