#pragma once

#include "processor/memory_access.hpp"

#include <cstdint>

namespace copse::ipud {

/// Is told of each access to tile memory that the architecture allows, before it is done.
class AccessObserver {
public:
  virtual ~AccessObserver() = default;
  /// \param pc  of the instruction or bundle
  virtual void access(const Core &core, std::uint32_t pc, const Access &access, bool stores) = 0;
  /// The supervisor has waited for its workers, or starts all of them: what follows comes after what they did.
  virtual void workersAreDone() = 0;
};

} // namespace copse::ipud
