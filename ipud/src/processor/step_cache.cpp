#include "processor/step_cache.hpp"

#include <algorithm>

namespace copse::ipud {

const CodePage &StepCache::decoded(std::uint32_t address, const IssueWords &words, const Chip &chip,
                                   isa::Context context) {
  Entry &entry = entries_[address / 4 % entries_.size()];
  const bool isKnown = entry.page != nullptr && entry.context == context &&
                       entry.page->address == address &&
                       std::ranges::equal(entry.page->words, words.all());
  if (!isKnown)
    entry = {context, decodePage(address, {words.all().begin(), words.all().end()},
                                 {.chip = &chip, .context = context, .single = true})};
  return *entry.page;
}

} // namespace copse::ipud
