#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace copse::disk_cache {

/// Computes the SHA-256 of bytes that arrive in parts.
class Digest {
public:
  Digest();
  ~Digest();
  Digest(Digest &&) noexcept;
  Digest &operator=(Digest &&) noexcept;
  void add(std::span<const std::byte> bytes);
  void add(std::string_view text);
  /// Returns the hash in hexadecimal; nothing can be added afterwards.
  std::string finish();

private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Returns the SHA-256 in hexadecimal.
std::string sha256(std::span<const std::byte> bytes);
std::string sha256(std::string_view text);
/// Hashes several texts, including where each of them ends.
std::string sha256(const std::vector<std::string> &texts);

} // namespace copse::disk_cache
