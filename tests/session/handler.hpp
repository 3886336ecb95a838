#pragma once

#include "callbacks.hpp"

#include <memory>
#include <string>
#include <vector>

namespace copse::test {

/// Writes down which calls came; has \p ahead rows to give to prefetch(). All calls are made at
/// once.
class CountingHandler : public session::StreamHandler {
public:
  int ahead = 1'000;
  std::vector<std::string> calls;
  session::Callbacks callbacks{std::make_shared<session::CallThreads>([] {}), *this, *this, false};

  bool mayWait(Call, std::uint32_t, std::uint32_t) const override { return false; }
  void fetch(std::uint32_t, std::uint32_t, std::span<std::byte>) override {
    calls.emplace_back("fetch");
  }
  bool prefetch(std::uint32_t, std::uint32_t, std::span<std::byte>) override {
    calls.emplace_back("prefetch");
    return ahead-- > 0;
  }
  void complete(std::uint32_t, std::uint32_t) override { calls.emplace_back("complete"); }
  void take(std::uint32_t, std::uint32_t, std::span<std::byte>) override {}
  void invalidatePrefetched(std::uint32_t, std::uint32_t) override {}
  void print(std::uint32_t, std::uint32_t, std::span<const std::byte>) override {}
};

} // namespace copse::test
