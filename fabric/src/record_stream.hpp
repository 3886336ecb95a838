#pragma once

#include "record_cipher.hpp"

#include "fabric/frames.hpp"
#include "wire/envelope.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <sys/uio.h>

namespace copse::fabric {

/// Turns messages of one or two frames into encrypted records (PROTOCOL.md, section 2), piece by
/// piece, so that each piece is still in the processor's cache when it goes to the socket.
///
/// Thread: one at a time.
class RecordWriter {
public:
  explicit RecordWriter(const RecordKey &key);

  /// Returns true if some of the given bytes have not been taken.
  bool busy() const { return taken_ < filled_ || !frames_.empty(); }
  /// Gives the next message. Only if not busy().
  void put(Frames frames);
  /// Returns the next bytes to send; empty if all have been taken.
  std::span<const std::byte> pending();
  void took(std::size_t bytes) { taken_ += bytes; }

private:
  void append(std::span<const std::byte> plain);
  void endRecord();
  void appendRecord(std::span<const std::byte> plain);
  void appendPayload();

  RecordCipher cipher_;
  Frames frames_;
  std::size_t encrypted_ = 0;          ///< bytes of the payload
  std::unique_ptr<std::byte[]> piece_; ///< what goes to the socket now
  std::size_t taken_ = 0, filled_ = 0; ///< bytes of it
};

/// Turns the bytes of a RecordWriter into messages again. Uses no byte of a record before the
/// record's tag is verified. A peer without the key therefore cannot make this class allocate
/// memory.
///
/// Thread: one at a time.
class RecordReader {
public:
  using OnMessage = std::function<void(Frames)>;

  explicit RecordReader(const RecordKey &key);

  /// Returns the memory for the next bytes of the stream, the first part first.
  std::array<iovec, 2> space();
  /// Processes bytes that were put there.
  /// \returns false if the other end has not encrypted these bytes; nothing that follows can be
  ///   read then
  bool put(std::size_t bytes, const OnMessage &onMessage);

private:
  enum class Stage { Lengths, Header, Payload, Tag };
  bool readOn(const OnMessage &onMessage);
  bool readLengths();
  bool readHeader(const OnMessage &onMessage);
  void readPayload();
  void decryptPayload();
  bool readTag(const OnMessage &onMessage);
  bool decryptRecord(std::size_t bytes);
  void deliver(const OnMessage &onMessage);
  std::size_t bytesWanted() const;
  std::size_t buffered() const { return filled_ - used_; }
  bool inPayload() const { return stage_ == Stage::Payload; }
  std::byte *payload() { return static_cast<std::byte *>(payload_.data()); }

  RecordCipher cipher_;
  Stage stage_ = Stage::Lengths;
  std::size_t headerBytes_ = 0, payloadBytes_ = 0;
  Frames frames_;
  zmq::message_t payload_;
  std::size_t arrived_ = 0, decrypted_ = 0; ///< bytes of the payload
  std::array<std::byte, 2 * wire::kMaxHeaderBytes> buffer_;
  std::size_t used_ = 0, filled_ = 0; ///< used and filled bytes of the buffer
};

} // namespace copse::fabric
