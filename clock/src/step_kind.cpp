#include "clock/step_kind.hpp"

#include "wire/step_bodies.hpp"

#include <algorithm>

namespace copse::clock {
namespace {

bool leavesTheChip(const wire::Image &image, const wire::Step &step) {
  return std::ranges::any_of(wire::exchangesOf(image, step), [](const wire::Exchange &exchange) {
    return !exchange.flows.empty() || !exchange.replicaMap.empty();
  });
}

} // namespace

std::optional<StepKind> kindOf(const wire::Image &image, const wire::Step &step) {
  switch (step.op) {
  case wire::Op::ComputeSet:
    return StepKind::Compute;
  case wire::Op::Exchange:
    return leavesTheChip(image, step) ? StepKind::GlobalExchange : StepKind::InternalExchange;
  case wire::Op::Sync:
    return StepKind::Sync;
  case wire::Op::HostExchange:
  case wire::Op::RemoteCopy:
    return StepKind::HostExchange;
  // All other steps take no modelled time of their own.
  default:
    return std::nullopt;
  }
}

} // namespace copse::clock
