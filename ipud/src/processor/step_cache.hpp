#pragma once

#include "processor/code_page.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <span>

namespace copse::ipud {

/// The words of an instruction or bundle.
struct IssueWords {
  std::array<std::uint32_t, 2> words{};
  std::uint32_t count = 1;

  std::span<const std::uint32_t> all() const { return std::span(words).first(count); }
};

/// Caches decoded instructions that run in single steps, mostly of the supervisor.
class StepCache {
public:
  /// Returns \p words at \p address as a page, which is valid until the next call.
  const CodePage &decoded(std::uint32_t address, const IssueWords &words, const Chip &chip,
                          isa::Context context);

private:
  struct Entry {
    isa::Context context = isa::Context::Worker;
    std::unique_ptr<const CodePage> page; ///< null: none
  };
  std::array<Entry, 256> entries_; ///< by address
};

} // namespace copse::ipud
