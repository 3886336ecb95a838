#pragma once

#include "profile/profile_data.hpp"

#include <iosfwd>
#include <span>
#include <string>

/// Shows a profile as one self-contained HTML page.
namespace copse::report {

struct NamedProfile {
  std::string name; ///< a name for people, such as the path of the file
  const profile::ReportData *data = nullptr;
};

/// Writes the page of one profile, or the comparison of two.
/// \param profiles  one or two; used only during the call
void writePage(std::ostream &out, std::span<const NamedProfile> profiles);

/// Writes the page's data as JSON: {"profiles": [...]}. The module's README lists the figures.
void writeFigures(std::ostream &out, std::span<const NamedProfile> profiles);

} // namespace copse::report
