#pragma once

#include "processor/tile_processor.hpp"
#include "tile/register_words.hpp"

#include <algorithm>
#include <cstdint>

namespace copse::ipud {

/// While this object exists, the registers that programs set and native code uses are in the
/// contexts of tile code.
class RegistersOfTileCode {
public:
  RegistersOfTileCode(RegisterWords &registers, std::uint32_t tile, TileContexts &contexts)
      : registers_(registers), tile_(tile), contexts_(contexts),
        control_(registers.floatingPoint(tile).controlWord()) {
    contexts_.initialControl = control_;
    for (std::uint32_t worker = 0; worker < workers(); ++worker)
      contexts_.workers[worker].prng = registers_.generator(tile_, worker);
  }
  ~RegistersOfTileCode() {
    if (contexts_.initialControl != control_)
      registers_.setFloatingPoint(tile_, contexts_.initialControl);
    for (std::uint32_t worker = 0; worker < workers(); ++worker)
      registers_.setGenerator(tile_, worker, contexts_.workers[worker].prng);
  }
  RegistersOfTileCode(const RegistersOfTileCode &) = delete;
  RegistersOfTileCode &operator=(const RegistersOfTileCode &) = delete;

private:
  std::uint32_t workers() const { return std::min(kWorkers, registers_.workers()); }

  RegisterWords &registers_;
  const std::uint32_t tile_;
  TileContexts &contexts_;
  const std::uint32_t control_; ///< before
};

} // namespace copse::ipud
