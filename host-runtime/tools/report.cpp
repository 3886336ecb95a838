#include "report.hpp"

#include "wire/printable.hpp"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <iostream>
#include <string>

namespace copse::tools {
namespace {

std::string textOf(const nlohmann::ordered_json &value) {
  if (value.is_string())
    return wire::printableName(value.get<std::string>());
  if (!value.is_number_float())
    return value.dump();
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", value.get<double>());
  return text;
}

/// Prints columns as wide as their widest entry, with numbers aligned right and words left.
void printTable(std::ostream &out, const Rows &rows) {
  if (rows.empty())
    return;
  std::vector<std::size_t> widths;
  for (const auto &[name, value] : rows.front().items())
    widths.push_back(name.size());
  for (const auto &row : rows) {
    std::size_t column = 0;
    for (const auto &item : row.items())
      widths[column] = std::max(widths[column], textOf(item.value()).size()), ++column;
  }
  const auto print = [&](const std::string &text, std::size_t column, bool number) {
    const std::string space(widths[column] - text.size(), ' ');
    const bool last = column + 1 == widths.size();
    out << (number ? space + text : text + (last ? "" : space)) << (last ? "\n" : "  ");
  };
  std::size_t column = 0;
  for (const auto &item : rows.front().items())
    print(item.key(), column++, item.value().is_number());
  for (const auto &row : rows) {
    column = 0;
    for (const auto &item : row.items())
      print(textOf(item.value()), column++, item.value().is_number());
  }
}

} // namespace

std::string jsonText(const nlohmann::ordered_json &json) {
  return json.dump(2, ' ', true, nlohmann::json::error_handler_t::replace);
}

void print(std::ostream &out, const Rows &rows, bool json) {
  if (json)
    out << jsonText(rows) << '\n';
  else
    printTable(out, rows);
}

void printCsv(std::ostream &out, const Rows &rows) {
  const auto quoted = [](const std::string &text) {
    return text.find_first_of(",\"\n") == std::string::npos ? text : nlohmann::json(text).dump();
  };
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::string names, values;
    for (const auto &[name, value] : rows[i].items()) {
      names += (names.empty() ? "" : ",") + quoted(name);
      values += (values.empty() ? "" : ",") + quoted(textOf(value));
    }
    out << (i == 0 ? names + "\n" : "") << values << '\n';
  }
}

int exitFor(const CLI::App &app, const CLI::ParseError &error) {
  return app.exit(error) == 0 ? 0 : 2;
}

int runTool(CLI::App &app, int argc, char **argv, const std::function<Rows()> &work) {
  return runTool(app, argc, argv, [&](bool json) { print(std::cout, work(), json); });
}

int runTool(CLI::App &app, int argc, char **argv, const std::function<void(bool)> &work) {
  bool json = false;
  app.add_flag("-j,--json", json, "print a JSON array instead of text");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    return exitFor(app, error);
  }
  try {
    work(json);
    return 0;
  } catch (const WrongArguments &error) {
    std::cerr << app.get_name() << ": " << error.what() << '\n';
    return 2;
  } catch (const std::exception &error) {
    std::cerr << app.get_name() << ": " << error.what() << '\n';
    return 1;
  }
}

} // namespace copse::tools
