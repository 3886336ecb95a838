#include "control/parity_checks.hpp"

#include "control/step_regions.hpp"

#include "ipud/step_names.hpp"
#include "wire/ipu_names.hpp"

#include <sstream>

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
  return checkErrors(memory, loaded.placement.self,
                     regionsReadBy(loaded.image, loaded.image.steps[at]),
                     describeStep(loaded.image, at));
}

} // namespace copse::ipud
