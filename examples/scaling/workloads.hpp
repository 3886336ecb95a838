#pragma once

#include "options.hpp"
#include "scale.hpp"

#include <functional>
#include <memory>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/StreamCallback.hpp>
#include <string>
#include <vector>

namespace scaling {

/// Tiles of each IPU that a workload uses.
constexpr unsigned kTiles = 64;

/// A stream that the host has to connect on each replica.
struct HostStream {
  std::string handle;
  std::function<std::unique_ptr<poplar::StreamCallback>(unsigned replica)> callback;
};

/// The programs that a workload adds to a graph.
struct Work {
  poplar::program::Program initialise, step;
  std::vector<HostStream> streams;
};

/// Adds a workload for \p scale to \p graph.
using Workload = Work (*)(poplar::Graph &graph, const Options &options, const Scale &scale);

std::vector<std::string> workloadNames();
/// \param name  one of workloadNames()
Workload workloadNamed(const std::string &name);

} // namespace scaling
