#include "text.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace transformer {

Text::Text(const std::string &bytes) {
  std::string kept;
  std::copy_if(bytes.begin(), bytes.end(), std::back_inserter(kept),
               [](char c) { return c == '\n' || (c >= ' ' && c <= '~'); });
  alphabet_ = kept;
  std::sort(alphabet_.begin(), alphabet_.end());
  alphabet_.erase(std::unique(alphabet_.begin(), alphabet_.end()), alphabet_.end());
  characters_ = numbersOf(kept);
}

Text Text::fromFiles(const std::vector<std::string> &files) {
  std::string bytes;
  for (const std::string &name : files) {
    std::ifstream file(name, std::ios::binary);
    if (!file)
      throw std::runtime_error(name + ": cannot be read");
    bytes.append(std::istreambuf_iterator<char>(file), {});
  }
  return Text(bytes);
}

std::vector<std::uint32_t> Text::numbersOf(const std::string &letters) const {
  std::vector<std::uint32_t> numbers;
  for (const char c : letters) {
    const auto at = std::lower_bound(alphabet_.begin(), alphabet_.end(), c);
    if (at != alphabet_.end() && *at == c)
      numbers.push_back(static_cast<std::uint32_t>(at - alphabet_.begin()));
  }
  return numbers;
}

double Text::entropyOfFrequencies() const {
  std::vector<std::size_t> counts(alphabet_.size());
  for (const std::uint32_t c : characters_)
    ++counts[c];
  double entropy = 0;
  for (const std::size_t count : counts) {
    const double share = static_cast<double>(count) / static_cast<double>(characters_.size());
    entropy -= share * std::log(share);
  }
  return entropy;
}

} // namespace transformer
