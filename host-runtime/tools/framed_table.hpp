#pragma once

#include <ostream>
#include <string>
#include <vector>

namespace copse::tools {

/// A table in a frame of lines, like the tables of the vendor's monitor. Columns form groups, each
/// with a title of its own.
class FramedTable {
public:
  struct Group {
    std::string title;
    std::vector<std::string> columns;
  };
  explicit FramedTable(std::vector<Group> groups) : groups_(std::move(groups)) {}

  /// \param entries  one for each column of all groups, printed as by wire::printableName()
  void add(const std::vector<std::string> &entries);
  void print(std::ostream &out) const;

private:
  std::vector<std::size_t> widths() const;

  std::vector<Group> groups_;
  std::vector<std::vector<std::string>> rows_;
};

/// Prints one line of text in such a frame.
void printFramed(std::ostream &out, const std::string &text);

} // namespace copse::tools
