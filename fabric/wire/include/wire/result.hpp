#pragma once

#include <cassert>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>

namespace copse::wire {

/// The kind of a failure, by which a caller decides what to do about it; the message says what happened.
enum class Code : std::uint8_t {
  Ok = 0,
  Timeout = 1,        ///< a deadline passed: reset and try again
  Disconnected = 2,   ///< a peer or a link is gone: reset and try again
  Cancelled = 3,      ///< someone else failed first, or stop was asked for
  BadFrame = 4,       ///< a peer sent what the protocol does not allow
  VertexFault = 5,    ///< the user's codelet faulted, or the user's program did something forbidden
  OutOfMemory = 6,    ///< tile memory, host memory or disk is full
  InvalidImage = 7,   ///< an image cannot be loaded here
  HostFault = 8,      ///< a stream callback or another part of the host program failed
  NotFound = 9,       ///< a name or number that does not exist
  InvalidOption = 10, ///< an option or a configuration value that makes no sense
  Internal = 11,      ///< a bug of ours that was noticed
  Held = 12,          ///< another host program holds what is asked for: try again when it has ended
  MemoryError = 13,   ///< a word of tile memory has a parity error: reset the IPU, then load again
};

/// Success, or why not. `message` says what, where and what to do; it starts in lower case, no full
/// stop.
struct [[nodiscard]] Status {
  Code code = Code::Ok;
  std::string message;

  bool ok() const { return code == Code::Ok; }
  static Status success() { return {}; }
  friend bool operator==(const Status &, const Status &) = default;
};

/// Either a T or the Status that says why there is none.
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
  /// The failure; success when there is a value.
  Status status() const { return ok() ? Status::success() : std::get<1>(state_); }

private:
  std::variant<T, Status> state_;
};

} // namespace copse::wire
