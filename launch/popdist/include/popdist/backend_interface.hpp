#pragma once

#include <cstddef>
#include <cstdint>

/// What the shared object of a backend exports: messages between instances.
extern "C" {

/// Functions return null, or a text that says what is wrong and that stays until the next call of
/// the same thread. Messages of one sender, receiver and tag arrive in order.
struct PopdistBackend {
  std::uint32_t version; ///< kPopdistBackendVersion
  const char *(*initialize)();
  const char *(*finalize)();
  std::uint32_t (*rank)(); ///< of this instance; valid between initialize and finalize
  std::uint32_t (*size)();
  const char *(*send)(std::uint32_t to, std::uint32_t tag, const void *data, std::size_t bytes,
                      double seconds);
  const char *(*receive)(std::uint32_t from, std::uint32_t tag, void *data, std::size_t bytes,
                         double seconds);
};

/// Returns what is valid as long as the shared object is loaded.
const PopdistBackend *popdistBackend();
}

constexpr std::uint32_t kPopdistBackendVersion = 1;
/// Tags are below this number.
constexpr std::uint32_t kPopdistTags = 1U << 30;
