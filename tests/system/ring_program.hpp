#pragma once

#include "images.hpp"
#include "machines.hpp"
#include "shapes.hpp"

#include <cstdint>

namespace copse::test {

inline constexpr std::uint32_t kGiven = kWord, kTaken = kWord + 4;

/// Returns a program that repeats: each IPU sends its word kGiven to the next one's kTaken; then,
/// if there is more than one iteration, it folds the received word into kGiven. The next IPU is the
/// next of its replica, or, with \p across, the IPU of the same number in the next replica. View 0
/// has the sent words, view 1 the received ones.
inline session::Program ringProgram(const Shape &shape, bool across, std::uint32_t rounds = 1) {
  session::Program program;
  program.replicas = shape.replicas;
  program.modules = codelets().bytes();
  const std::uint32_t n = shape.ipusPerReplica;
  for (std::uint32_t ipu = 0; ipu < n; ++ipu) {
    ImageWriter writer(codelets().ref(), ipu, n);
    writer.image.hostViews = {ImageWriter::part(kGiven, 1, ipu, n),
                              ImageWriter::part(kTaken, 1, ipu, n)};
    wire::Exchange exchange;
    exchange.name = "ring";
    const std::uint32_t next = across ? ipu : (ipu + 1) % n,
                        previous = across ? ipu : (ipu + n - 1) % n;
    exchange.sends.push_back({next, {ImageWriter::words(kGiven, 1)}, 4});
    exchange.receives.push_back({previous, {ImageWriter::words(kTaken, 1)}, 4});
    for (std::uint32_t from = 0; from < n; ++from)
      exchange.flows.push_back({from, across ? from : (from + 1) % n, 4});
    for (std::uint32_t replica = 0; across && replica < shape.replicas; ++replica)
      exchange.replicaMap.push_back((replica + 1) % shape.replicas);
    writer.image.exchanges.push_back(exchange);
    const wire::Step sync = step(wire::Op::Sync, across ? 2 : 1);
    if (rounds == 1)
      writer.program({sync, step(wire::Op::Exchange)});
    else
      writer.program({repeat(rounds, 3), sync, step(wire::Op::Exchange),
                      writer.vertex("fold", {kGiven, kTaken})});
    program.images.push_back(writer.shared());
  }
  return program;
}

} // namespace copse::test
