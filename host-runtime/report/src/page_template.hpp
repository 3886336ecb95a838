#pragma once

#include <string_view>

namespace copse::report {

/// The page with its style and scripts, made by page_template.cmake of the files in page/; figures go to the place of "@figures@".
std::string_view pageTemplate();

} // namespace copse::report
