#pragma once

#include "tile/tile_memory.hpp"

#include <csignal>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace copse::ipud {

/// Stops native code that reads a word with a parity error. Native code has no loads that we could
/// look at, so the pages with errors of the tile that it runs on cannot be accessed. What faults
/// there and does not read a word with an error is let through: one instruction, then the page is
/// guarded again. No other thread runs the tile meanwhile.
///
/// Life: begin(), then guard() for each tile; UntilTheEnd opens the last one.
/// Thread: that which runs the tile, in its signal handlers, too.
class ParityGuard {
public:
  /// \param memory  of the tiles to come; nothing is guarded
  void begin(const TileMemory &memory) { memory_ = &memory; }
  /// Guards \p tile, if it has errors, and no other.
  void guard(std::uint32_t tile);
  /// Opens the tile that is guarded.
  void open() {
    if (tile_) [[unlikely]]
      openTile();
  }

  /// Opens the tile that is guarded last, whichever way the codelets are left.
  class UntilTheEnd {
  public:
    explicit UntilTheEnd(ParityGuard &guard) : guard_(guard) {}
    ~UntilTheEnd() { guard_.open(); }
    UntilTheEnd(const UntilTheEnd &) = delete;
    UntilTheEnd &operator=(const UntilTheEnd &) = delete;

  private:
    ParityGuard &guard_;
  };

  /// While this lives, the interpreter looks for the errors of the tile, and nothing is guarded.
  class Lifted {
  public:
    explicit Lifted(ParityGuard &guard);
    ~Lifted();
    Lifted(const Lifted &) = delete;
    Lifted &operator=(const Lifted &) = delete;
    /// Addresses of the words with errors, ascending; they stay until the next of this kind.
    std::span<const std::uint32_t> errors() const { return guard_.errors_; }

  private:
    ParityGuard &guard_;
    const std::optional<std::uint32_t> tile_;
  };

  // In signal handlers.

  enum class Access : std::uint8_t { Elsewhere, GoesOn, ReadsError };
  /// What becomes of a SIGSEGV.
  /// \param word  gets where the word with an error is, of ReadsError
  Access access(const siginfo_t *info, void *context, const void *&word);
  /// \returns whether a SIGTRAP was the end of an instruction that was let through
  bool endStep(const siginfo_t *info, void *context);

private:
  void openTile();

  const TileMemory *memory_ = nullptr;
  std::optional<std::uint32_t> tile_; ///< whose pages are guarded
  bool isStepping_ = false;           ///< by one instruction, with a page of it open
  std::vector<std::uint32_t> errors_; ///< of Lifted, which a fault may leave at any time
};

} // namespace copse::ipud
