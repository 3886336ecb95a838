#pragma once

#include "fabric/frames.hpp"

#include <zmq.hpp>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <utility>

namespace copse::test {

/// A faulty connection from a socket that pushes to endpoint() to a PULL socket. By seed, it drops,
/// repeats, swaps, delays and damages messages, and sometimes breaks for a while and loses all
/// messages in transit.
///
/// Thread: it has one of its own; any thread may read the counters.
class BadWire {
public:
  struct Options {
    unsigned seed = 1;
    unsigned chances = 14;     ///< one message in so many meets each misfortune; at least 6
    std::string cutWhile = {}; ///< nothing passes while there is a file of this name
  };

  BadWire(zmq::context_t &context, const std::string &to, Options options)
      : options_(std::move(options)), in_(context, zmq::socket_type::pull),
        out_(context, zmq::socket_type::push), random_(options_.seed), to_(to) {
    in_.set(zmq::sockopt::linger, 0);
    out_.set(zmq::sockopt::linger, 0);
    in_.bind("tcp://127.0.0.1:*");
    endpoint_ = in_.get(zmq::sockopt::last_endpoint);
    out_.connect(to_);
    thread_ = std::thread([this] { run(); });
  }
  ~BadWire() {
    ended_ = true;
    thread_.join();
  }
  const std::string &endpoint() const { return endpoint_; }

  std::atomic<unsigned> dropped{0}, repeated{0}, swapped{0}, damaged{0}, delayed{0}, cut{0};

private:
  void run() {
    while (!ended_) {
      zmq::pollitem_t item{in_.handle(), 0, ZMQ_POLLIN, 0};
      if (zmq::poll(&item, 1, std::chrono::milliseconds(5)) > 0)
        carry(receive());
      else
        release();
    }
  }

  fabric::Frames receive() {
    fabric::Frames frames;
    do {
      frames.emplace_back();
      (void)in_.recv(frames.back());
    } while (frames.back().more());
    return frames;
  }

  void carry(fabric::Frames frames) {
    if (isCut())
      return;
    switch (random_() % options_.chances) {
    case 0:
      ++dropped;
      return;
    case 1:
      ++repeated;
      send(frames);
      send(frames);
      break;
    case 2:
      ++swapped;
      release();
      held_ = std::move(frames);
      return;
    case 3:
      ++damaged;
      damage(frames);
      send(frames);
      break;
    case 4:
      ++delayed;
      std::this_thread::sleep_for(std::chrono::milliseconds(3));
      send(frames);
      break;
    case 5:
      if (random_() % 4 == 0)
        return cutOff();
      [[fallthrough]];
    default:
      send(frames);
    }
    release();
  }

  void cutOff() {
    ++cut;
    out_.disconnect(to_);
    held_.clear();
    cutUntil_ = std::chrono::steady_clock::now() + std::chrono::milliseconds(10);
  }

  bool isCut() {
    if (!options_.cutWhile.empty() && std::filesystem::exists(options_.cutWhile))
      return true;
    if (!cutUntil_)
      return false;
    if (std::chrono::steady_clock::now() < *cutUntil_)
      return true;
    cutUntil_.reset();
    out_.connect(to_);
    return false;
  }

  void release() {
    if (!held_.empty())
      send(std::exchange(held_, {}));
  }

  // Makes a frame of its own, because ZeroMQ may share the bytes with the sender's copy.
  void damage(fabric::Frames &frames) {
    zmq::message_t &frame = frames[random_() % frames.size()];
    zmq::message_t copy(frame.data(), frame.size());
    static_cast<unsigned char *>(copy.data())[random_() % copy.size()] ^= 1 << random_() % 8;
    frame = std::move(copy);
  }

  void send(fabric::Frames &frames) {
    if (isCut())
      return;
    for (std::size_t i = 0; i < frames.size(); ++i)
      out_.send(zmq::message_t(frames[i].data(), frames[i].size()),
                i + 1 < frames.size() ? zmq::send_flags::sndmore : zmq::send_flags::none);
  }
  void send(fabric::Frames &&frames) { send(frames); }

  const Options options_;
  zmq::socket_t in_, out_;
  std::mt19937 random_;
  std::string to_, endpoint_;
  std::optional<std::chrono::steady_clock::time_point> cutUntil_;
  fabric::Frames held_;
  std::atomic<bool> ended_{false};
  std::thread thread_;
};

} // namespace copse::test
