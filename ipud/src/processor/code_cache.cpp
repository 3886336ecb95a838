#include "processor/code_page.hpp"
#include "processor/native_page.hpp"

#include <algorithm>
#include <cstring>

namespace copse::ipud {
namespace {

std::uint32_t pagesOf(const CodeRange &range) {
  return (range.end - range.begin + CodePage::kBytes - 1) / CodePage::kBytes;
}

std::uint64_t hashOf(std::uint32_t address, std::span<const std::uint32_t> words) {
  std::uint64_t hash = address;
  for (const std::uint32_t word : words)
    hash = (hash ^ word) * 0x9E3779B97F4A7C15;
  return hash ^ hash >> 32;
}

} // namespace

CodeCache::CodeCache(const Chip &chip, std::vector<CodeRange> ranges, Translation translation)
    : chip_(chip), ranges_(std::move(ranges)),
      isTranslated_(translation == Translation::HotCode && canTranslate()) {
  for (const CodeRange &range : ranges_)
    pages_ += pagesOf(range);
}

std::uint32_t CodeCache::pageOf(std::uint32_t address) const {
  std::uint32_t first = 0;
  for (const CodeRange &range : ranges_) {
    if (address >= range.begin && address < range.end)
      return first + (address - range.begin) / CodePage::kBytes;
    first += pagesOf(range);
  }
  return pages_;
}

const CodePage *CodeCache::page(std::uint32_t number, const std::byte *memory, bool inStep) {
  auto range = ranges_.begin();
  for (; number >= pagesOf(*range); ++range)
    number -= pagesOf(*range);
  const std::uint32_t begin = range->begin + number * CodePage::kBytes;
  const std::uint32_t end = std::min(range->end, begin + CodePage::kBytes + CodePage::kLookahead);
  std::vector<std::uint32_t> words((end - begin) / 4);
  std::memcpy(words.data(), memory + begin, 4 * words.size());
  const std::uint64_t hash = hashOf(begin, words);
  const locks::Lock lock(mutex_);
  const auto [first, last] = known_.equal_range(hash);
  for (auto at = first; at != last; ++at)
    if (at->second->address == begin && at->second->words == words && at->second->inStep == inStep)
      return at->second.get();
  return known_
      .emplace(
          hash,
          decodePage(begin, std::move(words),
                     {.chip = &chip_, .inStep = inStep, .isTranslated = isTranslated_ && !inStep}))
      ->second.get();
}

std::size_t CodeCache::decoded() const {
  const locks::Lock lock(mutex_);
  return known_.size();
}

} // namespace copse::ipud
