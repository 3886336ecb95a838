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

/// The host code of a page. The page is translated once it is hot.
///
/// Thread: any.
class HostCode {
public:
  static constexpr std::size_t kMostWords = 1600; ///< per page

  HostCode();
  ~HostCode();
  /// Returns the host code for a loop; null while the page is not hot.
  const NativePage *find(const CodePage &page, const Chip &chip) const;
  /// Returns the host code for code at \p word, which control has reached. If the current
  /// translation lacks that word, the page is sometimes translated again.
  const NativePage *findAt(const CodePage &page, const Chip &chip, std::uint32_t word) const;

private:
  const NativePage *warmed(const CodePage &page, const Chip &chip, const NativePage *known,
                           std::uint32_t heat) const;
  const NativePage *translated(const CodePage &page, const Chip &chip,
                               const NativePage *known) const;
  std::vector<std::uint32_t> entries() const;

  mutable std::atomic<const NativePage *> native_{nullptr};
  mutable std::atomic<std::uint32_t> heat_{0}; ///< since `native_` was translated
  mutable std::atomic<unsigned> times_{0};     ///< number of translations
  /// The words that control has reached, as bits.
  mutable std::array<std::atomic<std::uint64_t>, kMostWords / 64> entered_{};
  mutable locks::Mutex mutex_;
  /// All translations: a thread may still be executing any of them.
  mutable std::vector<std::unique_ptr<const NativePage>> owned_ COPSE_GUARDED_BY(mutex_);
};

} // namespace copse::ipud
