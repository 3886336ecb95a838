#pragma once

#include "control/check_findings.hpp"
#include "control/loaded.hpp"
#include "control/step_observer.hpp"
#include "tile/bad_access.hpp"
#include "tile/tile_memory.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace copse::ipud {

/// Checks how a program uses the tile memory of one IPU: `copse check`. The checker knows for each
/// byte whether it was written since the load, tracks copies by exchanges, streams and the host,
/// and supplies the tables with which the vertex threads check their accesses.
///
/// Copies within an IPU propagate undefined bytes, which are reported where they are used. A copy
/// that consists only of undefined bytes is reported at once.
///
/// Life: construct with a loaded image, call map(), and then announce each action before it
/// happens.
///
/// Thread: the thread of the Ipu.
class AccessChecker : public StepObserver {
public:
  /// Keeps a reference to \p loaded.
  AccessChecker(const std::filesystem::path &directory, const Loaded &loaded);

  /// \returns OutOfMemory
  wire::Status map(std::vector<bool> usedTiles);

  void beginStep(std::uint32_t at) override;
  void readPredicate(std::uint32_t at) override;
  void beginComputeSet(std::uint32_t index, Vertices &vertices) override;
  void endComputeSet(std::uint32_t index) override;
  void hostReads(const wire::HostView &view);
  void hostWrites(const wire::HostView &view);
  /// Writes the findings to the file.
  void flush() override { findings_.flush(); }

private:
  void defineInitialData();
  void define(const wire::Region &region) const { fill(region, 1); }
  void define(std::uint32_t tile, std::uint32_t address, std::uint32_t bytes) const {
    fill({tile, address, bytes, 1, 0}, 1);
  }
  void fill(const wire::Region &region, int value) const;
  /// Returns the first byte of \p region that was never written, if there is one.
  std::optional<std::uint32_t> undefinedIn(const wire::Region &region) const;
  bool isUndefined(const wire::Region &region) const;
  void use(const wire::Region &region, const std::string &reader);
  void useWhole(const wire::Region &region, std::uint32_t at);
  void beginExchange(std::uint32_t at);
  void beginHostExchange(std::uint32_t at);
  void beginRemoteCopy(std::uint32_t at);
  void undefine(std::uint32_t at) const;

  const wire::Image &image_;
  TileMemory defined_; ///< CheckedSet::defined
  CheckFindings findings_;
  std::vector<CheckedSet> sets_; ///< shape [Image::computeSets]
  std::vector<std::byte> staging_;
};

} // namespace copse::ipud
