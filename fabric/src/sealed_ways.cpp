#include "sealed_ways.hpp"

#include "tcp_host.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

namespace copse::fabric {
namespace {

using namespace std::chrono_literals;

// A question that was not answered is asked again after so long, with what is to be sent then.
constexpr auto kAskAgain = 250ms;
// Nobody answers at the port: a firewall may be in between.
constexpr auto kDialAgain = 10s;

/// The two messages. They begin with a word that no header does: its first four bytes are 0.
constexpr std::array<char, 4> kKeyWord{'K', 'E', 'Y', '1'}, kPortWord{'P', 'R', 'T', '1'};
struct KeyMessage {
  std::array<char, 4> word;
  SealId id;
  SealKey key;
};
struct PortMessage {
  std::array<char, 4> word;
  SealId id;
  std::uint16_t port; ///< little-endian
};
static_assert(sizeof(KeyMessage) == 36 && sizeof(PortMessage) == 22);

template <class Message> zmq::message_t frameOf(const Message &message) {
  return {&message, sizeof message};
}

template <class Message>
std::optional<Message> readAs(const std::array<char, 4> &word, const Frames &frames) {
  Message message;
  if (frames.size() != 1 || frames.front().size() != sizeof message)
    return {};
  std::memcpy(&message, frames.front().data(), sizeof message);
  return message.word == word ? std::optional(message) : std::nullopt;
}

} // namespace

void SealedWays::watch(SealedInbox::OnMessage onMessage, OnWritable onWritable,
                       SealedInbox::OnBad onBad) {
  onWritable_ = std::move(onWritable);
  inbox_.watch(std::move(onMessage), std::move(onBad));
}

void SealedWays::connect(wire::IpuId neighbour, const std::string &endpoint,
                         const std::string &name, Tell tell) {
  const std::string host = hostOf(endpoint);
  if (host.empty())
    return;
  const std::lock_guard lock(mutex_);
  Outbound &to = outbound_[neighbour];
  to.name = name;
  to.host = host;
  to.tell = std::move(tell);
  to.askedBack = false;
  ask(to);
}

void SealedWays::disconnectAll() {
  inbox_.clear();
  const std::lock_guard lock(mutex_);
  for (auto &[neighbour, outbound] : outbound_)
    if (outbound.way)
      outbound.way->close();
  outbound_.clear();
}

bool SealedWays::handle(const std::string &sender, const Frames &frames) {
  const auto key = readAs<KeyMessage>(kKeyWord, frames);
  const auto port = readAs<PortMessage>(kPortWord, frames);
  if (!key && !port)
    return false;
  const std::lock_guard lock(mutex_);
  const auto found = std::find_if(outbound_.begin(), outbound_.end(),
                                  [&](const auto &one) { return one.second.name == sender; });
  if (found == outbound_.end()) // not connected yet, or not any more
    return true;
  if (key)
    asked(found->second, key->id, key->key);
  else
    promised(found->first, found->second, port->id, port->port);
  return true;
}

Sent SealedWays::send(wire::IpuId neighbour, Frames &frames) {
  const std::lock_guard lock(mutex_);
  const auto found = outbound_.find(neighbour);
  if (found == outbound_.end())
    return Sent::Unreachable;
  Outbound &to = found->second;
  if (to.way)
    return to.way->send(frames);
  if (!to.dialling && Clock::now() >= to.askAt)
    ask(to);
  return Sent::Unreachable;
}

bool SealedWays::open(wire::IpuId neighbour) const {
  const std::lock_guard lock(mutex_);
  const auto found = outbound_.find(neighbour);
  return found != outbound_.end() && found->second.way != nullptr;
}

void SealedWays::ask(Outbound &to) {
  to.id = randomBytes<kSealIdBytes>();
  to.key = randomBytes<kSealKeyBytes>();
  to.askAt = Clock::now() + kAskAgain;
  to.tell(frameOf(KeyMessage{kKeyWord, to.id, to.key}));
}

void SealedWays::asked(Outbound &from, const SealId &id, const SealKey &key) {
  if (port_ == 0)
    return;
  inbox_.expect(from.name, id, key);
  from.tell(frameOf(PortMessage{kPortWord, id, port_}));
  // It may not have been there yet when it was asked. Once: each question makes the answer to the
  // one before it worthless, so two that ask each other back would never come to an end.
  if (!from.way && !from.dialling && !std::exchange(from.askedBack, true))
    ask(from);
}

void SealedWays::promised(wire::IpuId neighbour, Outbound &to, const SealId &id,
                          std::uint16_t port) {
  if (to.way || to.dialling || to.id != id)
    return;
  to.dialling = true;
  SealedWay::dial(reactor_.io(), to.host, port, to.id, to.key,
                  [this, neighbour, id](std::shared_ptr<SealedWay> way) {
                    dialled(neighbour, id, std::move(way));
                  });
}

void SealedWays::dialled(wire::IpuId neighbour, const SealId &id, std::shared_ptr<SealedWay> way) {
  const std::lock_guard lock(mutex_);
  const auto found = outbound_.find(neighbour);
  if (found == outbound_.end() || found->second.id != id) { // connected anew in between
    if (way)
      way->close();
    return;
  }
  Outbound &to = found->second;
  to.dialling = false;
  to.key = {};
  if (!way) {
    to.askAt = Clock::now() + kDialAgain;
    return;
  }
  to.way = way;
  way->watch([this, neighbour] { onWritable_(neighbour); },
             [this, neighbour, over = way.get()] { ended(neighbour, over); });
}

void SealedWays::ended(wire::IpuId neighbour, const SealedWay *way) {
  {
    const std::lock_guard lock(mutex_);
    const auto found = outbound_.find(neighbour);
    if (found == outbound_.end() || found->second.way.get() != way)
      return;
    found->second.way.reset();
    found->second.askedBack = false;
    if (Clock::now() >= found->second.askAt)
      ask(found->second);
  }
  onWritable_(neighbour); // what was refused can go through CURVE
}

} // namespace copse::fabric
