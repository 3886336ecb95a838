#pragma once

#include "hub.hpp"

#include "ipud/session_message.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <vector>

namespace copse::session {

/// A request to one IPU.
struct Order {
  std::uint32_t ipu = 0;
  wire::session::Body body;
  std::vector<fabric::Payload> payloads;
};

/// Orders to several IPUs, and their answers.
///
/// Thread: one at a time, that of the hub's next().
class Requests {
public:
  explicit Requests(Hub &hub) : hub_(hub) {}

  /// Messages name the IPUs from this number on: other host programs have those before it.
  void nameFrom(std::uint32_t firstIpu) { firstIpu_ = firstIpu; }

  /// What comes meanwhile and is no answer.
  using OnOther = std::function<void(std::uint32_t ipu, ipud::SessionMessage)>;
  /// Told as soon as an IPU has failed or was lost.
  using OnFailure = std::function<void(std::uint32_t ipu)>;

  struct Answer {
    wire::Status status; ///< of the order: Ok, the IPU's Fault, or why the IPU was lost
    ipud::SessionMessage message;
  };

  /// An IPU answers a question about itself at once; one that does not is not going to.
  static constexpr std::chrono::seconds kAnswerTimeout{30};
  /// Sends the orders and waits for all answers; IPUs that do not answer in time are lost.
  /// \param onAnswer  called before each step of the wait; may be empty
  /// \returns verdict()
  wire::Status ask(std::vector<Order> orders, std::chrono::milliseconds timeout = kAnswerTimeout,
                   const std::function<void()> &onAnswer = {});

  /// Sends the orders; answers() tells what became of each.
  void send(std::vector<Order> orders);
  /// Orders that are not answered yet.
  std::size_t pending() const { return waiting_.size(); }
  /// Handles one event, or none if none comes until \p deadline.
  /// \returns whether there was one; not at the deadline, or after Hub::nudge() if \p heedsNudges
  bool step(std::chrono::steady_clock::time_point deadline, const OnOther &onOther = {},
            const OnFailure &onFailure = {}, bool heedsNudges = false);
  /// Who has not answered yet does not any more: they count as lost.
  void giveUp(const wire::Status &why);

  /// Of the last send(), in its order.
  std::vector<Answer> &answers() { return answers_; }
  /// The IPU of answers()[i].
  std::uint32_t ipuOf(std::size_t answer) const { return ipus_[answer]; }
  bool answered(std::size_t answer) const;

  /// IPUs that are lost, and why; until found() says that another one is in its place.
  const std::map<std::uint32_t, wire::Status> &lost() const { return lost_; }
  void found(std::uint32_t ipu);

  /// The worst of the answers, said for people: that of an IPU that died, the first of those,
  /// before that of one that failed before those that were stopped for it. Ok when all are.
  wire::Status verdict() const;

private:
  void lose(std::uint32_t ipu, const wire::Status &why, const OnFailure &onFailure);
  wire::Status naming(std::uint32_t ipu, wire::Status status) const;
  wire::Status renumbered(std::uint32_t ipu, wire::Status lost) const;

  Hub &hub_;
  std::uint32_t firstIpu_ = 0;
  std::uint64_t nextRequest_ = 1;
  std::map<std::uint64_t, std::size_t> waiting_; ///< request -> index of its answer
  std::vector<Answer> answers_;
  std::vector<std::uint32_t> ipus_;
  std::vector<std::size_t> failures_; ///< indices of answers, in the order in which they came
  std::map<std::uint32_t, wire::Status> lost_;
  std::vector<std::uint32_t> lostInOrder_; ///< the keys of lost_: whoever was first is the cause
};

} // namespace copse::session
