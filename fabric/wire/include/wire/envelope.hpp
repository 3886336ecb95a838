#pragma once

#include "wire/ids.hpp"
#include "wire/result.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

/// The header frame of every message between two ipuds. What each message means: PROTOCOL.md.
namespace copse::wire {

inline constexpr std::uint16_t kProtocolVersion = 2;
/// Virtual channels of a link, each with its own window, so that a torus cannot deadlock.
inline constexpr std::size_t kChannels = 2;
/// Longest header frame that is read at all [bytes].
inline constexpr std::size_t kMaxHeaderBytes = 16 * 1024;
/// Longest error text that a header carries; longer ones are cut [bytes].
inline constexpr std::size_t kMaxStatusText = 8 * 1024;

/// One virtual channel of the reverse direction, as its receiver sees it.
struct Received {
  std::uint64_t expected = 0; ///< all sequences below this one have come
  std::uint64_t consumed = 0; ///< all below this one have left their buffer: the sender's credits
  std::uint64_t held = 0;     ///< if above expected: [expected, held) is missing and held has come
  friend bool operator==(const Received &, const Received &) = default;
};

/// A packet: the raw frame is for IPU `destination`.
struct Packet {
  IpuId source, destination;
  std::uint32_t tag = 0;
  std::uint8_t channel = 0; ///< below kChannels
  friend bool operator==(const Packet &, const Packet &) = default;
};
/// Nothing but what every header says of its channels.
struct Ack {
  friend bool operator==(const Ack &, const Ack &) = default;
};
/// Asks for an Ack now.
struct Probe {
  std::array<std::uint64_t, kChannels> next{}; ///< sequence of the next new packet
  friend bool operator==(const Probe &, const Probe &) = default;
};
/// The sender cannot work with the receiver.
struct Fault {
  Code code = Code::Internal;
  std::string text;
  friend bool operator==(const Fault &, const Fault &) = default;
};
/// Whatever a header of another protocol version says: nothing that this build could read.
struct Foreign {
  friend bool operator==(const Foreign &, const Foreign &) = default;
};
/// A member is at its sync point, or has failed (`failure` is not Ok).
struct SyncArrive {
  SyncGroup group = SyncGroup::GS1;
  Cycles time;
  Status failure;
  std::uint32_t step = 0; ///< of the control program; the same for all members of a sync point
};
/// All members are there, or one has failed (`failure` is not Ok).
struct SyncLeave {
  SyncGroup group = SyncGroup::GS1;
  Cycles time;
  Status failure;
};

struct Envelope {
  std::uint16_t version = kProtocolVersion;
  std::uint32_t epoch = 0;
  IpuId from, to; ///< the two ends of the wire
  std::uint64_t sequence = 0;
  std::uint64_t payloadBytes = 0;
  std::uint64_t payloadCheck = 0; ///< payloadHash() of the raw frame; 0: not computed
  std::array<Received, kChannels> channels{};
  std::variant<Ack, Packet, Probe, Fault, Foreign, SyncArrive, SyncLeave> body;
};

/// The header frame of \p envelope.
std::vector<std::byte> encode(const Envelope &envelope);

/// Reads a header frame, which may be any bytes from anywhere.
/// A header of another version is read as Foreign: only version, from and to are set.
/// \returns the envelope; or BadFrame: not a header, or one with a value that the protocol does not
/// allow
Result<Envelope> decodeEnvelope(std::span<const std::byte> frame);

/// Hash of a payload against damage on the way, not against malice: XXH3 (64 bits, seed 0), or 1
/// where that is 0.
std::uint64_t payloadHash(std::span<const std::byte> payload);

} // namespace copse::wire
