#include "datagram_path.hpp"

#include "messages_per_turn.hpp"

#include <cstdint>
#include <cstring>
#include <utility>

namespace copse::fabric {
namespace {

constexpr const char *kSuffix = ".short";

/// Stands first in a datagram: where the first frame ends and the second begins.
using HeaderBytes = std::uint32_t;

std::string pathBeside(const Endpoint &endpoint) { return endpoint.place() + kSuffix; }

iovec partOf(const void *data, std::size_t bytes) { return {const_cast<void *>(data), bytes}; }

} // namespace

DatagramPath::~DatagramPath() {
  if (descriptor_.is_open())
    descriptor_.release();
}

void DatagramPath::bind(const Endpoint &endpoint) {
  if (endpoint.transport() != TransportKind::Ipc)
    return;
  inbox_ = DatagramInbox::bind(pathBeside(endpoint));
  if (inbox_)
    descriptor_.assign(inbox_->descriptor());
}

void DatagramPath::watch(OnMessage onMessage) {
  onMessage_ = std::move(onMessage);
  if (inbox_)
    awaitNext();
}

void DatagramPath::connect(wire::IpuId neighbour, const Endpoint &endpoint) {
  senders_.erase(neighbour);
  if (endpoint.transport() != TransportKind::Ipc)
    return;
  if (auto sender = DatagramSender::connect(pathBeside(endpoint)))
    senders_[neighbour] = std::move(sender);
}

bool DatagramPath::send(wire::IpuId neighbour, const Frames &frames) {
  const auto sender = senders_.find(neighbour);
  if (sender == senders_.end() || frames.size() > 2)
    return false;
  const auto headerBytes = static_cast<HeaderBytes>(frames.front().size());
  std::array<iovec, 3> parts{partOf(&headerBytes, sizeof headerBytes)};
  std::size_t count = 1, bytes = sizeof headerBytes;
  for (const zmq::message_t &frame : frames) {
    parts[count++] = partOf(frame.data(), frame.size());
    bytes += frame.size();
  }
  return bytes <= kMaxBytes && sender->second->send(std::span(parts).first(count)) == Sent::Ok;
}

void DatagramPath::receiveAll() {
  for (int handled = 0; inbox_ && handled < kMessagesPerTurn; ++handled) {
    const auto bytes = inbox_->receive(buffer_);
    if (!bytes)
      return;
    onMessage_(split(*bytes));
  }
}

void DatagramPath::awaitNext() {
  descriptor_.async_wait(asio::posix::stream_descriptor::wait_read,
                         [this](const asio::error_code &error) {
                           if (error)
                             return;
                           receiveAll();
                           awaitNext();
                         });
}

/// A datagram that is no message becomes an empty frame, which the receiver counts.
Frames DatagramPath::split(std::size_t bytes) const {
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
