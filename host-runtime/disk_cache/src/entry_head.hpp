#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace copse::disk_cache {

// The head of an entry's file binds the bytes behind it to the entry's title, which is its kind and its name: a file that
// was renamed, cut off or damaged does not fit its head. Whoever can write the file can make a head that fits; the owner
// and the mode of the file say who that is.

/// \returns the size of the head of an entry with this title
std::size_t headBytesOf(std::string_view title);
/// \returns the head of the entry with this title and this body
std::string headOf(std::string_view title, std::string_view body);
/// \returns whether \p head is that of an entry with this title and so many bytes behind the head, as far as can be
///   seen without them
bool isHeadOf(std::string_view head, std::string_view title, std::uint64_t bodyBytes);

} // namespace copse::disk_cache
