#pragma once

#include <string_view>

namespace copse::report {

/// Returns the page with its style and scripts, which page_template.cmake makes from the files in
/// page/. Figures replace "@figures@".
std::string_view pageTemplate();

} // namespace copse::report
