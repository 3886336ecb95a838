#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <poplar/Device.hpp>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <string>

namespace copse::tools {

/// The time of one run of a program, on both clocks.
struct Trial {
  double cycles = 0;          ///< cycles of the modelled clock
  double modelledSeconds = 0; ///< the same, as time
  double wallSeconds = 0;     ///< wall-clock time, which shows how fast the emulator is
};

/// How much of a machine a tool measures, and how often, as its user chose.
struct Workload {
  unsigned tiles = 32; ///< tiles of each IPU
  unsigned iterations = 10;

  /// Adds --tiles and --iterations to \p app; the object must live until \p app has parsed.
  /// \param repeated  what each iteration does, for the help
  /// \param leastTiles  fewest tiles for which a measurement makes sense
  void addOptions(CLI::App &app, const std::string &repeated, int leastTiles = 1);
};

/// Loads \p program on \p device, runs it once to warm up, and measures a second run.
/// \param connect  connects the engine's streams
Trial measure(const poplar::Device &device, const poplar::Graph &graph,
              const poplar::program::Program &program, poplar::OptionFlags options = {},
              const std::function<void(poplar::Engine &)> &connect = {});

/// Returns a tensor of \p bytes (of 4 bytes each) on \p tiles tiles of IPU \p ipu.
poplar::Tensor addSpread(poplar::Graph &graph, std::size_t bytes, unsigned ipu, unsigned tiles,
                         const char *name);

} // namespace copse::tools
