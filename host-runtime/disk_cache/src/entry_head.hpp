#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace copse::disk_cache {

// The head of an entry's file binds the bytes after it to the entry's title, which consists of its
// kind and name. A file that was renamed, truncated or damaged does not match its head. A writer of
// the file can forge a head; the file's owner and mode restrict the writers.

/// Returns the size of the head of an entry with this title.
std::size_t headBytesOf(std::string_view title);
/// Returns the head of the entry with this title and body.
std::string headOf(std::string_view title, std::string_view body);
/// Returns true if \p head belongs to an entry with this title and a body of \p bodyBytes bytes, as
/// far as can be checked without the body.
bool isHeadOf(std::string_view head, std::string_view title, std::uint64_t bodyBytes);

} // namespace copse::disk_cache
