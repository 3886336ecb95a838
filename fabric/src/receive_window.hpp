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
  /// Takes a packet unless it came before (Repeat) or is beyond what the window allows (Beyond). An
  /// Early one is kept until those before it have come.
  Verdict accept(std::uint64_t sequence, Packet packet);

  bool ready() const { return !ready_.empty(); }
  /// The next packet in order. Only if ready().
  Packet &front() { return ready_.front(); }
  void pop();

  /// The peer has sent all sequences below \p next: what did not come is missing.
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
  std::uint64_t peerSent_ = 0; // the peer says that all below this were sent
};

} // namespace copse::fabric
