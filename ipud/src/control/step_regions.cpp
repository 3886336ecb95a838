#include "control/step_regions.hpp"

#include "wire/step_bodies.hpp"

#include <span>

namespace copse::ipud {
namespace {

void append(std::vector<wire::Region> &all, const std::vector<wire::Region> &more) {
  all.insert(all.end(), more.begin(), more.end());
}

std::vector<wire::Region> sourcesOf(const wire::Exchange &exchange) {
  std::vector<wire::Region> all;
  for (const auto &message : exchange.sends)
    append(all, message.regions);
  for (const auto &move : exchange.moves)
    all.push_back({move.from.tile, move.from.address, move.bytes, move.count, move.fromStride});
  return all;
}

std::vector<wire::Region> sourcesOf(std::span<const wire::Exchange> together) {
  std::vector<wire::Region> all;
  for (const wire::Exchange &exchange : together)
    append(all, sourcesOf(exchange));
  return all;
}

std::vector<wire::Region> sourcesOf(const wire::HostExchange &exchange) {
  std::vector<wire::Region> all;
  for (const auto &transfer : exchange.transfers)
    if (transfer.direction == wire::Direction::ToHost)
      append(all, transfer.view.regions);
  return all;
}

std::vector<wire::Region> sourcesOf(const wire::RemoteCopy &copy) {
  std::vector<wire::Region> all;
  if (copy.hasOffsets)
    all.push_back(copy.offsets);
  if (copy.direction == wire::Direction::ToHost)
    append(all, copy.view.regions);
  return all;
}

std::vector<wire::Region> bytesAt(const wire::TileAddress &where, std::uint32_t bytes) {
  return {{where.tile, where.address, bytes, 1, 0}};
}

} // namespace

std::vector<wire::Region> regionsReadBy(const wire::Image &image, const wire::Step &step) {
  switch (step.op) {
  case wire::Op::Exchange:
    return sourcesOf(wire::exchangesOf(image, step));
  case wire::Op::HostExchange:
    return sourcesOf(image.hostExchanges[step.index]);
  case wire::Op::RemoteCopy:
    return sourcesOf(image.remoteCopies[step.index]);
  case wire::Op::Print:
    return image.prints[step.index].view.regions;
  case wire::Op::While:
  case wire::Op::If:
  case wire::Op::Switch:
    return bytesAt(step.predicate, step.predicateBytes);
  case wire::Op::Abort:
    if (step.count != 0)
      return bytesAt(step.predicate, step.predicateBytes);
    break;
  case wire::Op::ReadClock:
    if (step.index == image.ipu && step.count == 1)
      return bytesAt(step.predicate, sizeof(std::uint64_t));
    break;
  case wire::Op::AllTrue:
    if (step.index == image.ipu)
      return bytesAt(step.predicate, step.count);
    break;
  case wire::Op::ComputeSet: // the tiles detect errors while they run
  case wire::Op::Sync:
  case wire::Op::Repeat:
  case wire::Op::Case:
  case wire::Op::Call:
    break;
  }
  return {};
}

} // namespace copse::ipud
