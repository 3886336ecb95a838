#pragma once

#include "types/architecture.hpp"
#include "types/target_description.hpp"

#include <optional>
#include <string_view>
#include <vector>

namespace copse::types {

/// IPUs that IPU-Links join without a gateway: a POD64.
inline constexpr std::uint32_t kLargestLinkDomain = 64;

/// Figures of one IPU architecture.
struct ArchEntry {
  Architecture arch;
  std::string_view name;         ///< "ipu2"
  std::string_view machineModel; ///< "gc200"
  std::uint32_t tilesPerIPU;
  TileFigures tile;
};

const ArchEntry &ipuArch(Architecture arch);
std::optional<Architecture> ipuArchNamed(std::string_view name);
/// "cpu" included.
std::string_view archName(Architecture arch);
const TileFigures &cpuFigures();

/// A system that one can buy: IPUs of one architecture behind links.
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
/// Architectures and systems: what createIPUTarget takes.
std::vector<std::string_view> systemNames();

} // namespace copse::types
