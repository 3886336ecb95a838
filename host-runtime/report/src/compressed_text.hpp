#pragma once

#include <string>
#include <string_view>

namespace copse::report {

/// Returns \p text as gzip in base64, which a page can contain and a browser can unpack.
std::string compressedText(std::string_view text);

} // namespace copse::report
