#pragma once

#include "types/architecture.hpp"
#include "types/target_description.hpp"

#include <optional>
#include <string_view>
#include <vector>

namespace copse::types {

/// The largest number of IPUs that IPU-Links connect without a gateway: a POD64.
inline constexpr std::uint32_t kLargestLinkDomain = 64;

/// The figures of one IPU architecture.
struct ArchEntry {
  Architecture arch;
  std::string_view name;         ///< "ipu2"
  std::string_view machineModel; ///< "gc200"
  std::uint32_t tilesPerIPU;
  TileFigures tile;
};

const ArchEntry &ipuArch(Architecture arch);
std::optional<Architecture> ipuArchNamed(std::string_view name);
/// Returns the name, including "cpu".
std::string_view archName(Architecture arch);
const TileFigures &cpuFigures();

/// A commercial system: IPUs of one architecture connected by links.
struct SystemEntry {
  std::string_view name;
  Architecture arch;
  std::string_view machineModel;
  double clockFrequency; ///< [Hz]
  std::uint32_t ipus;
  std::uint32_t linkDomainSize;
  bool gateway;
};

const SystemEntry *systemNamed(std::string_view name);
/// Returns the names of architectures and systems that createIPUTarget accepts.
std::vector<std::string_view> systemNames();

} // namespace copse::types
