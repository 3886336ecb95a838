#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

/// A word of shared memory on which threads of several processes sleep.
namespace copse::fabric::futex {

/// Sleeps until wakeAll(), or for \p time; may also wake spuriously. Returns at once if the word is
/// not \p value.
void wait(std::atomic<std::uint32_t> &word, std::uint32_t value, std::chrono::nanoseconds time);
void wakeAll(std::atomic<std::uint32_t> &word);

} // namespace copse::fabric::futex
