#pragma once

#include "wire/envelope.hpp"

#include <utility>

namespace copse::wire {

/// Returns a header in which no two values are the same.
inline Envelope with(decltype(Envelope::body) body) {
  Envelope envelope;
  envelope.epoch = 3;
  envelope.from = {4};
  envelope.to = {6};
  envelope.sequence = 1'000'000'000'000;
  envelope.payloadBytes = 1 << 20;
  envelope.payloadCheck = 77;
  envelope.channels = {Received{9, 8, 11}, Received{2, 2, 0}};
  envelope.body = std::move(body);
  return envelope;
}

} // namespace copse::wire
