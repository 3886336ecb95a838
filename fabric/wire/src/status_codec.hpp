#pragma once

#include "schema/status.capnp.h"

#include "wire/result.hpp"

namespace copse::wire {

/// Private to the codecs. write() cuts texts that are longer than kMaxStatusText.
void write(schema::Status::Builder to, const Status &status);
Status read(schema::Status::Reader from);

/// Returns the Code for a received number; Internal for a number that this build does not know.
Code codeOf(std::uint8_t number);

} // namespace copse::wire
