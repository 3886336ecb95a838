#include "short_messages.hpp"

#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>

namespace copse::fabric {
namespace {

constexpr std::string_view kScheme = "ipc://", kSuffix = ".short";
// Handled before the loop looks at its timers and other sockets again.
constexpr int kMessagesPerTurn = 64;

/// Stands first in a datagram: where the first frame ends and the second begins.
using HeaderBytes = std::uint32_t;

/// \returns nothing if the endpoint is not of ipc
std::string pathBeside(const std::string &endpoint) {
  if (endpoint.rfind(kScheme, 0) != 0)
    return {};
  return endpoint.substr(kScheme.size()) + std::string(kSuffix);
}

iovec partOf(const void *data, std::size_t bytes) { return {const_cast<void *>(data), bytes}; }

} // namespace

ShortMessages::~ShortMessages() {
  if (descriptor_.is_open())
    descriptor_.release();
}

void ShortMessages::bind(const std::string &endpoint) {
  inbox_ = DatagramInbox::bind(pathBeside(endpoint));
  if (inbox_)
    descriptor_.assign(inbox_->descriptor());
}

void ShortMessages::watch(OnMessage onMessage) {
  onMessage_ = std::move(onMessage);
  if (inbox_)
    await();
}

void ShortMessages::connect(wire::IpuId neighbour, const std::string &endpoint) {
  ways_.erase(neighbour);
  if (auto way = DatagramWay::connect(pathBeside(endpoint)))
    ways_[neighbour] = std::move(way);
}

bool ShortMessages::send(wire::IpuId neighbour, const Frames &frames) {
  const auto way = ways_.find(neighbour);
  if (way == ways_.end() || frames.size() > 2)
    return false;
  const auto headerBytes = static_cast<HeaderBytes>(frames.front().size());
  std::array<iovec, 3> parts{partOf(&headerBytes, sizeof headerBytes)};
  std::size_t count = 1, bytes = sizeof headerBytes;
  for (const zmq::message_t &frame : frames) {
    parts[count++] = partOf(frame.data(), frame.size());
    bytes += frame.size();
  }
  return bytes <= kMostBytes && way->second->send(std::span(parts).first(count)) == Sent::Ok;
}

void ShortMessages::receiveAll() {
  for (int handled = 0; inbox_ && handled < kMessagesPerTurn; ++handled) {
    const auto bytes = inbox_->receive(buffer_);
    if (!bytes)
      return;
    onMessage_(split(*bytes));
  }
}

void ShortMessages::await() {
  descriptor_.async_wait(asio::posix::stream_descriptor::wait_read,
                         [this](const asio::error_code &error) {
                           if (error)
                             return;
                           receiveAll();
                           await();
                         });
}

/// What is no such message becomes an empty frame: it is for the receiver to count it.
Frames ShortMessages::split(std::size_t bytes) const {
  HeaderBytes headerBytes = 0;
  Frames frames;
  if (bytes >= sizeof headerBytes)
    std::memcpy(&headerBytes, buffer_.data(), sizeof headerBytes);
  if (bytes < sizeof headerBytes || bytes > buffer_.size() ||
      headerBytes > bytes - sizeof headerBytes) {
    frames.emplace_back();
    return frames;
  }
  const std::byte *const header = buffer_.data() + sizeof headerBytes;
  frames.emplace_back(header, headerBytes);
  if (const std::size_t rest = bytes - sizeof headerBytes - headerBytes; rest > 0)
    frames.emplace_back(header + headerBytes, rest);
  return frames;
}

} // namespace copse::fabric
