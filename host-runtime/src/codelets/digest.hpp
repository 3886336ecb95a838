#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace copse::codelets {

/// SHA-256 in hexadecimal.
std::string sha256(std::span<const std::byte> bytes);
std::string sha256(std::string_view text);

} // namespace copse::codelets
