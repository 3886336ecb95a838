#include "peer_hosts.hpp"

#include "wire/ipu_names.hpp"
#include "wire/printable.hpp"

#include <algorithm>
#include <numeric>
#include <pthread.h>
#include <random>
#include <utility>

namespace copse::session {
namespace {

namespace message = wire::session;
using message::Share;
using message::ShareStage;
using wire::Code;
using wire::Status;
using namespace std::chrono_literals;

// A search begins with short pauses, because all host programs are often started at one time.
constexpr std::chrono::milliseconds kShortestPause{2}, kLongestPause{100};
// The longest wait for the nodes' announcements; a dead node must not delay the others.
constexpr std::chrono::milliseconds kReadTimeout{100};
// A host program that ends properly may be gone before all others know the end of its last run, so
// its note must be missing repeatedly.
constexpr unsigned kMissingOften = 2;
constexpr int kPollsPerLease = 8;
constexpr std::chrono::milliseconds kLongestPollInterval{250};

std::string replicasOf(const Share &share) {
  const std::string first = std::to_string(share.first), all = std::to_string(share.replicas);
  if (share.number == 0)
    return "no replica of " + all;
  if (share.number == 1)
    return "replica " + first + " of " + all;
  const std::uint64_t last = std::uint64_t{share.first} + share.number - 1;
  return "replicas " + first + " to " + std::to_string(last) + " of " + all;
}

std::string describe(const std::string &holder, const Share &share) {
  return "host program " + wire::printableName(holder) + ", which runs " + replicasOf(share);
}

bool overlap(const Share &a, const Share &b) {
  return a.first < std::uint64_t{b.first} + b.number && b.first < std::uint64_t{a.first} + a.number;
}

/// Returns why \p other cannot share a program with \p own; empty if it can.
std::string difference(const Share &own, const Share &other) {
  for (std::size_t i = 0; i < std::max(own.traits.size(), other.traits.size()); ++i) {
    if (i >= own.traits.size() || i >= other.traits.size() ||
        own.traits[i].name != other.traits[i].name)
      return "it runs another version of Copse";
    if (own.traits[i].value != other.traits[i].value)
      return own.traits[i].name + " differs: " + own.traits[i].value + " here, " +
             wire::printableName(other.traits[i].value) + " there";
  }
  if (overlap(own, other))
    return "both run the same replica; give each its own target.firstRuntimeReplica";
  if (other.number == 0 || other.replicas != own.replicas ||
      std::uint64_t{other.first} + other.number > own.replicas)
    return "it cannot run " + replicasOf(other);
  const std::uint64_t ipus = own.links.size() / own.number;
  const bool fits = other.links.size() == ipus * other.number &&
                    other.syncs.size() == other.links.size() &&
                    other.names.size() == (own.names.empty() ? 0 : other.links.size());
  return fits ? "" : "the endpoints of its IPUs do not fit its replicas, or it has no keys";
}

/// Returns the shares of all replicas in order, if each replica is covered. Any holder of an IPU
/// can leave a note with arbitrary numbers, so only shares that fit \p own are considered.
/// \param mayTake  returns true if a share of \p found is eligible
template <class F>
std::vector<const Share *> cover(const Share &own, const auto &found, const F &mayTake) {
  std::vector<const Share *> shares;
  for (std::uint64_t next = 0; next < own.replicas;) {
    const Share *taken = next == own.first ? &own : nullptr;
    for (const auto &other : found)
      if (taken == nullptr && other.share.first == next && mayTake(other.share) &&
          difference(own, other.share).empty())
        taken = &other.share;
    if (taken == nullptr)
      return {};
    shares.push_back(taken);
    next += taken->number;
  }
  return shares;
}

bool isIn(const std::vector<std::uint64_t> &tickets, const Share &share) {
  return std::find(tickets.begin(), tickets.end(), share.ticket) != tickets.end();
}

/// Returns the shares of one program, including \p own. The host program of replica 0 chooses them
/// among the open shares, and the others follow. Empty: they are not complete yet.
std::vector<const Share *> sharesWith(const Share &own, const auto &found) {
  if (own.first == 0)
    return cover(own, found, [&](const Share &share) { return share.stage == ShareStage::Open; });
  for (const auto &chooser : found) {
    if (!isIn(chooser.share.tickets, own))
      continue;
    const auto picked = [&](const Share &share) { return isIn(chooser.share.tickets, share); };
    if (auto shares = cover(own, found, picked); !shares.empty())
      return shares;
  }
  return {};
}

/// Replaces code Cancelled, which refers to a cause reported elsewhere.
Status asFailure(Status status) {
  if (status.code == Code::Cancelled)
    status.code = Code::Disconnected;
  return status;
}

/// Gives \p own the epoch of all \p shares, which the first share chooses and announces.
Status agree(Share &own, const std::vector<const Share *> &shares,
             const PeerHosts::Announce &announce) {
  if (own.first > 0) {
    own.epoch = shares.front()->epoch;
    return Status::success();
  }
  own.epoch = std::random_device()();
  own.stage = ShareStage::Agreed;
  own.tickets.clear();
  for (const Share *share : shares)
    own.tickets.push_back(share->ticket);
  return announce(own);
}

} // namespace

PeerHosts::PeerHosts(zmq::context_t &context, const MachineOptions &options,
                     std::function<void()> onTrouble)
    : nodes_(options.others), lease_(options.heartbeatTimeout), onTrouble_(std::move(onTrouble)),
      board_(context, nodes_, options.keys), watcher_([this] { watchLoop(); }) {
  pthread_setname_np(watcher_.native_handle(), "copse-peers");
}

PeerHosts::~PeerHosts() {
  {
    const locks::Lock lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  watcher_.join();
}

wire::Result<std::vector<Share>> PeerHosts::find(Share &own, const Announce &announce,
                                                 Clock::time_point deadline) {
  own.stage = ShareStage::Open;
  if (Status status = announce(own); !status.ok())
    return status;
  const auto begin = Clock::now();
  for (auto pause = kShortestPause;; pause = std::min(2 * pause, kLongestPause)) {
    Found found = read(own);
    if (Status status = conflict(own, found); !status.ok()) {
      std::this_thread::sleep_for(lease_ / 2); // the others must see this note too
      return status;
    }
    if (const auto shares = sharesWith(own, found); !shares.empty()) {
      if (Status status = agree(own, shares, announce); !status.ok())
        return status;
      return keep(shares, std::move(found));
    }
    const auto now = Clock::now();
    if (now >= deadline)
      return missing(own, found,
                     std::chrono::duration_cast<std::chrono::milliseconds>(now - begin));
    std::this_thread::sleep_for(pause);
  }
}

/// Makes the host programs of \p shares the peer hosts.
std::vector<Share> PeerHosts::keep(const std::vector<const Share *> &shares, Found found) {
  std::vector<Share> all;
  all.reserve(shares.size());
  for (const Share *share : shares)
    all.push_back(*share);
  std::erase_if(found, [&](const PeerHost &other) {
    return std::none_of(all.begin(), all.end(),
                        [&](const Share &share) { return share.ticket == other.share.ticket; });
  });
  const locks::Lock lock(boardMutex_);
  peers_ = std::move(found);
  return all;
}

std::vector<std::uint32_t> PeerHosts::allNodes() const {
  std::vector<std::uint32_t> all(nodes_.size());
  std::iota(all.begin(), all.end(), 0);
  return all;
}

PeerHosts::Found PeerHosts::read(const Share &own) {
  const locks::Lock lock(boardMutex_);
  Found found;
  for (auto &[node, state] : board_.read(allNodes(), kReadTimeout))
    if (!state.holder.empty() && state.share && state.share->partition == own.partition &&
        state.share->ticket != own.ticket)
      found.push_back(
          {node, std::move(state.holder), std::move(*state.share), state.heard, 0, Clock::now()});
  return found;
}

/// Checks for conflicting shares. A note may come from a killed host program, so it counts only
/// once that program has been heard again.
Status PeerHosts::conflict(const Share &own, const Found &found) {
  for (const PeerHost &other : found) {
    if (other.share.stage != ShareStage::Open)
      continue;
    const std::string why = difference(own, other.share);
    if (why.empty())
      continue;
    const auto first = firstHeard_.try_emplace(other.share.ticket, other.messages).first->second;
    if (other.messages > first)
      return {Code::InvalidOption, describe(other.holder, other.share) +
                                       ", cannot share the program with this one, which runs " +
                                       replicasOf(own) + ": " + why};
  }
  return Status::success();
}

Status PeerHosts::missing(const Share &own, const Found &found,
                          std::chrono::milliseconds waited) const {
  std::string replicas, loaded;
  for (std::uint32_t replica = 0; replica < own.replicas; ++replica) {
    Share one;
    one.first = replica;
    const auto runsIt = [&](const PeerHost &other) {
      return other.share.stage == ShareStage::Open && overlap(other.share, one);
    };
    if (!overlap(own, one) && std::none_of(found.begin(), found.end(), runsIt))
      replicas += (replicas.empty() ? "" : ", ") + std::to_string(replica);
  }
  for (const PeerHost &other : found)
    if (const std::string why = difference(own, other.share);
        other.share.stage == ShareStage::Open && !why.empty())
      loaded += "; " + describe(other.holder, other.share) + ", cannot share it: " + why;
    else if (other.share.stage != ShareStage::Open)
      loaded += "; " + describe(other.holder, other.share) +
                ", still has the program that it loaded before: load it there, too";
  return {Code::Timeout,
          "no host program has come to run replicas " + replicas + " of " +
              std::to_string(own.replicas) + " within " + std::to_string(waited.count()) +
              " ms; start one with target.firstRuntimeReplica in the same cluster and the same "
              "partition ('" +
              own.partition + "', COPSE_PARTITION)" + loaded};
}

Status PeerHosts::awaitReady(Clock::time_point deadline) {
  for (auto pause = kShortestPause; !allReady(); pause = std::min(2 * pause, kLongestPause)) {
    if (Problem problem = readNotes(); !problem.status.ok())
      return asFailure(std::move(problem.status));
    if (Clock::now() >= deadline)
      return {Code::Timeout, "the other host programs have not configured their IPUs in time"};
    std::this_thread::sleep_for(pause);
  }
  return Status::success();
}

bool PeerHosts::allReady() {
  const locks::Lock lock(boardMutex_);
  return std::all_of(peers_.begin(), peers_.end(),
                     [](const PeerHost &peer) { return peer.share.stage == ShareStage::Ready; });
}

void PeerHosts::watch() {
  const locks::Lock lock(mutex_);
  ++watches_;
  watching_ = true;
  trouble_ = {};
  changed_.notify_all();
}

void PeerHosts::rest() {
  const locks::Lock lock(mutex_);
  watching_ = false;
  changed_.notify_all();
}

Status PeerHosts::trouble() const {
  const locks::Lock lock(mutex_);
  return trouble_;
}

void PeerHosts::watchLoop() {
  locks::Lock lock(mutex_);
  std::uint64_t watch = 0; ///< last watch that was started
  const auto isOver = [this]() COPSE_REQUIRES(mutex_) { return ending_ || !watching_; };
  while (!ending_) {
    changed_.wait(lock, [this]() COPSE_REQUIRES(mutex_) { return ending_ || watching_; });
    if (std::exchange(watch, watches_) != watches_) {
      lock.unlock();
      freshen();
      lock.lock();
    }
    if (changed_.wait_for(lock, pollInterval(), isOver))
      continue;
    lock.unlock();
    Problem problem = readNotes();
    lock.lock();
    if (problem.status.ok() || !watching_ || watch != watches_)
      continue;
    trouble_ = std::move(problem.status);
    watching_ = false;
    lock.unlock();
    onTrouble_();
    lock.lock();
  }
}

void PeerHosts::freshen() {
  const locks::Lock lock(boardMutex_);
  for (PeerHost &peer : peers_) {
    peer.missing = 0;
    peer.answered = Clock::now();
    peer.stopped = false;
  }
}

std::chrono::milliseconds PeerHosts::pollInterval() const {
  return std::min(lease_ / kPollsPerLease, kLongestPollInterval);
}

PeerHosts::Problem PeerHosts::readNotes(bool everywhere) {
  const locks::Lock lock(boardMutex_);
  std::vector<std::uint32_t> numbers;
  for (const PeerHost &peer : peers_)
    numbers.push_back(peer.node);
  auto states = board_.read(numbers, kReadTimeout);
  for (const std::uint32_t node : numbers)
    if (states.contains(node))
      answeredAt(node);
  if (everywhere || std::any_of(peers_.begin(), peers_.end(), [&](const PeerHost &peer) {
        return noteOf(peer, states) == nullptr;
      }))
    states.merge(board_.read(allNodes(), kReadTimeout));
  Problem worst;
  for (PeerHost &peer : peers_)
    if (Problem problem = problemOf(peer, states);
        !problem.status.ok() && (worst.status.ok() || (problem.isCause && !worst.isCause)))
      worst = std::move(problem);
  return worst;
}

void PeerHosts::answeredAt(std::uint32_t node) {
  for (PeerHost &peer : peers_)
    if (peer.node == node)
      peer.answered = Clock::now();
}

/// Returns a peer host's note. A host program that has lost its first IPU leaves its last note at
/// the next one.
const Share *PeerHosts::noteOf(const PeerHost &peer, const NoticeBoard::States &states) {
  const Share *note = nullptr;
  for (const auto &[node, state] : states)
    if (state.share && state.share->ticket == peer.share.ticket &&
        (note == nullptr || state.share->stage == ShareStage::Failed))
      note = &*state.share;
  return note;
}

PeerHosts::Problem PeerHosts::problemOf(PeerHost &peer, const NoticeBoard::States &states) const {
  const std::string who = describe(peer.holder, peer.share);
  if (const Share *note = noteOf(peer, states)) {
    peer.missing = 0;
    peer.share.stage = note->stage;
    if (note->stage != ShareStage::Failed)
      return {};
    peer.stopped = note->failure.code == Code::Cancelled;
    return {{note->failure.ok() ? Code::HostFault : note->failure.code,
             who + ": " + note->failure.message},
            !peer.stopped};
  }
  const auto state = states.find(peer.node);
  if (state == states.end()) {
    if (Clock::now() - peer.answered <= lease_)
      return {};
    return {{Code::Disconnected,
             who + ": " + nodes_[peer.node].name + " does not answer, its first IPU"}};
  }
  const bool again = state->second.share && state->second.holder == peer.holder;
  if (again && peer.share.stage != ShareStage::Ready) { // it was ready, and has continued
    peer.share.stage = ShareStage::Ready;
    return {};
  }
  if (++peer.missing < kMissingOften)
    return {};
  return {{Code::Disconnected,
           who + (again ? ", has loaded a program again" : ", has ended or lost its IPUs")}};
}

Status PeerHosts::causeOf(Status fault) {
  // After a lease and a heartbeat interval, the host program with the original failure has noticed
  // it. Then its note tells the failure, here or at its first IPU, or that IPU is silent.
  const auto deadline = Clock::now() + lease_ + 4 * kLongestPollInterval;
  while (Clock::now() < deadline) {
    Problem problem = readNotes(true);
    if (!problem.status.ok() && problem.isCause)
      return problem.status;
    // No peer host knows an earlier failure.
    if (allStopped())
      break;
    std::this_thread::sleep_for(pollInterval());
  }
  return naming(asFailure(std::move(fault)));
}

bool PeerHosts::allStopped() {
  const locks::Lock lock(boardMutex_);
  return std::all_of(peers_.begin(), peers_.end(),
                     [](const PeerHost &peer) { return peer.stopped; });
}

Status PeerHosts::naming(Status fault) {
  const locks::Lock lock(boardMutex_);
  for (const PeerHost &peer : peers_) {
    const Share &share = peer.share;
    const std::uint64_t ipusPerReplica = share.links.size() / share.number;
    for (std::uint64_t i = 0; i < share.links.size(); ++i) {
      const auto ipu = static_cast<std::uint32_t>(share.first * ipusPerReplica + i);
      if (!wire::namesIpu(fault.message, {ipu}))
        continue;
      fault.message += "; ipu " + std::to_string(ipu) + " is of " + describe(peer.holder, share);
      return fault;
    }
  }
  return fault;
}

} // namespace copse::session
