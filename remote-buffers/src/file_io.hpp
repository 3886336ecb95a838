#pragma once

#include "wire/result.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

namespace copse::remote_buffers {

/// What errno says of \p path: OutOfMemory for a disk or quota that is full, else InvalidOption.
/// \param what  was to be done: "write"
wire::Status fileFault(const char *what, const std::filesystem::path &path, int error);

/// All of \p bytes, or a Status.
wire::Status readAt(int descriptor, std::uint64_t offset, std::span<std::byte> bytes,
                    const std::filesystem::path &path);
wire::Status writeAt(int descriptor, std::uint64_t offset, std::span<const std::byte> bytes,
                     const std::filesystem::path &path);

} // namespace copse::remote_buffers
