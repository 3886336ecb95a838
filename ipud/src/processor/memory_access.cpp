#include "processor/memory_access.hpp"

#include "processor/access_observer.hpp"
#include "processor/code_page.hpp"

namespace copse::ipud {
namespace {

using isa::Exception;

bool populated(const Chip &chip, const Access &access) {
  return access.address >= chip.begin && access.address < chip.end;
}

/// Returns true if \p address of region 0 is in a memory element from which the context is about to
/// fetch.
bool clashesWithFetch(const Core &core, const MicroOp &step, std::uint32_t address) {
  constexpr std::uint32_t kWorkerAhead = 16, kSupervisorAhead = 64;
  std::uint32_t first = core.address(step) + 4;
  std::uint32_t last =
      core.address(step) + (core.context == isa::Context::Worker ? kWorkerAhead : kSupervisorAhead);
  if (core.repeatCount != 0) {
    first = core.repeatFirst;
    last = core.repeatEnd;
  }
  const std::uint32_t element = address >> kElementBits;
  return element >= first >> kElementBits && element <= last >> kElementBits;
}

/// Returns the first of \p accesses to an element of another access, or of the code; null if there
/// is none.
const Access *clashIn(const Core &core, const MicroOp &step,
                      std::initializer_list<Access> accesses) {
  const Chip &chip = *core.chip;
  for (const Access *a = accesses.begin(); a != accesses.end(); ++a)
    for (const Access *b = accesses.begin(); b != a; ++b)
      if (elementOf(chip, a->address) == elementOf(chip, b->address))
        return a;
  for (const Access &a : accesses)
    if (a.address < chip.interleaved && clashesWithFetch(core, step, a.address))
      return &a;
  return nullptr;
}

Exception failed(Core &core, Exception exception, std::uint32_t address) {
  core.faultAddress = address;
  return exception;
}

} // namespace

const std::uint32_t *errorIn(const Core &core, const Access &access) {
  for (const std::uint32_t &word : core.errors)
    if (word < access.address + access.bytes && access.address < word + 4)
      return &word;
  return nullptr;
}

std::uint32_t elementOf(const Chip &chip, std::uint32_t address) {
  const std::uint32_t plain = (chip.interleaved - chip.begin) >> kElementBits;
  if (address < chip.interleaved)
    return (address - chip.begin) >> kElementBits;
  return plain + 2 * ((address - chip.interleaved) >> (kElementBits + 1)) + (address >> 3 & 1);
}

bool isExecutable(const Chip &chip, std::uint32_t address) {
  return address % 4 == 0 && address >= chip.begin && address < chip.interleaved;
}

isa::Exception checkAccesses(Core &core, const MicroOp &step,
                             std::initializer_list<Access> accesses, bool stores) {
  const Chip &chip = *core.chip;
  for (const Access &a : accesses)
    if (!populated(chip, a))
      return failed(core, Exception::InvalidAddress, a.address);
  for (const Access &a : accesses)
    if (core.checksPlaces && a.mustInterleave && a.address < chip.interleaved)
      return failed(core, Exception::InvalidAddress, a.address);
  for (const Access &a : accesses)
    if (a.address % a.bytes != 0)
      return failed(core, Exception::InvalidAddress, a.address);
  if (stores)
    for (const Access &a : accesses)
      core.codeWritten |= a.address >= core.codeBegin && a.address < core.codeEnd;
  if (const auto *const clash = core.checksPlaces ? clashIn(core, step, accesses) : nullptr)
    return failed(core, Exception::Conflict, clash->address);
  const Access *const loadsEnd = accesses.end() - (stores ? 1 : 0);
  for (const Access *a = accesses.begin(); a != loadsEnd; ++a)
    if (const auto *const bad = errorIn(core, *a))
      return failed(core, Exception::MemoryError, *bad);
  if (core.observer != nullptr)
    for (const Access &a : accesses)
      core.observer->access(core, core.address(step), a, stores && &a == accesses.end() - 1);
  return Exception::None;
}

bool allowedSlowly(Core &core, const MicroOp &step, const Access &access, bool stores) {
  const auto bad = checkAccesses(core, step, {access}, stores);
  return bad == isa::Exception::None || core.raise(bad);
}

} // namespace copse::ipud
