#pragma once

#include "wire/result.hpp"

#include <capnp/message.h>
#include <capnp/serialize.h>
#include <kj/exception.h>

#include <cstddef>
#include <cstring>
#include <exception>
#include <span>
#include <string>
#include <utility>
#include <vector>

/// Private to the codecs; all bytes from outside reach Cap'n Proto through readFrame().
namespace copse::wire {

/// Reads a Cap'n Proto flat array that may be arbitrary bytes. Copies it to aligned words (frames
/// from tcp are not aligned), calls \p read, and turns every exception of the reader into
/// Code::BadFrame.
///
/// \param what   names the message in errors: "header", "image"
/// \param words  traversal limit [8-byte words]: the total that \p read may visit, counting repeats
/// \param read   Result<T>(capnp::MessageReader &); must not keep references into the message
template <class Read>
auto readFrame(const char *what, std::span<const std::byte> frame, std::uint64_t words, Read &&read)
    -> decltype(read(std::declval<capnp::MessageReader &>())) {
  const auto bad = [what](const std::string &why) {
    return Status{Code::BadFrame, std::string("bad ") + what + ": " + why};
  };
  if (frame.empty() || frame.size() % sizeof(capnp::word) != 0)
    return bad(std::to_string(frame.size()) + " bytes are not whole words");
  auto aligned = kj::heapArray<capnp::word>(frame.size() / sizeof(capnp::word));
  std::memcpy(aligned.begin(), frame.data(), frame.size());
  capnp::ReaderOptions options;
  options.traversalLimitInWords = words;
  try {
    capnp::FlatArrayMessageReader reader(aligned, options);
    return read(static_cast<capnp::MessageReader &>(reader));
  } catch (const kj::Exception &exception) {
    return bad(exception.getDescription().cStr());
  } catch (const std::exception &exception) {
    return bad(exception.what());
  }
}

/// Returns \p message as a flat array that can be sent as a frame.
inline std::vector<std::byte> flatten(capnp::MessageBuilder &message) {
  const auto words = capnp::messageToFlatArray(message);
  const auto bytes = words.asBytes();
  std::vector<std::byte> frame(bytes.size());
  std::memcpy(frame.data(), bytes.begin(), bytes.size());
  return frame;
}

} // namespace copse::wire
