#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace transformer {

/// A text as numbers of the characters that occur in it.
class Text {
public:
  /// Bytes that are no printable ASCII characters are left out, other than ends of lines.
  explicit Text(const std::string &bytes);
  /// Reads files, one after another.
  /// \throws std::runtime_error if one cannot be read
  static Text fromFiles(const std::vector<std::string> &files);

  const std::vector<std::uint32_t> &characters() const { return characters_; }
  std::size_t alphabetSize() const { return alphabet_.size(); }
  char letter(std::uint32_t number) const { return alphabet_[number]; }
  /// \returns numbers; characters that the text does not have are left out
  std::vector<std::uint32_t> numbersOf(const std::string &letters) const;

  /// Returns the cross entropy [nats] of a prediction that knows only how frequent each character
  /// is.
  double entropyOfFrequencies() const;

private:
  std::string alphabet_; ///< sorted
  std::vector<std::uint32_t> characters_;
};

} // namespace transformer
