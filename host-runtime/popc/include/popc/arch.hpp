#pragma once

#include "popc/vertex_type.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace copse::popc {

/// What codelets are compiled with for one kind of device.
struct ArchTraits {
  Architecture arch;
  std::string_view name;   ///< as popc --target takes it
  unsigned slotBits;       ///< of the address space of a tile
  unsigned ipuArchVersion; ///< __IPU_ARCH_VERSION__; 0: not an IPU
};

const ArchTraits &traitsOf(Architecture arch);
std::optional<Architecture> archNamed(std::string_view name);
/// "cpu,ipu1,ipu2,ipu21": all targets.
std::string targetList();
/// The targets that popc compiles for unless told otherwise: ipu21 is for numbers of 8 bits, which
/// few sources have.
inline constexpr char kDefaultTargets[] = "cpu,ipu1,ipu2";

/// "ipu2:model": the variant of a target (Module::variant) that an IPUModel takes where a .gp file has one.
std::string ipuModelVariant(Architecture arch);

/// COMPACT_PTR, and layouts that \p arch does not have, become what its headers make of them
/// (guide, 4.2).
/// \param declared  a poplar::VectorLayout
/// \param align     of the data [bytes]
Layout resolveVector(Architecture arch, int declared, std::uint32_t align);
/// \param declared  a poplar::VectorListLayout.
/// \returns NotAVector where lists are spans of spans (CPU targets)
Layout resolveList(Architecture arch, int declared);
/// Alignment of the data that a layout needs so that it can point to it [bytes].
std::uint32_t alignOf(Layout layout);

} // namespace copse::popc
