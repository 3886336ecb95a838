#include "code_sections.hpp"

#include "isa/control_flow.hpp"

#include <algorithm>

namespace copse::assembler {
namespace {

constexpr std::uint32_t kNop = 0x19E00000;
constexpr std::uint32_t kWordBytes = 4, kBundleBytes = 8;

} // namespace

void SectionDraft::append(std::uint64_t value, unsigned bytes) {
  for (unsigned i = 0; i < bytes; ++i)
    section.bytes.push_back(static_cast<std::byte>(value >> (8 * i)));
}

void SectionDraft::fill(std::uint64_t bytes, std::uint8_t with) {
  section.bytes.insert(section.bytes.end(), bytes, std::byte{with});
}

void SectionDraft::alignTo(std::uint32_t align) {
  section.align = std::max(section.align, align);
  const std::uint32_t end = (size() + align - 1) / align * align;
  while (size() < end)
    if (section.isExecutable && size() % kWordBytes == 0 && end - size() >= kWordBytes)
      append(kNop, kWordBytes);
    else
      append(0, 1);
}

std::uint32_t SectionDraft::wordAt(std::uint32_t offset) const {
  std::uint32_t word = 0;
  for (unsigned i = 0; i < kWordBytes; ++i)
    word |= static_cast<std::uint32_t>(section.bytes[offset + i]) << (8 * i);
  return word;
}

void SectionDraft::setWord(std::uint32_t offset, std::uint32_t word) {
  for (unsigned i = 0; i < kWordBytes; ++i)
    section.bytes[offset + i] = static_cast<std::byte>(word >> (8 * i));
}

void checkRepeatBody(const RepeatBody &repeat, std::uint32_t bundles, const SectionDraft &draft,
                     Diagnostics &diagnostics) {
  if (repeat.begin % kBundleBytes != 0)
    return diagnostics.error(repeat.at,
                             "the body of this rpt is not 8-aligned; bundle the rpt with "
                             "fnop, or put a nop in front of it");
  const std::uint32_t end = repeat.begin + bundles * kBundleBytes;
  if (end > draft.size())
    return diagnostics.error(repeat.at, "the body of this rpt, " + std::to_string(bundles) +
                                            " bundles, reaches beyond the end of its section");
  const auto first = std::ranges::lower_bound(draft.issued, repeat.begin, {}, &Issued::offset);
  std::uint32_t at = repeat.begin;
  for (auto i = first; i != draft.issued.end() && i->offset < end; ++i) {
    if (i->offset != at || i->bytes != kBundleBytes)
      return diagnostics.error(i->at, "only bundles may stand in the body of a rpt; bundle it with "
                                      "nop or fnop");
    for (const isa::Opcode opcode : {i->main, i->aux})
      if (isa::isForbiddenInRepeat(opcode))
        return diagnostics.error(i->at, "'" + std::string(isa::infoOf(opcode).mnemonic) +
                                            "' may not stand in the body of a rpt");
    at += kBundleBytes;
  }
  if (at != end)
    diagnostics.error(repeat.at, "the body of this rpt holds other things than bundles");
}

} // namespace copse::assembler
