#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <poplar/Device.hpp>
#include <string>

namespace copse::tools {

/// The IPUs that the user has chosen for a tool.
struct DeviceChoice {
  std::optional<unsigned> id; ///< otherwise the first free device with `ipus` IPUs
  unsigned ipus = 1;
  std::string topology = "mesh";

  /// Adds --device-id, --ipus and --topology to \p app; the object must live until \p app has
  /// parsed.
  void addOptions(CLI::App &app);
};

/// Returns the chosen device, attached.
/// \throws poplar::poplar_error if no such device is free
poplar::Device attachDevice(const DeviceChoice &choice);

} // namespace copse::tools
