#pragma once

#include "feed.hpp"
#include "stream_call.hpp"

#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace copse::test {

/// Writes down which calls came; has \p ahead rows to give to prefetch().
class CountingHandler : public session::StreamHandler {
public:
  int ahead = 1'000;
  std::vector<std::string> calls;

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

/// Makes the calls of a feed one after another, on request.
class CallMaker {
public:
  explicit CallMaker(session::StreamHandler &handler) : handler_(handler) {}

  const session::StartCall start = [this](std::shared_ptr<session::StreamCall> call) {
    begun_.push_back(std::move(call));
  };
  /// Makes all calls that are due, and those that follow from them.
  void makeAll(session::Feed &feed) {
    for (; !begun_.empty(); begun_.pop_front()) {
      begun_.front()->invoke(handler_);
      feed.ended();
    }
  }

private:
  session::StreamHandler &handler_;
  std::deque<std::shared_ptr<session::StreamCall>> begun_;
};

} // namespace copse::test
