#pragma once

#include "session/machine.hpp"

#include <array>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <mutex>
#include <openssl/evp.h>
#include <string>
#include <vector>

/// Fixtures for tests of whole machines: options, codelets, and a handler that records its calls.
/// The build defines COPSE_IPUD_PATH, COPSE_MODEL_PATH and COPSE_CODELETS_PATH.
namespace copse::test {

inline std::string textOf(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline session::MachineOptions machineOptions(std::uint32_t ipus, session::Transport transport) {
  session::MachineOptions options;
  options.ipus = ipus;
  options.transport = transport;
  options.ipudPath = COPSE_IPUD_PATH;
  options.machineModel = textOf(COPSE_MODEL_PATH);
  options.threadsPerIpu = 1;
  options.syncTimeout = std::chrono::seconds(20);
  return options;
}

/// The module with the tests' codelets, as popc would return it.
class Codelets {
public:
  Codelets() : bytes_(textOf(COPSE_CODELETS_PATH)) {
    std::array<unsigned char, 32> digest{};
    unsigned length = 0;
    EVP_Digest(bytes_.data(), bytes_.size(), digest.data(), &length, EVP_sha256(), nullptr);
    for (const unsigned char byte : digest) {
      constexpr char kDigits[] = "0123456789abcdef";
      ref_.sha256 += {kDigits[byte >> 4], kDigits[byte & 15]};
    }
    ref_.name = "test codelets";
  }
  const wire::ModuleRef &ref() const { return ref_; }
  session::ModuleBytes bytes() const {
    return [this](const std::string &) { return std::as_bytes(std::span(bytes_)); };
  }

private:
  std::string bytes_;
  wire::ModuleRef ref_;
};

inline const Codelets &codelets() {
  static const Codelets one;
  return one;
}

/// Records every call as "fetch 0/1" (stream 0, replica 1), and answers as the test requires.
class RecordingHandler : public session::StreamHandler {
public:
  using Row = std::span<std::byte>;
  std::function<void(std::uint32_t, std::uint32_t, Row)> onFetch = [](auto, auto, auto) {};
  std::function<bool(std::uint32_t, std::uint32_t, Row)> onPrefetch = [](auto, auto, auto) {
    return false;
  };
  std::function<void(std::uint32_t, std::uint32_t, std::span<const std::byte>)> onTake =
      [](auto, auto, auto) {};
  std::vector<std::string> calls;
  std::vector<std::vector<std::byte>> printed;

  void fetch(std::uint32_t stream, std::uint32_t replica, Row row) override {
    note("fetch", stream, replica);
    onFetch(stream, replica, row);
  }
  bool prefetch(std::uint32_t stream, std::uint32_t replica, Row row) override {
    note("prefetch", stream, replica);
    return onPrefetch(stream, replica, row);
  }
  void complete(std::uint32_t stream, std::uint32_t replica) override {
    note("complete", stream, replica);
  }
  void take(std::uint32_t stream, std::uint32_t replica, Row row) override {
    note("take", stream, replica);
    onTake(stream, replica, row);
  }
  void invalidatePrefetched(std::uint32_t stream, std::uint32_t replica) override {
    note("invalidate", stream, replica);
  }
  void print(std::uint32_t tensor, std::uint32_t replica, std::span<const std::byte> row) override {
    note("print", tensor, replica);
    printed.emplace_back(row.begin(), row.end());
  }

private:
  void note(const char *what, std::uint32_t which, std::uint32_t replica) {
    const std::lock_guard lock(mutex_); // if a call does not return, another thread continues
    calls.push_back(std::string(what) + " " + std::to_string(which) + "/" +
                    std::to_string(replica));
  }

  std::mutex mutex_;
};

/// Returns words as rows.
inline std::span<const std::byte> bytesOf(const std::vector<std::uint32_t> &words) {
  return std::as_bytes(std::span(words));
}
inline std::span<std::byte> bytesOf(std::vector<std::uint32_t> &words) {
  return std::as_writable_bytes(std::span(words));
}
inline void setWord(std::span<std::byte> row, std::uint32_t word) {
  std::memcpy(row.data(), &word, sizeof word);
}
inline std::uint32_t wordOf(std::span<const std::byte> row) {
  std::uint32_t word = 0;
  std::memcpy(&word, row.data(), sizeof word);
  return word;
}

} // namespace copse::test
