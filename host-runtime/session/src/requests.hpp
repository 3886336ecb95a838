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

/// Sends requests to several IPUs, and collects the answers.
///
/// Thread: one at a time, the one that calls the hub's next().
class Requests {
public:
  explicit Requests(Hub &hub) : hub_(hub) {}

  /// Sets the number of this host program's first IPU in messages; earlier IPUs belong to others.
  void nameFrom(std::uint32_t firstIpu) { firstIpu_ = firstIpu; }

  /// Handles messages that are not answers.
  using OnOther = std::function<void(std::uint32_t ipu, ipud::SessionMessage)>;
  /// Called as soon as an IPU has failed or was lost.
  using OnFailure = std::function<void(std::uint32_t ipu)>;

  struct Answer {
    wire::Status status; ///< result: Ok, the IPU's Fault, or why the IPU was lost
    ipud::SessionMessage message;
  };

  /// An IPU answers questions about itself at once, so a missing answer will not come later.
  static constexpr std::chrono::seconds kAnswerTimeout{30};
  /// Sends the orders and waits for all answers. IPUs that do not answer in time are lost.
  /// \param onAnswer  called before each step of the wait; may be empty
  /// \returns verdict()
  wire::Status ask(std::vector<Order> orders, std::chrono::milliseconds timeout = kAnswerTimeout,
                   const std::function<void()> &onAnswer = {});

  /// Sends the orders; answers() has the results.
  void send(std::vector<Order> orders);
  /// Returns the number of unanswered orders.
  std::size_t pending() const { return waiting_.size(); }
  /// Handles one event, or none if none arrives before \p deadline.
  /// \returns true if there was an event; false at the deadline, or after Hub::nudge() if \p
  ///   heedsNudges
  bool step(std::chrono::steady_clock::time_point deadline, const OnOther &onOther = {},
            const OnFailure &onFailure = {}, bool heedsNudges = false);
  /// Declares all IPUs lost that have not answered yet.
  void loseAllPending(const wire::Status &why);

  /// Returns the answers to the last send(), in its order.
  std::vector<Answer> &answers() { return answers_; }
  /// Returns the IPU of answers()[i].
  std::uint32_t ipuOf(std::size_t answer) const { return ipus_[answer]; }
  bool answered(std::size_t answer) const;

  /// Returns the lost IPUs, with reasons. found() removes an IPU that was replaced.
  const std::map<std::uint32_t, wire::Status> &lost() const { return lost_; }
  void found(std::uint32_t ipu);

  /// Returns the most significant failure among the answers, as a message for people: of the IPU
  /// that died first, else of one that failed by itself, else of one that was stopped because of
  /// another. Ok if all succeeded.
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
  std::vector<std::size_t> failures_; ///< indices of answers, in order of arrival
  std::map<std::uint32_t, wire::Status> lost_;
  std::vector<std::uint32_t> lostInOrder_; ///< keys of lost_; the first one is the cause
};

} // namespace copse::session
