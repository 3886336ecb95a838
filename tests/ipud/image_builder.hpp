#pragma once

#include "ipud/ipu.hpp"
#include "wire/image.hpp"

#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <string>
#include <vector>

namespace copse::ipud::test {

inline constexpr std::uint32_t kBase = 0x4C000; ///< first address of a Mk2 tile
inline constexpr std::uint32_t kMemoryBytes = 0x9C000;

/// Mk2 tiles.
inline wire::TileGeometry geometry(std::uint32_t tiles) {
  wire::TileGeometry g;
  g.tiles = tiles;
  g.memoryBase = kBase;
  g.memoryBytes = kMemoryBytes;
  return g;
}

/// Builds images by hand; each function returns the index of what it added.
class ImageBuilder {
public:
  explicit ImageBuilder(std::uint32_t tiles, std::uint32_t ipu = 0,
                        std::uint32_t ipusPerReplica = 1) {
    image.geometry = geometry(tiles);
    image.ipu = ipu;
    image.ipusPerReplica = ipusPerReplica;
    image.modules.push_back({std::string(64, '0'), "test_codelets"});
  }

  std::uint32_t function(const std::string &symbol, bool multiVertex = false) {
    image.functions.push_back({0, symbol, "Type<" + symbol + ">", multiVertex});
    return last(image.functions);
  }

  /// Adds words that are at an address after a load.
  void words(wire::TileAddress where, std::initializer_list<std::uint32_t> values) {
    const auto bytes = static_cast<std::uint32_t>(4 * values.size());
    image.initial.push_back({{where.tile, where.address, bytes, 1, 0}, image.data.size()});
    image.data.resize(image.data.size() + bytes);
    std::memcpy(image.data.data() + image.data.size() - bytes, values.begin(), bytes);
  }

  /// Starts a compute set; vertices are added tile by tile, in ascending order.
  std::uint32_t computeSet(const std::string &name) {
    image.computeSets.emplace_back().name = name;
    return last(image.computeSets);
  }
  void vertex(std::uint32_t tile, std::uint32_t function, std::uint32_t stateAddress,
              std::initializer_list<std::uint32_t> state = {}, std::uint32_t cycles = 100) {
    auto &set = image.computeSets.back();
    if (set.tiles.empty() || set.tiles.back().tile != tile)
      set.tiles.push_back({tile, static_cast<std::uint32_t>(set.vertices.size()), 0});
    ++set.tiles.back().count;
    set.vertices.push_back({stateAddress, function, cycles});
    if (state.size() != 0)
      words({tile, stateAddress}, state);
  }

  /// Returns a view of one contiguous range, which is the whole row.
  static wire::HostView wholeRow(wire::TileAddress where, std::uint32_t bytes) {
    return {{{where.tile, where.address, bytes, 1, 0}}, {{0, bytes}}, bytes, bytes};
  }
  std::uint32_t view(wire::TileAddress where, std::uint32_t bytes) {
    image.hostViews.push_back(wholeRow(where, bytes));
    return last(image.hostViews);
  }

  /// Adds a program of these steps.
  std::uint32_t program(const std::vector<wire::Step> &steps) {
    image.programs.push_back(append(steps));
    return last(image.programs);
  }
  /// Adds a function that Op::Call runs.
  std::uint32_t callable(const std::vector<wire::Step> &steps) {
    image.calls.push_back(append(steps));
    return last(image.calls);
  }

  wire::Image image;

private:
  template <class T> static std::uint32_t last(const std::vector<T> &items) {
    return static_cast<std::uint32_t>(items.size() - 1);
  }
  wire::StepRange append(const std::vector<wire::Step> &steps) {
    const auto first = static_cast<std::uint32_t>(image.steps.size());
    image.steps.insert(image.steps.end(), steps.begin(), steps.end());
    return {first, static_cast<std::uint32_t>(steps.size())};
  }
};

inline wire::Step step(wire::Op op, std::uint32_t index = 0) {
  wire::Step s;
  s.op = op;
  s.index = index;
  return s;
}

/// Uses the file \p path for every module.
inline ModuleSource moduleAt(const char *path) {
  return [path](const wire::ModuleRef &) { return wire::Result<std::filesystem::path>(path); };
}

/// Returns a model with round numbers, so that tests can calculate with them.
inline clock::MachineModel machine() {
  clock::MachineModel m;
  m.name = "test";
  m.tileClockHz = 1e9;
  m.computeSetCycles = 20;
  m.vertexCycles = 10;
  m.internalSyncCycles = 90;
  m.exchangeLatencyCycles = 100;
  m.rungBytesPerSecond = 4e9;
  m.crossingBytesPerSecond = 2e9;
  m.ladderBytesPerSecond = 2e9;
  m.hopLatencyCycles = 200;
  m.globalSyncCycles = 500;
  m.syncHopSeconds = 15e-9;
  m.hostToIpuBytesPerSecond = 1e9;
  m.ipuToHostBytesPerSecond = 1e9;
  m.hostSharedBytesPerSecond = 2e9;
  m.hostSyncSeconds = 1e-6;
  m.hostCallbackSeconds = 5e-6;
  m.remoteBytesPerSecond = 1e9;
  m.remoteLatencySeconds = 1e-6;
  return m;
}

} // namespace copse::ipud::test
