#pragma once

#include "packet.hpp"

#include <cstdint>
#include <deque>
#include <map>

namespace copse::fabric {

/// The inbound half of one virtual channel of a link: puts packets into their order, each once, and
/// holds them until the node has passed them on.
class ReceiveWindow {
public:
  explicit ReceiveWindow(std::uint32_t packets) : packets_(packets) {}

  enum class Verdict { Ready, Early, Repeat, Beyond };
  /// Takes a packet unless the verdict is Repeat or Beyond (it lies beyond the window). An Early
  /// packet waits until all packets before it have arrived.
  Verdict accept(std::uint64_t sequence, Packet packet);

  bool ready() const { return !ready_.empty(); }
  /// Returns the next packet in order. Only if ready().
  Packet &front() { return ready_.front(); }
  void pop();

  /// Records that the peer has sent all sequences below \p next: those that did not arrive are
  /// missing.
  void probed(std::uint64_t next);

  bool gap() const { return held() > expected_; }
  wire::Received state() const { return {expected_, consumed_, gap() ? held() : 0}; }
  std::uint64_t expected() const { return expected_; }

private:
  std::uint64_t held() const;

  std::uint32_t packets_;
  std::deque<Packet> ready_;              // [consumed_, expected_)
  std::map<std::uint64_t, Packet> early_; // by sequence, all above expected_
  std::uint64_t expected_ = 0, consumed_ = 0;
  std::uint64_t peerSent_ = 0; // the peer has sent all sequences below
};

} // namespace copse::fabric
