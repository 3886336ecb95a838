#pragma once

#include "processor/memory_access.hpp"

#include <cstdint>

namespace copse::ipud {

/// Observes each permitted access to tile memory before it happens.
class AccessObserver {
public:
  virtual ~AccessObserver() = default;
  /// \param pc  address of the instruction or bundle
  virtual void access(const Core &core, std::uint32_t pc, const Access &access, bool stores) = 0;
  /// Called when the supervisor has waited for its workers, or starts all of them: later accesses
  /// happen after the workers' accesses.
  virtual void workersAreDone() = 0;
};

} // namespace copse::ipud
