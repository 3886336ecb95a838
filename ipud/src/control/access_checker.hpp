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

/// Checks what a program does with the tile memory of one IPU: `copse check`. It knows of each byte whether something was
/// written there since the load, follows what exchanges, streams and the host do with them, and gives the threads that
/// run vertices what they need to check those.
///
/// Copies within an IPU carry over what is undefined, and an undefined byte is told of where it is used; but a copy of
/// nothing else is told of at once.
///
/// Life: construct with an image that is loaded, map(), then the calls that say what happens, each before it does.
/// Thread: that of the Ipu.
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
  /// Writes what was found to the file.
  void flush() override { findings_.flush(); }

private:
  void defineInitialData();
  void define(const wire::Region &region) const { fill(region, 1); }
  void define(std::uint32_t tile, std::uint32_t address, std::uint32_t bytes) const {
    fill({tile, address, bytes, 1, 0}, 1);
  }
  void fill(const wire::Region &region, int value) const;
  /// The first byte that nothing has written.
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
