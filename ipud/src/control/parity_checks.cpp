#include "control/parity_checks.hpp"

#include "ipud/step_names.hpp"
#include "wire/ipu_names.hpp"
#include "wire/step_bodies.hpp"

#include <span>
#include <sstream>
#include <vector>

namespace copse::ipud {
namespace {

const wire::TileAddress *errorIn(const TileMemory &memory, const wire::Region &region) {
  if (memory.errorsOf(region.tile).empty())
    return nullptr;
  std::int64_t address = region.address;
  for (std::uint32_t i = 0; i < region.count; ++i, address += region.stride)
    if (const auto *const word =
            memory.errorIn(region.tile, static_cast<std::uint64_t>(address), region.bytes))
      return word;
  return nullptr;
}

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

std::vector<wire::Region> sourcesOf(const wire::Image &image, const wire::Step &step) {
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
  case wire::Op::ComputeSet: // the tiles that run it notice
  case wire::Op::Sync:
  case wire::Op::Repeat:
  case wire::Op::Case:
  case wire::Op::Call:
    break;
  }
  return {};
}

} // namespace

std::string memoryErrorText(std::uint32_t address) {
  std::ostringstream text;
  text << "memory parity error at address " << std::hex << std::showbase << address
       << "; reset the device, by Device::reset() or gc-reset, and load again";
  return text.str();
}

wire::Status checkErrors(const TileMemory &memory, wire::IpuId ipu,
                         std::span<const wire::Region> regions, const std::string &reader) {
  for (const wire::Region &region : regions)
    if (const auto *const word = errorIn(memory, region))
      return {wire::Code::MemoryError, wire::nameOf(ipu) + ", tile " + std::to_string(word->tile) +
                                           ": " + reader +
                                           " failed: " + memoryErrorText(word->address)};
  return wire::Status::success();
}

wire::Status checkErrors(const TileMemory &memory, const Loaded &loaded, std::uint32_t at) {
  if (!memory.hasErrors())
    return wire::Status::success();
  return checkErrors(memory, loaded.placement.self, sourcesOf(loaded.image, loaded.image.steps[at]),
                     describeStep(loaded.image, at));
}

} // namespace copse::ipud
