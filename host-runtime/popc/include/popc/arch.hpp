#pragma once

#include "popc/vertex_type.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace copse::popc {

/// How codelets are compiled for one kind of device.
struct ArchTraits {
  Architecture arch;
  std::string_view name;   ///< its name as popc --target takes it
  unsigned slotBits;       ///< size of a tile's slot of the address space [log2 bytes]
  unsigned ipuArchVersion; ///< the value of __IPU_ARCH_VERSION__; 0: not an IPU
};

const ArchTraits &traitsOf(Architecture arch);
std::optional<Architecture> archNamed(std::string_view name);
/// Returns a list of all targets, such as "cpu,ipu1,ipu2,ipu21".
std::string targetList();
/// The targets that popc compiles for by default. ipu21 is left out because only numbers of 8 bits
/// need it, which few sources use.
inline constexpr char kDefaultTargets[] = "cpu,ipu1,ipu2";

/// Returns the variant (Module::variant) that an IPUModel prefers where a .gp file has one, such as
/// "ipu2:model".
std::string ipuModelVariant(Architecture arch);

/// Returns the layout that the headers of \p arch make of COMPACT_PTR and of layouts that \p arch
/// does not have (guide, 4.2).
/// \param declared  a poplar::VectorLayout
/// \param align     alignment of the data [bytes]
Layout resolveVector(Architecture arch, int declared, std::uint32_t align);
/// Does for lists what resolveVector() does for vectors.
/// \param declared  a poplar::VectorListLayout
/// \returns NotAVector where lists are spans of spans (CPU targets)
Layout resolveList(Architecture arch, int declared);
/// Returns the alignment that data needs so that a pointer of \p layout can point to it [bytes].
std::uint32_t alignOf(Layout layout);

} // namespace copse::popc
