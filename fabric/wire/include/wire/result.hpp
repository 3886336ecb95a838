#pragma once

#include <cassert>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>

namespace copse::wire {

/// The kind of a failure. Callers decide by the code how to react; the message tells people what
/// happened.
enum class Code : std::uint8_t {
  Ok = 0,
  Timeout = 1,        ///< a deadline passed: reset and try again
  Disconnected = 2,   ///< a peer or a link is gone: reset and try again
  Cancelled = 3,      ///< another component failed first, or a stop was requested
  BadFrame = 4,       ///< a peer violated the protocol
  VertexFault = 5,    ///< the user's codelet faulted, or the user's program did something forbidden
  OutOfMemory = 6,    ///< tile memory, host memory or a disk is full
  InvalidImage = 7,   ///< an image cannot be loaded here
  HostFault = 8,      ///< a stream callback or another part of the host program failed
  NotFound = 9,       ///< a name or number that does not exist
  InvalidOption = 10, ///< an option or configuration value is invalid
  Internal = 11,      ///< a bug of ours was detected
  /// Another host program holds the requested resource: retry when it has ended.
  Held = 12,
  MemoryError = 13, ///< a word of tile memory has a parity error: reset the IPU, then load again
};

/// Success, or the reason for a failure. `message` says what happened, where, and what to do; it
/// starts in lower case and has no full stop.
struct [[nodiscard]] Status {
  Code code = Code::Ok;
  std::string message;

  bool ok() const { return code == Code::Ok; }
  static Status success() { return {}; }
  friend bool operator==(const Status &, const Status &) = default;
};

/// Either a T or the Status that says why there is no T.
template <class T> class [[nodiscard]] Result {
public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Status status) : state_(std::in_place_index<1>, std::move(status)) {
    assert(!std::get<1>(state_).ok());
  }

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }
  T &value() & {
    assert(ok());
    return std::get<0>(state_);
  }
  const T &value() const & {
    assert(ok());
    return std::get<0>(state_);
  }
  T &&value() && {
    assert(ok());
    return std::get<0>(std::move(state_));
  }
  T &operator*() & { return value(); }
  const T &operator*() const & { return value(); }
  T *operator->() { return &value(); }
  const T *operator->() const { return &value(); }
  /// Returns the failure, or success if there is a value.
  Status status() const { return ok() ? Status::success() : std::get<1>(state_); }

private:
  std::variant<T, Status> state_;
};

} // namespace copse::wire
