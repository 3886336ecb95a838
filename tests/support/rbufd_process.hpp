#pragma once

#include "child_process.hpp"

#include "remote_buffers/client.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

/// Fixtures for tests of the program rbufd. The build defines COPSE_RBUFD_PATH.
namespace copse::test {

using Bytes = std::vector<std::byte>;

inline Bytes bytesOf(int value, std::size_t count) {
  return Bytes(count, static_cast<std::byte>(value));
}

/// A running rbufd, and stores that it serves.
class Rbufd {
public:
  /// \param before  a command that ends by running the words after it
  explicit Rbufd(std::vector<std::string> arguments, std::vector<std::string> before = {}) {
    before.emplace_back(COPSE_RBUFD_PATH);
    arguments.insert(arguments.begin(), before.begin(), before.end());
    arguments.insert(arguments.end(), {"--log-level", "off"});
    process_ = std::make_unique<ChildProcess>(std::move(arguments));
    EXPECT_TRUE(process_->waitForOutput("\n", std::chrono::seconds(10))) << process_->errors();
    const auto line = nlohmann::json::parse(process_->output(), nullptr, false);
    EXPECT_TRUE(line.is_object()) << process_->output();
    endpoint_ = line.value("endpoint", "");
    metrics_ = line.value("metrics", "");
    EXPECT_EQ(line.value("pid", 0), process_->pid());
  }

  ChildProcess &process() { return *process_; }
  const std::string &endpoint() const { return endpoint_; }
  const std::string &metrics() const { return metrics_; }
  remote_buffers::ClientOptions as(const std::string &store) const {
    return {endpoint_, store, std::chrono::milliseconds(5000)};
  }
  remote_buffers::RemoteBufferStore open(std::vector<remote_buffers::BufferShape> shapes,
                                         std::uint32_t replicas = 1,
                                         const std::string &name = "prog") const {
    auto store = remote_buffers::openRemote(as(name), std::move(shapes), replicas);
    if (!store)
      throw std::runtime_error(store.status().message);
    return std::move(*store);
  }

private:
  std::unique_ptr<ChildProcess> process_;
  std::string endpoint_, metrics_;
};

} // namespace copse::test
