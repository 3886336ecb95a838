#pragma once

#include <string>
#include <string_view>

namespace copse::report {

/// \p text as gzip, in base64: what a page can carry and a browser unpack.
std::string compressedText(std::string_view text);

} // namespace copse::report
