#pragma once

#include "schema/status.capnp.h"

#include "wire/result.hpp"

namespace copse::wire {

/// Private to the codecs. Texts longer than kMaxStatusText are cut.
void write(schema::Status::Builder to, const Status &status);
Status read(schema::Status::Reader from);

/// The Code of a number that came in; Internal for one that this build does not know.
Code codeOf(std::uint8_t number);

} // namespace copse::wire
