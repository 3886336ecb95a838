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

/// The header frame of every message between two ipuds. PROTOCOL.md explains each message.
namespace copse::wire {

inline constexpr std::uint16_t kProtocolVersion = 2;
/// Virtual channels of a link. Each has its own window, so that a torus cannot deadlock.
inline constexpr std::size_t kChannels = 2;
/// The longest header frame that is accepted [bytes].
inline constexpr std::size_t kMaxHeaderBytes = 16 * 1024;
/// The longest error text in a header; longer texts are cut [bytes].
inline constexpr std::size_t kMaxStatusText = 8 * 1024;

/// The state of one virtual channel of the reverse direction, reported by its receiver.
struct Received {
  std::uint64_t expected = 0; ///< all packets below this sequence number have arrived
  /// All packets below this one have left their buffer, which gives credits to the sender.
  std::uint64_t consumed = 0;
  /// If above expected: [expected, held) is missing, and packet held has arrived.
  std::uint64_t held = 0;
  friend bool operator==(const Received &, const Received &) = default;
};

/// A packet; its raw frame is for IPU `destination`.
struct Packet {
  IpuId source, destination;
  std::uint32_t tag = 0;
  std::uint8_t channel = 0; ///< below kChannels
  friend bool operator==(const Packet &, const Packet &) = default;
};
/// An acknowledgement without content of its own: every header reports the state of its channels.
struct Ack {
  friend bool operator==(const Ack &, const Ack &) = default;
};
/// Requests an immediate Ack.
struct Probe {
  std::array<std::uint64_t, kChannels> next{}; ///< sequence number of the next new packet
  friend bool operator==(const Probe &, const Probe &) = default;
};
/// Tells the receiver that the sender cannot work with it.
struct Fault {
  Code code = Code::Internal;
  std::string text;
  friend bool operator==(const Fault &, const Fault &) = default;
};
/// Stands for a header of another protocol version, whose content this build cannot read.
struct Foreign {
  friend bool operator==(const Foreign &, const Foreign &) = default;
};
/// Reports that a member is at its sync point, or has failed (`failure` is not Ok).
struct SyncArrive {
  SyncGroup group = SyncGroup::GS1;
  Cycles time;
  Status failure;
  std::uint32_t step = 0; ///< step of the control program; equal for all members of a sync point
};
/// Reports that all members have arrived, or that one has failed (`failure` is not Ok).
struct SyncLeave {
  SyncGroup group = SyncGroup::GS1;
  Cycles time;
  Status failure;
};

/// The first frame of every message between two IPUs: its sender and receiver, its number, and its
/// kind. A raw frame of `payloadBytes` bytes may follow (PROTOCOL.md, section 2).
struct Envelope {
  std::uint16_t version = kProtocolVersion;
  std::uint32_t epoch = 0;
  IpuId from, to; ///< the two ends of the link
  std::uint64_t sequence = 0;
  std::uint64_t payloadBytes = 0;
  std::uint64_t payloadCheck = 0; ///< payloadHash() of the raw frame; 0: not computed
  std::array<Received, kChannels> channels{};
  std::variant<Ack, Packet, Probe, Fault, Foreign, SyncArrive, SyncLeave> body;
};

/// Encodes \p envelope as a header frame.
std::vector<std::byte> encode(const Envelope &envelope);

/// Reads a header frame, which may be arbitrary bytes. A header of another version is read as
/// Foreign, with only version, from and to set.
/// \returns BadFrame if the frame is not a header, or has a value that the protocol does not allow
Result<Envelope> decodeEnvelope(std::span<const std::byte> frame);

/// Returns a hash that detects accidental damage to a payload, but not a deliberate change: XXH3
/// (64 bits, seed 0), with 0 replaced by 1.
std::uint64_t payloadHash(std::span<const std::byte> payload);

} // namespace copse::wire
