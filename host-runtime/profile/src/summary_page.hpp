#pragma once

#include "profile/summary_options.hpp"

#include <cstdint>
#include <iosfwd>
#include <string>

namespace copse::profile {

/// Returns 1234567 as "1,234,567".
std::string grouped(std::uint64_t value);
/// Returns \p value with one digit after the point: "1,600.0".
std::string decimal(double value);
/// Returns a percentage such as "12.5%"; "0.0%" if \p whole is 0.
std::string percent(double part, double whole);
/// Returns a size such as "1,024 B".
std::string bytesText(std::uint64_t bytes);
/// Returns \p bytes in kB below 1 MB, else in MB, as the guide does.
std::string memoryText(std::uint64_t bytes);

/// Prints headings and rows of a text summary, indented by section, with values in one column; in
/// colour if the output is a terminal or the environment asks for it.
class Page {
public:
  Page(std::ostream &out, const ReportOptions &options);

  /// Begins a section, whose lines are indented until the object is destroyed.
  class Section {
  public:
    Section(Page &page, const std::string &heading);
    ~Section() { page_.depth_ -= 1; }
    Section(const Section &) = delete;
    Section &operator=(const Section &) = delete;

  private:
    Page &page_;
  };

  void row(const std::string &label, const std::string &value);
  void line(const std::string &text);
  void blank();

private:
  std::string indent() const { return std::string(2 * depth_, ' '); }

  std::ostream &out_;
  bool colour_;
  std::size_t depth_ = 0;
};

} // namespace copse::profile
