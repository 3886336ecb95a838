#pragma once

#include "wire/result.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

/// The header frame of every message between a host program and the daemon rbufd. ROWS.md explains
/// each message.
namespace copse::wire::rows {

inline constexpr std::uint16_t kVersion = 1;
/// The longest header frame that is accepted [bytes].
inline constexpr std::size_t kMaxHeaderBytes = 16 * 1024 * 1024;

struct BufferShape {
  std::string handle; ///< identifies the buffer, also in messages
  std::uint64_t rowBytes = 0;
  std::uint64_t rows = 1; ///< per replica
  friend bool operator==(const BufferShape &, const BufferShape &) = default;
};

/// A range of bytes of one row.
struct RowPart {
  std::uint64_t row = 0;
  std::uint64_t offset = 0, bytes = 0; ///< within the row
  friend bool operator==(const RowPart &, const RowPart &) = default;
};

// Host to rbufd.

/// Opens the buffers of a store and creates those that are missing. Answered by Opened or Fault.
struct Open {
  std::string name;
  std::uint32_t replicas = 1;
  std::vector<BufferShape> buffers;
  friend bool operator==(const Open &, const Open &) = default;
};

/// Names the rows of a buffer that a request reads or writes.
struct Access {
  std::uint64_t store = 0;  ///< from Opened
  std::uint32_t buffer = 0; ///< index into Open::buffers
  std::uint32_t replica = 0;
  std::vector<RowPart> parts;
  friend bool operator==(const Access &, const Access &) = default;
};
/// Requests rows. Answered by Rows, UnknownStore or Fault.
struct Read : Access {};
/// Writes rows; the raw frame contains the parts, one after another. Answered by Ok once they are
/// written, or by UnknownStore or Fault.
struct Write : Access {};
/// Requests the counters. Answered by Report.
struct Counters {
  friend bool operator==(const Counters &, const Counters &) = default;
};

// rbufd to host.

struct Opened {
  std::uint64_t store = 0;
  friend bool operator==(const Opened &, const Opened &) = default;
};
/// Answers Read; the raw frame contains the parts, one after another.
struct Rows {
  friend bool operator==(const Rows &, const Rows &) = default;
};
struct Ok {
  friend bool operator==(const Ok &, const Ok &) = default;
};
/// Says that rbufd was restarted since the store was opened.
struct UnknownStore {
  friend bool operator==(const UnknownStore &, const UnknownStore &) = default;
};
struct Counter {
  std::string name;
  std::uint64_t value = 0;
  friend bool operator==(const Counter &, const Counter &) = default;
};
struct Report {
  std::vector<Counter> counters;
  friend bool operator==(const Report &, const Report &) = default;
};
struct Fault {
  Status status;
};

using Body =
    std::variant<Ok, Open, Read, Write, Counters, Opened, Rows, UnknownStore, Report, Fault>;

struct Header {
  std::uint64_t request = 0;
  std::uint64_t payloadBytes = 0; ///< size of the raw frame that follows; 0: there is none
  Body body;
};

/// Encodes a header frame.
std::vector<std::byte> encode(const Header &header);

/// Decodes a header frame, which may be arbitrary bytes, aligned or not.
/// \returns BadFrame if the bytes are not a header of this version
Result<Header> decode(std::span<const std::byte> frame);

} // namespace copse::wire::rows
