#include "stream_call.hpp"

namespace copse::session {

void StreamCall::invoke(StreamHandler &handler) {
  const std::span<std::byte> bytes(row.data(), row.size());
  handler.calledAt(moment);
  switch (kind) {
  case Kind::Fetch:
    return handler.fetch(stream, replica, bytes);
  case Kind::Prefetch:
    filled = handler.prefetch(stream, replica, bytes);
    return;
  case Kind::Complete:
    return handler.complete(stream, replica);
  case Kind::Take:
    return handler.take(stream, replica, bytes);
  case Kind::Print:
    return handler.print(stream, replica, bytes);
  }
}

const char *StreamCall::name() const {
  switch (kind) {
  case Kind::Prefetch:
    return "prefetch";
  case Kind::Complete:
    return "complete";
  case Kind::Print:
    return "print";
  case Kind::Fetch:
  case Kind::Take:
    break;
  }
  return "fetch";
}

} // namespace copse::session
