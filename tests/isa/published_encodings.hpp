#pragma once

#include <cstdint>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace copse::isa::test {

/// A row of encodings.csv, the published encodings in their original form. This code reads them
/// independently of the product, so that a mistake in the product's table shows.
struct PublishedEncoding {
  std::string mnemonic, operands, lane, context, arch;
  std::uint32_t value = 0, mask = 0;
  /// A field like "S=23:20" or "imm[7:4]=19:16": its name, and which bits of the word hold which
  /// bits of the value.
  struct Field {
    std::string name;
    unsigned valueLow = 0, low = 0, width = 0;
  };
  std::vector<Field> fields;
};

inline std::vector<std::string> cells(const std::string &line) {
  std::vector<std::string> out(1);
  bool isQuoted = false;
  for (const char c : line) {
    if (c == '"')
      isQuoted = !isQuoted;
    else if (c == ',' && !isQuoted)
      out.emplace_back();
    else
      out.back() += c;
  }
  return out;
}

inline PublishedEncoding::Field field(const std::string &text) {
  PublishedEncoding::Field f;
  const auto equals = text.find('=');
  f.name = text.substr(0, equals);
  unsigned high = 0;
  char colon = 0;
  std::istringstream(text.substr(equals + 1)) >> high >> colon >> f.low;
  f.width = high - f.low + 1;
  if (const auto bracket = f.name.find('['); bracket != std::string::npos) {
    std::istringstream(f.name.substr(bracket + 1)) >> high >> colon >> f.valueLow;
    f.name.resize(bracket);
  }
  return f;
}

inline std::vector<PublishedEncoding> publishedEncodings() {
  std::ifstream file(ENCODINGS);
  std::vector<PublishedEncoding> rows;
  std::string line;
  std::getline(file, line); // the column names
  while (std::getline(file, line)) {
    const auto c = cells(line);
    PublishedEncoding row{c[0], c[1], c[2], c[3], c[4], {}, {}, {}};
    row.value = static_cast<std::uint32_t>(std::stoul(c[5], nullptr, 16));
    row.mask = static_cast<std::uint32_t>(std::stoul(c[6], nullptr, 16));
    std::istringstream words(c[7]);
    for (std::string word; words >> word;)
      row.fields.push_back(field(word));
    rows.push_back(row);
  }
  return rows;
}

} // namespace copse::isa::test
