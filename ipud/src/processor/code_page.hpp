#pragma once

#include "locks/mutex.hpp"
#include "processor/code_loop.hpp"
#include "processor/core.hpp"
#include "processor/host_code.hpp"

#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

namespace copse::ipud {

/// A page of code in decoded form. Immutable, so that all tiles with equal bytes at equal addresses
/// share one.
struct CodePage {
  static constexpr std::uint32_t kBytes = 4096;
  /// How much of the next page is decoded too, so that the body of a repeat that starts in this
  /// page is complete.
  static constexpr std::uint32_t kLookahead = 2064;
  static_assert((kBytes + kLookahead) / 4 <= HostCode::kMostWords);
  static constexpr std::uint16_t kNoStart = 0xFFFF; ///< in the middle of a bundle

  std::uint32_t address = 0;        ///< address of the first word
  std::vector<std::uint32_t> words; ///< the decoded words
  std::vector<MicroOp> steps;
  /// Step of each word, and the step after the last. Shape [words + 1].
  std::vector<std::uint16_t> start;
  std::vector<std::uint16_t> issues; ///< worker cycles before each word. Shape [words + 1]
  /// The loops that start with a step EnterLoop, which contains their index.
  std::vector<CodeLoop> loops;
  std::unique_ptr<HostCode> natives; ///< null: the page is not translated
  bool inStep = false;               ///< see DecodeOptions::inStep
  bool hasWaitingLoop = false;       ///< a worker waits in it for stores of others

  std::uint32_t end() const { return address + 4 * static_cast<std::uint32_t>(words.size()); }
  bool holds(std::uint32_t at) const { return at >= address && at < end(); }
};

/// Options of decoding.
struct DecodeOptions {
  const Chip *chip = nullptr;
  isa::Context context = isa::Context::Worker;
  /// Decode one instruction or bundle: branches leave the page, and the caller executes repeats.
  bool single = false;
  /// A worker's turn may end after each instruction or bundle instead of at jumps only.
  bool inStep = false;
  /// Hot code may be translated to host code.
  bool isTranslated = false;
};

/// Decodes \p words, which are at \p address.
std::unique_ptr<CodePage> decodePage(std::uint32_t address, std::vector<std::uint32_t> words,
                                     const DecodeOptions &options);

/// Addresses [begin, end) of tile memory.
struct CodeRange {
  std::uint32_t begin, end;
};

/// How much code is translated to host code. Without AVX2, none is.
enum class Translation { None, HotCode };

/// Decoding an instruction takes longer than executing it. The cache keeps the decoded code of the
/// tiles of one IPU, for the address ranges in which the image has code. Code elsewhere runs in
/// single steps.
///
/// Thread: any.
class CodeCache {
public:
  /// \param ranges  ranges of executable memory, ascending and without overlaps
  CodeCache(const Chip &chip, std::vector<CodeRange> ranges,
            Translation translation = Translation::HotCode);

  const Chip &chip() const { return chip_; }
  const std::vector<CodeRange> &ranges() const { return ranges_; }
  /// Returns the number of pages in all ranges, for which a tile has pointers.
  std::uint32_t pages() const { return pages_; }
  /// Returns the number of the page that contains \p address; pages() if there is none.
  std::uint32_t pageOf(std::uint32_t address) const;

  /// Returns page \p number with the code of the tile whose address 0 is at \p memory.
  const CodePage *page(std::uint32_t number, const std::byte *memory, bool inStep);
  /// Returns the number of decoded pages.
  std::size_t decoded() const;

private:
  const Chip chip_;
  const std::vector<CodeRange> ranges_;
  const bool isTranslated_;
  std::uint32_t pages_ = 0;
  mutable locks::Mutex mutex_;
  std::unordered_multimap<std::uint64_t, std::unique_ptr<const CodePage>>
      known_ COPSE_GUARDED_BY(mutex_);
};

/// The pages from which one tile has executed code.
class TilePages {
public:
  const CodePage *page(CodeCache &cache, std::uint32_t number, const std::byte *memory,
                       bool inStep) {
    auto &pages = inStep ? inStep_ : pages_;
    if (pages.empty())
      pages.assign(cache.pages(), nullptr);
    if (pages[number] == nullptr)
      pages[number] = cache.page(number, memory, inStep);
    return pages[number];
  }
  void forget() {
    pages_.clear();
    inStep_.clear();
  }

private:
  std::vector<const CodePage *> pages_, inStep_;
};

inline std::int64_t Core::elapsed(const MicroOp &step) const {
  return cycles + page->issues[step.at];
}
inline std::uint32_t Core::address(const MicroOp &step) const {
  return page->address + 4U * step.at;
}

} // namespace copse::ipud
