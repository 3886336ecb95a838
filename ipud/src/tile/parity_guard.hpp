#pragma once

#include "tile/tile_memory.hpp"

#include <csignal>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace copse::ipud {

/// Stops native code that reads a word with a parity error. The loads of native code cannot be
/// observed, so the pages of its tile that contain errors are made inaccessible. An access there
/// that does not read an erroneous word is executed as a single step, with the page open, and then
/// the page is guarded again. No other thread runs the tile meanwhile.
///
/// Life: begin(), then guard() for each tile; UntilTheEnd opens the last one.
///
/// Thread: the one that runs the tile, including its signal handlers.
class ParityGuard {
public:
  /// \param memory  memory of the following tiles; must not be guarded
  void begin(const TileMemory &memory) { memory_ = &memory; }
  /// Guards \p tile, if it has errors, and opens any other.
  void guard(std::uint32_t tile);
  /// Opens the guarded tile.
  void open() {
    if (tile_) [[unlikely]]
      openTile();
  }

  /// Opens the last guarded tile, however the codelets are left.
  class UntilTheEnd {
  public:
    explicit UntilTheEnd(ParityGuard &guard) : guard_(guard) {}
    ~UntilTheEnd() { guard_.open(); }
    UntilTheEnd(const UntilTheEnd &) = delete;
    UntilTheEnd &operator=(const UntilTheEnd &) = delete;

  private:
    ParityGuard &guard_;
  };

  /// While this object exists, the interpreter checks for the errors of the tile, and nothing is
  /// guarded.
  class Lifted {
  public:
    explicit Lifted(ParityGuard &guard);
    ~Lifted();
    Lifted(const Lifted &) = delete;
    Lifted &operator=(const Lifted &) = delete;
    /// Returns the addresses of the words with errors, ascending; valid until the next Lifted.
    std::span<const std::uint32_t> errors() const { return guard_.errors_; }

  private:
    ParityGuard &guard_;
    const std::optional<std::uint32_t> tile_;
  };

  // For signal handlers

  enum class Access : std::uint8_t { Elsewhere, GoesOn, ReadsError };
  /// Decides what to do about a SIGSEGV.
  /// \param word  for ReadsError, gets the address of the erroneous word
  Access access(const siginfo_t *info, void *context, const void *&word);
  /// \returns true if a SIGTRAP was the end of such a single step
  bool endStep(const siginfo_t *info, void *context);

private:
  void openTile();

  const TileMemory *memory_ = nullptr;
  std::optional<std::uint32_t> tile_; ///< its pages are guarded
  bool isStepping_ = false;           ///< one instruction is executing with its page open
  /// For Lifted; a member because a fault may jump past a Lifted.
  std::vector<std::uint32_t> errors_;
};

} // namespace copse::ipud
