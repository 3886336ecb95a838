#include "framed_table.hpp"

#include "wire/printable.hpp"

#include <algorithm>
#include <numeric>

namespace copse::tools {
namespace {

using Widths = std::vector<std::size_t>;

std::string centred(const std::string &text, std::size_t width) {
  const std::size_t space = width - std::min(width, text.size()), before = space / 2;
  return std::string(before, ' ') + text + std::string(space - before, ' ');
}

void printLine(std::ostream &out, const Widths &widths) {
  for (const std::size_t width : widths)
    out << '+' << std::string(width, '-');
  out << "+\n";
}

void printEntries(std::ostream &out, const std::vector<std::string> &entries,
                  const Widths &widths) {
  for (std::size_t i = 0; i < entries.size(); ++i)
    out << '|' << centred(entries[i], widths[i]);
  out << "|\n";
}

} // namespace

Widths FramedTable::widths() const {
  std::vector<std::string> names;
  for (const Group &group : groups_)
    names.insert(names.end(), group.columns.begin(), group.columns.end());
  Widths widths;
  for (std::size_t i = 0; i < names.size(); ++i) {
    std::size_t widest = names[i].size();
    for (const auto &row : rows_)
      widest = std::max(widest, row[i].size());
    widths.push_back(widest + 2); // a blank at each side
  }
  // The last column of a group is widened until the title fits.
  std::size_t column = 0;
  for (const Group &group : groups_) {
    const std::size_t last = column + group.columns.size() - 1;
    const std::size_t room =
        std::accumulate(widths.begin() + static_cast<std::ptrdiff_t>(column),
                        widths.begin() + static_cast<std::ptrdiff_t>(last + 1), last - column);
    widths[last] += std::max(room, group.title.size() + 2) - room;
    column = last + 1;
  }
  return widths;
}

void FramedTable::add(const std::vector<std::string> &entries) {
  auto &row = rows_.emplace_back();
  for (const std::string &entry : entries)
    row.push_back(wire::printableName(entry));
}

void FramedTable::print(std::ostream &out) const {
  const Widths columns = widths();
  Widths groups;
  std::vector<std::string> titles, names;
  for (const Group &group : groups_) {
    const auto first = columns.begin() + static_cast<std::ptrdiff_t>(names.size());
    const std::size_t lines = group.columns.size() - 1;
    groups.push_back(std::accumulate(first, first + static_cast<std::ptrdiff_t>(lines + 1), lines));
    titles.push_back(group.title);
    names.insert(names.end(), group.columns.begin(), group.columns.end());
  }
  printLine(out, groups);
  printEntries(out, titles, groups);
  printLine(out, columns);
  printEntries(out, names, columns);
  printLine(out, columns);
  for (const auto &row : rows_)
    printEntries(out, row, columns);
  printLine(out, columns);
}

void printFramed(std::ostream &out, const std::string &text) {
  const Widths width{text.size() + 4};
  printLine(out, width);
  printEntries(out, {text}, width);
  printLine(out, width);
}

} // namespace copse::tools
