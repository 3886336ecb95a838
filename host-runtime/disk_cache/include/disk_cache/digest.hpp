#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace copse::disk_cache {

/// SHA-256 of bytes that come in parts.
class Digest {
public:
  Digest();
  ~Digest();
  Digest(Digest &&) noexcept;
  Digest &operator=(Digest &&) noexcept;
  void add(std::span<const std::byte> bytes);
  void add(std::string_view text);
  /// In hexadecimal; nothing can be added after that.
  std::string finish();

private:
  struct State;
  std::unique_ptr<State> state_;
};

/// SHA-256 in hexadecimal.
std::string sha256(std::span<const std::byte> bytes);
std::string sha256(std::string_view text);
/// Of several texts, and of where one ends and the next begins.
std::string sha256(const std::vector<std::string> &texts);

} // namespace copse::disk_cache
