#pragma once

#include "locks/mutex.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace copse::ipud {

struct Chip;
struct CodePage;
class NativePage;

/// The host code of a page, which is made when the page turns out to be hot.
///
/// Thread: any.
class HostCode {
public:
  static constexpr std::size_t kMostWords = 1600; ///< of a page

  HostCode();
  ~HostCode();
  /// For a loop. Null while the page has not been entered often.
  const NativePage *find(const CodePage &page, const Chip &chip) const;
  /// For code at \p word, where control has come to. If the code that there is lacks that word, it
  /// is made anew, now and then.
  const NativePage *findAt(const CodePage &page, const Chip &chip, std::uint32_t word) const;

private:
  const NativePage *warmed(const CodePage &page, const Chip &chip, const NativePage *known,
                           std::uint32_t heat) const;
  const NativePage *translated(const CodePage &page, const Chip &chip,
                               const NativePage *known) const;
  std::vector<std::uint32_t> entries() const;

  mutable std::atomic<const NativePage *> native_{nullptr};
  mutable std::atomic<std::uint32_t> heat_{0}; ///< since `native_` was made
  mutable std::atomic<unsigned> times_{0};     ///< that it was
  /// Words that control has come to, as bits.
  mutable std::array<std::atomic<std::uint64_t>, kMostWords / 64> entered_{};
  mutable locks::Mutex mutex_;
  /// All that were made: some thread may still be in any.
  mutable std::vector<std::unique_ptr<const NativePage>> owned_ COPSE_GUARDED_BY(mutex_);
};

} // namespace copse::ipud
