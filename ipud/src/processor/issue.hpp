#pragma once

#include "processor/code_page.hpp"

namespace copse::ipud {

/// A set of registers of both files; bits 0 to 15 are the main registers.
using RegisterSet = std::uint32_t;

struct Footprint {
  RegisterSet read = 0, written = 0;
  bool writesTwice = false;
};
/// \param instruction  Opcode::Invalid has an empty footprint
Footprint footprintOf(const isa::Instruction &instruction);

/// One instruction or bundle.
struct Issue {
  std::uint32_t word = 0; ///< where it starts
  std::uint32_t words = 1;
  isa::Instruction main, aux; ///< Opcode::Invalid: none
  isa::Exception bad = isa::Exception::None;
};

/// Decodes instructions and bundles from the words of a page.
class IssueReader {
public:
  /// Keeps references to its arguments.
  IssueReader(const CodePage &page, const DecodeOptions &options)
      : page_(page), options_(options), chip_(*options.chip) {}

  /// \returns false for a bundle whose second half is in the next page
  bool read(std::uint32_t at, Issue &issue) const;
  /// Decodes words [begin, end), without a bundle that is cut off.
  std::vector<Issue> readAll(std::uint32_t begin, std::uint32_t end) const;

private:
  isa::Instruction decoded(std::uint32_t word) const;
  bool isPayloadForm(std::uint32_t word) const;
  bool readBundle(std::uint32_t at, const isa::Instruction &first, Issue &issue) const;

  const CodePage &page_;
  const DecodeOptions &options_;
  const Chip &chip_;
};

} // namespace copse::ipud
