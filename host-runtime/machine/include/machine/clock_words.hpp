#pragma once

#include "wire/ids.hpp"
#include "wire/image.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>

namespace copse::machine {

/// The words of tile memory into which programs read the clock (poplar::cycleCount). These words
/// are the only data that are known without an execution, as long as no program copies them on the
/// device.
class ClockWords {
public:
  /// Reads the clock of an IPU, as Op::ReadClock does.
  void read(std::uint32_t ipu, const wire::Step &step, wire::Cycles now);

  /// Writes the words of an IPU into its parts of a host row.
  /// \returns false if the row has no words of the clock
  bool copyTo(const wire::HostView &view, std::uint32_t ipu, std::span<std::byte> row) const;

  /// Returns the words after more turns of a loop, if the last turn has changed each word either
  /// not at all or by as much as the clock.
  /// \param by  the clock's change of each IPU in the turn since \p before
  std::optional<ClockWords> after(std::uint64_t turns, const ClockWords &before,
                                  const std::function<wire::Cycles(std::uint32_t ipu)> &by) const;

private:
  std::optional<std::uint64_t> wordAt(std::uint32_t ipu, wire::TileAddress address) const;

  std::map<std::uint32_t, std::map<wire::TileAddress, std::uint64_t>> words_; ///< by IPU
};

} // namespace copse::machine
