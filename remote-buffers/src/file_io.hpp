#pragma once

#include "wire/result.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

namespace copse::remote_buffers {

/// Returns a Status for \p error, an errno value: OutOfMemory if a disk or quota is full, else
/// InvalidOption.
/// \param what  the failed operation, for example "write"
wire::Status fileFault(const char *what, const std::filesystem::path &path, int error);

/// Transfer all of \p bytes; a partial transfer is an error.
wire::Status readAt(int descriptor, std::uint64_t offset, std::span<std::byte> bytes,
                    const std::filesystem::path &path);
wire::Status writeAt(int descriptor, std::uint64_t offset, std::span<const std::byte> bytes,
                     const std::filesystem::path &path);

} // namespace copse::remote_buffers
