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

/// A stretch of code in decoded form. Immutable once made, so all tiles that have the same bytes at
/// the same address share one.
struct CodePage {
  static constexpr std::uint32_t kBytes = 4096;
  /// What is decoded of the next page, too: a repeat that starts in this one lies in it as a whole.
  static constexpr std::uint32_t kLookahead = 2064;
  static_assert((kBytes + kLookahead) / 4 <= HostCode::kMostWords);
  static constexpr std::uint16_t kNoStart = 0xFFFF; ///< in the middle of a bundle

  std::uint32_t address = 0;        ///< of the first word
  std::vector<std::uint32_t> words; ///< what was decoded
  std::vector<MicroOp> steps;
  std::vector<std::uint16_t> start; ///< step of each word, and the one after all. Shape [words + 1]
  std::vector<std::uint16_t> issues; ///< worker cycles before each word. Shape [words + 1]
  std::vector<CodeLoop> loops;       ///< that start with a step EnterLoop, which has their number
  std::unique_ptr<HostCode> natives; ///< null: it does not become host code
  bool inStep = false;               ///< as it was decoded: DecodeOptions::inStep
  bool hasWaitingLoop = false;       ///< whose worker waits for what others store

  std::uint32_t end() const { return address + 4 * static_cast<std::uint32_t>(words.size()); }
  bool holds(std::uint32_t at) const { return at >= address && at < end(); }
};

/// How code is decoded.
struct DecodeOptions {
  const Chip *chip = nullptr;
  isa::Context context = isa::Context::Worker;
  /// One instruction or bundle: branches leave the page, and what follows a repeat is the caller's.
  bool single = false;
  /// A turn may end after each instruction or bundle, not at jumps only.
  bool inStep = false;
  /// Hot code may run as host code.
  bool isTranslated = false;
};

/// Decodes \p words, which lie at \p address.
std::unique_ptr<CodePage> decodePage(std::uint32_t address, std::vector<std::uint32_t> words,
                                     const DecodeOptions &options);

/// Addresses [begin, end) of tile memory.
struct CodeRange {
  std::uint32_t begin, end;
};

/// What of the code becomes code of the host. Without AVX2 nothing does.
enum class Translation { None, HotCode };

/// The decoded code of the tiles of one IPU: of the ranges where the image has code. What is
/// executed elsewhere runs in single steps.
///
/// Thread: any.
class CodeCache {
public:
  /// \param ranges  ascending, without overlaps, of executable memory
  CodeCache(const Chip &chip, std::vector<CodeRange> ranges,
            Translation translation = Translation::HotCode);

  const Chip &chip() const { return chip_; }
  const std::vector<CodeRange> &ranges() const { return ranges_; }
  /// Number of pages of all ranges: what a tile has pointers for.
  std::uint32_t pages() const { return pages_; }
  /// Which of them holds \p address; pages() if none.
  std::uint32_t pageOf(std::uint32_t address) const;

  /// Page \p number as it is in the tile whose address 0 is at \p memory.
  const CodePage *page(std::uint32_t number, const std::byte *memory, bool inStep);
  std::size_t decoded() const; ///< pages that are kept

private:
  const Chip chip_;
  const std::vector<CodeRange> ranges_;
  const bool isTranslated_;
  std::uint32_t pages_ = 0;
  mutable locks::Mutex mutex_;
  std::unordered_multimap<std::uint64_t, std::unique_ptr<const CodePage>>
      known_ COPSE_GUARDED_BY(mutex_);
};

/// The pages of one tile that it has executed from.
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
