#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace copse::test {

/// Messages of attackers, or from faulty connections: noise, and real messages that are cut or
/// whose bits are flipped. They are the same in every run.
class HostileMessages {
public:
  /// \param real  frames that the receiver would understand
  explicit HostileMessages(std::vector<std::string> real, std::uint32_t seed = 7)
      : random_(seed), real_(std::move(real)) {}
  /// Converts the output of encoders.
  static std::string asText(const std::vector<std::byte> &frame) {
    return {reinterpret_cast<const char *>(frame.data()), frame.size()};
  }

  std::uint32_t number(std::uint32_t below) {
    return static_cast<std::uint32_t>(random_() % below);
  }

  std::string frame() {
    if (number(3) == 0)
      return noise(300);
    std::string bytes = real_[number(static_cast<std::uint32_t>(real_.size()))];
    if (number(2) == 0)
      bytes.resize(random_() % bytes.size());
    else
      for (std::uint32_t flips = 1 + number(4); flips > 0; --flips)
        bytes[random_() % bytes.size()] ^= static_cast<char>(1U << number(8));
    return bytes;
  }
  std::string noise(std::uint32_t most) {
    std::string bytes(number(most), '\0');
    std::generate(bytes.begin(), bytes.end(), [this] { return static_cast<char>(random_()); });
    return bytes;
  }

private:
  std::mt19937 random_;
  std::vector<std::string> real_;
};

} // namespace copse::test
