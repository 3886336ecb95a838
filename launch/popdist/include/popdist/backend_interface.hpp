#pragma once

#include <cstddef>
#include <cstdint>

/// The exports of a backend's shared object: messages between instances.
extern "C" {

/// Holds the functions of a backend. The functions return null, or a text that says what is wrong
/// and that stays until the next call of the same thread. Messages of one sender, receiver and tag
/// arrive in order.
struct PopdistBackend {
  /// kPopdistBackendVersion.
  std::uint32_t version;
  /// Connects this instance to the others.
  const char *(*initialize)();
  /// Ends the connections.
  const char *(*finalize)();
  /// Returns the number of this instance; valid between initialize and finalize.
  std::uint32_t (*rank)();
  /// Returns the number of instances.
  std::uint32_t (*size)();
  /// Sends \p bytes bytes, and waits at most \p seconds.
  const char *(*send)(std::uint32_t to, std::uint32_t tag, const void *data, std::size_t bytes,
                      double seconds);
  /// Receives \p bytes bytes, and waits at most \p seconds.
  const char *(*receive)(std::uint32_t from, std::uint32_t tag, void *data, std::size_t bytes,
                         double seconds);
};

/// Returns the functions, which are valid as long as the shared object is loaded.
const PopdistBackend *popdistBackend();
}

/// The version of this interface.
constexpr std::uint32_t kPopdistBackendVersion = 1;
/// Tags are below this number.
constexpr std::uint32_t kPopdistTags = 1U << 30;
