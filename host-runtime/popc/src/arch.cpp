#include "popc/arch.hpp"

#include "poplar/VectorLayout.hpp"

#include <array>

namespace copse::popc {
namespace {

constexpr std::array<ArchTraits, 4> kTraits{{{Architecture::Cpu, "cpu", 32, 0},
                                             {Architecture::Ipu1, "ipu1", 21, 1},
                                             {Architecture::Ipu2, "ipu2", 21, 2},
                                             {Architecture::Ipu21, "ipu21", 21, 21}}};

Layout compactPointer(Architecture arch, std::uint32_t align) {
  if (arch == Architecture::Ipu1 && align >= 8)
    return Layout::ScaledPtr64;
  if (arch == Architecture::Ipu1 && align >= 4)
    return Layout::ScaledPtr32;
  return Layout::OnePtr;
}

} // namespace

const ArchTraits &traitsOf(Architecture arch) { return kTraits.at(static_cast<std::size_t>(arch)); }

std::optional<Architecture> archNamed(std::string_view name) {
  for (const ArchTraits &traits : kTraits)
    if (traits.name == name)
      return traits.arch;
  return std::nullopt;
}

std::string targetList() {
  std::string list;
  for (const ArchTraits &traits : kTraits)
    list += (list.empty() ? "" : ",") + std::string(traits.name);
  return list;
}

std::string ipuModelVariant(Architecture arch) {
  return std::string(traitsOf(arch).name) + ":model";
}

Layout resolveVector(Architecture arch, int declared, std::uint32_t align) {
  using poplar::VectorLayout;
  const auto layout = static_cast<VectorLayout>(declared);
  if (layout == VectorLayout::SPAN)
    return Layout::Span;
  if (arch == Architecture::Cpu)
    return layout == VectorLayout::SHORT_SPAN ? Layout::Span : Layout::OnePtr;
  switch (layout) {
  case VectorLayout::SHORT_SPAN:
    return Layout::ShortSpan;
  case VectorLayout::SCALED_PTR32:
    return Layout::ScaledPtr32;
  case VectorLayout::SCALED_PTR64:
    return Layout::ScaledPtr64;
  case VectorLayout::SCALED_PTR128:
    return Layout::ScaledPtr128;
  case VectorLayout::COMPACT_PTR:
    return compactPointer(arch, align);
  default:
    return Layout::OnePtr;
  }
}

Layout resolveList(Architecture arch, int declared) {
  using poplar::VectorListLayout;
  if (arch == Architecture::Cpu)
    return Layout::NotAVector;
  const auto layout = static_cast<VectorListLayout>(declared);
  const bool compact = layout == VectorListLayout::COMPACT_DELTAN;
  const bool deltaN = layout == VectorListLayout::DELTAN || (compact && arch == Architecture::Ipu1);
  return deltaN ? Layout::DeltaN : Layout::DeltaNElements;
}

std::uint32_t alignOf(Layout layout) {
  switch (layout) {
  case Layout::ScaledPtr32:
    return 4;
  case Layout::ScaledPtr64:
    return 8;
  case Layout::ScaledPtr128:
    return 16;
  default:
    return 1;
  }
}

} // namespace copse::popc
