#pragma once

#include "processor/native_loop.hpp"
#include "processor/native_region.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace copse::ipud {

/// The host code of one page. Immutable.
class NativePage {
public:
  /// An address in the page's code at which execution may start.
  struct Start {
    NativeRegion::Entry entry = nullptr; ///< null: the interpreter executes the instruction
    const void *at = nullptr;
  };

  virtual ~NativePage() = default;
  const NativeLoop &loop(std::size_t number) const { return loops_[number]; }
  /// Returns null if there is no host code for \p word.
  const Start *start(std::uint32_t word) const {
    return places_[word] == kNone ? nullptr : &starts_[places_[word]];
  }

protected:
  static constexpr std::uint16_t kNone = 0xFFFF;
  std::vector<NativeLoop> loops_;     ///< shape [CodePage::loops]
  std::vector<std::uint16_t> places_; ///< index into `starts_`. Shape [words + 1]
  std::vector<Start> starts_;
};

/// Returns true if the host can execute the code that translatePage() generates.
bool canTranslate();

/// \param page     decoded with DecodeOptions::isTranslated; must outlive the result
/// \param entries  words that control has reached from outside of the page
std::unique_ptr<NativePage> translatePage(const CodePage &page, const Chip &chip,
                                          std::span<const std::uint32_t> entries);

} // namespace copse::ipud
