#include "processor/host_code.hpp"

#include "processor/code_page.hpp"
#include "processor/native_page.hpp"

namespace copse::ipud {
namespace {

/// The heat at which a page is translated, which takes some microseconds per instruction; and the
/// factor by which the threshold grows with each translation.
constexpr std::uint32_t kHot = 2048, kMore = 8;
/// The heat of one entry. A loop adds more, as it may have many turns.
constexpr std::uint32_t kOfLoop = 8, kOfRegion = 1;
constexpr unsigned kMostTimes = 4;

} // namespace

HostCode::HostCode() = default;
HostCode::~HostCode() = default;

const NativePage *HostCode::find(const CodePage &page, const Chip &chip) const {
  const NativePage *const known = native_.load(std::memory_order_acquire);
  return known != nullptr ? known : warmed(page, chip, nullptr, kOfLoop);
}

const NativePage *HostCode::findAt(const CodePage &page, const Chip &chip,
                                   std::uint32_t word) const {
  const NativePage *const known = native_.load(std::memory_order_acquire);
  if (known != nullptr && known->start(word) != nullptr)
    return known;
  auto &bits = entered_.at(word / 64);
  const std::uint64_t bit = std::uint64_t{1} << word % 64;
  if ((bits.load(std::memory_order_relaxed) & bit) == 0)
    bits.fetch_or(bit, std::memory_order_relaxed);
  return warmed(page, chip, known, kOfRegion);
}

/// Adds \p heat for one entry that \p known cannot serve, and returns the page's host code.
const NativePage *HostCode::warmed(const CodePage &page, const Chip &chip, const NativePage *known,
                                   std::uint32_t heat) const {
  const unsigned times = times_.load(std::memory_order_relaxed);
  if (times == kMostTimes)
    return known;
  std::uint32_t needed = kHot;
  for (unsigned i = 0; i < times; ++i)
    needed *= kMore;
  return heat_.fetch_add(heat, std::memory_order_relaxed) < needed ? known
                                                                   : translated(page, chip, known);
}

const NativePage *HostCode::translated(const CodePage &page, const Chip &chip,
                                       const NativePage *known) const {
  const locks::Lock lock(mutex_);
  if (native_.load(std::memory_order_relaxed) != known) // another thread was faster
    return native_.load(std::memory_order_relaxed);
  owned_.push_back(translatePage(page, chip, entries()));
  native_.store(owned_.back().get(), std::memory_order_release);
  heat_.store(0, std::memory_order_relaxed);
  times_.fetch_add(1, std::memory_order_relaxed);
  return owned_.back().get();
}

std::vector<std::uint32_t> HostCode::entries() const {
  std::vector<std::uint32_t> words;
  for (std::uint32_t word = 0; word < kMostWords; ++word)
    if ((entered_[word / 64].load(std::memory_order_relaxed) >> word % 64 & 1) != 0)
      words.push_back(word);
  return words;
}

} // namespace copse::ipud
