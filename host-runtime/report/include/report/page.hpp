#pragma once

#include "profile/profile_data.hpp"

#include <iosfwd>
#include <span>
#include <string>

/// A profile as one HTML page that needs nothing besides a browser.
namespace copse::report {

struct NamedProfile {
  std::string name; ///< for people, such as the path of its file
  const profile::ReportData *data = nullptr;
};

/// Writes the page of one profile, or the comparison of two.
/// \param profiles  one or two; borrowed for the call
void writePage(std::ostream &out, std::span<const NamedProfile> profiles);

/// Writes what the page shows as JSON: {"profiles": [...]}. The module's README lists the figures.
void writeFigures(std::ostream &out, std::span<const NamedProfile> profiles);

} // namespace copse::report
