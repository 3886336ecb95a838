#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <poplar/Device.hpp>
#include <string>

namespace copse::tools {

/// Which IPUs a tool works on, as its user said.
struct DeviceChoice {
  std::optional<unsigned> id; ///< else the first that is free, of `ipus`
  unsigned ipus = 1;
  std::string topology = "mesh";

  /// Adds --device-id, --ipus and --topology to \p app; the object must live until it has parsed.
  void addOptions(CLI::App &app);
};

/// Attached.
/// \throws poplar::poplar_error if there is none that is free
poplar::Device attachDevice(const DeviceChoice &choice);

} // namespace copse::tools
