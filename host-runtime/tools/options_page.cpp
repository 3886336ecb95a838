#include "options_page.hpp"

#include "report.hpp"

#include "types/option_tables.hpp"

#include <algorithm>
#include <cctype>
#include <iostream>
#include <string_view>

namespace copse::tools {
namespace {

using types::OptionEffect;
using types::OptionKind;
using types::OptionSpec;
using types::OptionTable;

std::string alternatives(std::string_view words) {
  std::string text(words);
  for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2)
    text.replace(at, 1, ", ");
  return text;
}

std::string valuesOf(const OptionSpec &option) {
  switch (option.kind) {
  case OptionKind::Boolean:
    return "true, false";
  case OptionKind::Integer:
    return "an integer";
  case OptionKind::Number:
    return "a number";
  case OptionKind::Word:
    return alternatives(option.words);
  case OptionKind::IntegerOrWord:
    return "an integer, " + alternatives(option.words);
  case OptionKind::Text:
    return "text";
  }
  return {};
}

std::string_view effectOf(const OptionSpec &option) {
  switch (option.effect) {
  case OptionEffect::Used:
    return "used";
  case OptionEffect::Hint:
    return "hint";
  case OptionEffect::Missing:
    return "without effect";
  }
  return {};
}

bool contains(std::string_view name, std::string_view word) {
  const auto same = [](unsigned char a, unsigned char b) {
    return std::tolower(a) == std::tolower(b);
  };
  return std::ranges::search(name, word, same).begin() != name.end() || word.empty();
}

constexpr std::string_view kHead = R"(# Options

These are the options that Copse's readers of options know, with the values that they take. An option that is not here is an
error, with the nearest name. `copse options --markdown` prints this page, and `copse options WORD` those whose names contain a
word.

- **used**: the option does here what Poplar's guide says.
- **hint**: the option is accepted; no result and no modelled figure depends on it.
- **without effect**: the option is accepted, and a warning says that it does nothing yet.

An empty default means that there is none, or that it follows from other options.
)";

void printPage(std::ostream &out) {
  out << kHead;
  for (const OptionTable &table : types::optionTables()) {
    std::string title(table.kind);
    title.front() = static_cast<char>(std::toupper(title.front()));
    out << "\n## " << title << "s\n\nSet by " << table.where
        << ".\n\n| option | values | default | effect |\n|---|---|---|---|\n";
    for (const OptionSpec &option : table.options) {
      const std::string shown =
          option.defaultValue.empty() ? "" : "`" + std::string(option.defaultValue) + "`";
      out << "| `" << option.name << "` | " << valuesOf(option) << " | " << shown << " | "
          << effectOf(option) << " |\n";
    }
  }
}

} // namespace

int listOptions(const OptionsRequest &request) {
  if (request.markdown) {
    printPage(std::cout);
    return 0;
  }
  Rows rows;
  for (const OptionTable &table : types::optionTables())
    for (const OptionSpec &option : table.options)
      if (contains(option.name, request.word))
        rows.push_back({{"option", option.name},
                        {"kind", table.kind},
                        {"values", valuesOf(option)},
                        {"default", option.defaultValue},
                        {"effect", effectOf(option)}});
  if (rows.empty() && !request.json) {
    std::cerr << "copse: no option has '" << request.word
              << "' in its name; `copse options` lists all\n";
    return 1;
  }
  print(std::cout, rows, request.json);
  return 0;
}

} // namespace copse::tools
