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
  /// Where control may come in.
  struct Start {
    NativeRegion::Entry entry = nullptr; ///< null: the interpreter does the instruction
    const void *at = nullptr;
  };

  virtual ~NativePage() = default;
  const NativeLoop &loop(std::size_t number) const { return loops_[number]; }
  /// Null if there was no need for code at \p word when this was made.
  const Start *start(std::uint32_t word) const {
    return places_[word] == kNone ? nullptr : &starts_[places_[word]];
  }

protected:
  static constexpr std::uint16_t kNone = 0xFFFF;
  std::vector<NativeLoop> loops_;     ///< shape [CodePage::loops]
  std::vector<std::uint16_t> places_; ///< in `starts_`. Shape [words + 1]
  std::vector<Start> starts_;
};

/// Whether this host's processor can execute what translatePage() makes.
bool canTranslate();

/// \param page     decoded with DecodeOptions::isTranslated; must outlive the result
/// \param entries  words that control came to from outside of the page
std::unique_ptr<NativePage> translatePage(const CodePage &page, const Chip &chip,
                                          std::span<const std::uint32_t> entries);

} // namespace copse::ipud
