#include "summary_page.hpp"

#include "wire/environment.hpp"
#include "wire/printable.hpp"

#include <cmath>
#include <cstdio>
#include <iostream>
#include <unistd.h>

namespace copse::profile {
namespace {

bool isTerminal(const std::ostream &out) {
  return (&out == &std::cout && ::isatty(STDOUT_FILENO)) ||
         (&out == &std::cerr && ::isatty(STDERR_FILENO));
}

/// Returns true if the output is to be coloured. Source: guide, 8.2.3.
bool wantsColour(const std::ostream &out, const ReportOptions &options) {
  if (wire::environmentVariable("CLICOLOR_FORCE") == "1")
    return true;
  if (wire::environmentVariable("CLICOLOR") == "0")
    return false;
  return options.colours.value_or(isTerminal(out));
}

} // namespace

std::string grouped(std::uint64_t value) {
  std::string digits = std::to_string(value);
  for (std::size_t at = digits.size(); at > 3;) {
    at -= 3;
    digits.insert(at, 1, ',');
  }
  return digits;
}

std::string decimal(double value) {
  const auto tenths = static_cast<std::uint64_t>(std::llround(value * 10));
  return grouped(tenths / 10) + '.' + std::to_string(tenths % 10);
}

std::string percent(double part, double whole) {
  return decimal(whole > 0 ? 100 * part / whole : 0) + '%';
}

std::string bytesText(std::uint64_t bytes) { return grouped(bytes) + " B"; }

std::string memoryText(std::uint64_t bytes) {
  constexpr double kKilo = 1024, kMega = 1024 * 1024;
  const auto value = static_cast<double>(bytes);
  return value < kMega ? decimal(value / kKilo) + " kB" : decimal(value / kMega) + " MB";
}

Page::Page(std::ostream &out, const ReportOptions &options)
    : out_(out), colour_(wantsColour(out, options)) {}

Page::Section::Section(Page &page, const std::string &heading) : page_(page) {
  page.out_ << page.indent() << (page.colour_ ? "\033[1m" : "") << wire::printableLine(heading)
            << (page.colour_ ? "\033[0m" : "") << '\n';
  page.depth_ += 1;
}

void Page::row(const std::string &label, const std::string &value) {
  constexpr std::size_t kLabelEnd = 48, kValueWidth = 16;
  const std::string start = indent() + wire::printableLine(label) + ':';
  const auto pad = [](std::size_t width, std::size_t used) {
    return std::string(width > used ? width - used : 1, ' ');
  };
  out_ << start << pad(kLabelEnd, start.size()) << pad(kValueWidth, value.size()) << value << '\n';
}

void Page::line(const std::string &text) { out_ << indent() << wire::printableLine(text) << '\n'; }
void Page::blank() { out_ << '\n'; }

} // namespace copse::profile
