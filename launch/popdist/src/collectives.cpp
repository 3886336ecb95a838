#include "communicators.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <popdist/collectives.hpp>
#include <popdist/context.hpp>
#include <poplar/Target.hpp>
#include <vector>

namespace popdist::collectives {
namespace {

enum class Kind : std::uint32_t { Sum = 1, Broadcast, Gather };
constexpr std::array<const char *, 4> kNames{"", "allReduceSum", "broadcast", "allGather"};

/// A header before the data, by which calls that differ become an error instead of a wrong sum.
struct Head {
  Kind kind;
  std::uint32_t root; ///< sender of a broadcast
  std::uint64_t type, count, name;
  friend bool operator==(const Head &a, const Head &b) {
    return a.kind == b.kind && a.root == b.root && a.type == b.type && a.count == b.count &&
           a.name == b.name;
  }
};

std::uint64_t hashOf(const std::string &text, std::uint64_t hash = 0xCBF29CE484222325ULL) {
  for (const unsigned char c : text)
    hash = (hash ^ c) * 0x100000001B3ULL;
  return hash;
}

double longestWait() {
  const char *const text = std::getenv("POPDIST_TIMEOUT");
  if (text == nullptr)
    return 300;
  double seconds = 0;
  const char *const end = text + std::strlen(text);
  const auto [rest, error] = std::from_chars(text, end, seconds);
  if (error != std::errc() || rest != end || !(seconds > 0))
    throw popdist_error("POPDIST_TIMEOUT is '" + std::string(text) +
                        "'; set it to the longest wait for other instances in seconds");
  return seconds;
}

/// One collective on one instance. The first participant collects the data of the others and sends
/// back the result: there are few instances, and their sums have one order.
class Call {
public:
  Call(Kind kind, unsigned root, const poplar::Type &type, std::size_t count,
       const std::string &name, const std::string &communicator)
      : who_(kNames[static_cast<std::size_t>(kind)]),
        backend_(initializedBackend(kNames[static_cast<std::size_t>(kind)])),
        members_(participantsOf(communicator)), seconds_(longestWait()) {
    std::uint64_t group = hashOf(name);
    for (const std::uint32_t member : members_)
      group = hashOf(std::to_string(member) + ",", group);
    head_ = {kind, root, hashOf(type.toString().cloneAsString()), count, group};
    tag_ = static_cast<std::uint32_t>(group % kPopdistTags);
    place_ = placeOf(backend_.rank());
    if (!name.empty())
      who_ += " of '" + name + "'";
  }

  std::size_t place() const { return place_; }
  std::size_t members() const { return members_.size(); }
  /// \throws popdist_error if instance \p rank is not in the communicator
  std::size_t placeOf(std::uint32_t rank) const {
    const auto found = std::find(members_.begin(), members_.end(), rank);
    if (found == members_.end())
      throw popdist_error(who_ + ": instance " + std::to_string(rank) +
                          " is not in the communicator");
    return static_cast<std::size_t>(found - members_.begin());
  }
  bool isFirst() const { return place_ == 0; }

  /// On the first instance: compares the calls of all others with its own, and sends them the
  /// result of it. Must come before it receives data.
  void compare() {
    bool same = true;
    for (std::size_t other = 1; other < members_.size(); ++other) {
      Head head{};
      receive(members_[other], &head, sizeof head);
      if (!(head == head_)) {
        same = false;
        different_ = members_[other];
      }
    }
    const std::uint32_t verdict = same ? 1 : 0;
    for (std::size_t other = 1; other < members_.size(); ++other)
      send(members_[other], &verdict, sizeof verdict);
    if (!same)
      refuse();
  }

  /// On the other instances: the counterpart of compare().
  void beCompared() {
    send(members_[0], &head_, sizeof head_);
    std::uint32_t same = 0;
    receive(members_[0], &same, sizeof same);
    if (same == 0)
      refuse();
  }

  void receiveFrom(std::size_t place, void *data, std::size_t bytes) {
    receive(members_[place], data, bytes);
  }
  void sendToFirst(const void *data, std::size_t bytes) { send(members_[0], data, bytes); }
  void distribute(const void *data, std::size_t bytes) {
    for (std::size_t other = 1; other < members_.size(); ++other)
      send(members_[other], data, bytes);
  }
  void fetch(void *data, std::size_t bytes) { receive(members_[0], data, bytes); }

private:
  void send(std::uint32_t to, const void *data, std::size_t bytes) const {
    if (const char *const why = backend_.send(to, tag_, data, bytes, seconds_))
      throw popdist_error(who_ + ": to instance " + std::to_string(to) + ": " + why);
  }
  void receive(std::uint32_t from, void *data, std::size_t bytes) const {
    if (const char *const why = backend_.receive(from, tag_, data, bytes, seconds_))
      throw popdist_error(who_ + ": from instance " + std::to_string(from) + ": " + why);
  }
  [[noreturn]] void refuse() const {
    throw popdist_error(
        who_ + ": instances call it with different arguments" +
        (place_ == 0 ? ", instance " + std::to_string(different_) + " for one" : std::string()));
  }

  std::string who_;
  const PopdistBackend &backend_;
  std::vector<std::uint32_t> members_;
  double seconds_;
  Head head_{};
  std::uint32_t tag_ = 0, different_ = 0;
  std::size_t place_ = 0;
};

template <class T> void addAs(void *sums, const void *values, std::size_t count) {
  auto *const to = static_cast<T *>(sums);
  const auto *const from = static_cast<const T *>(values);
  for (std::size_t i = 0; i < count; ++i)
    to[i] = static_cast<T>(to[i] + from[i]);
}

void addHalves(void *sums, const void *values, std::size_t count) {
  const poplar::Target target = poplar::Target::createCPUTarget(true);
  std::vector<float> to(count), from(count);
  poplar::copyDeviceHalfToFloat(target, sums, to.data(), count);
  poplar::copyDeviceHalfToFloat(target, values, from.data(), count);
  addAs<float>(to.data(), from.data(), count);
  poplar::copyFloatToDeviceHalf(target, to.data(), sums, count);
}

/// An element on the host.
struct Element {
  poplar::Type type;
  std::size_t bytes;
  void (*add)(void *, const void *, std::size_t); ///< null: no sum makes sense
};

Element elementOf(const poplar::Type &type) {
  const Element known[] = {
      {poplar::FLOAT, 4, addAs<float>},
      {poplar::HALF, 2, addHalves},
      {poplar::BOOL, 1, nullptr},
      {poplar::INT, 4, addAs<std::int32_t>},
      {poplar::UNSIGNED_INT, 4, addAs<std::uint32_t>},
      {poplar::SHORT, 2, addAs<std::int16_t>},
      {poplar::UNSIGNED_SHORT, 2, addAs<std::uint16_t>},
      {poplar::CHAR, 1, addAs<std::int8_t>},
      {poplar::SIGNED_CHAR, 1, addAs<std::int8_t>},
      {poplar::UNSIGNED_CHAR, 1, addAs<std::uint8_t>},
      {poplar::LONG, 8, addAs<std::int64_t>},
      {poplar::UNSIGNED_LONG, 8, addAs<std::uint64_t>},
      {poplar::LONGLONG, 8, addAs<std::int64_t>},
      {poplar::UNSIGNED_LONGLONG, 8, addAs<std::uint64_t>},
  };
  for (const Element &element : known)
    if (element.type == type)
      return element;
  throw popdist_error("collectives have no elements of type " + type.toString().cloneAsString());
}

bool isAlone() { return getNumInstances() == 1; }

} // namespace

void allReduceSum(void *data, std::size_t count, const poplar::Type &type, const std::string &name,
                  const std::string &communicator) {
  const Element element = elementOf(type);
  if (element.add == nullptr)
    throw popdist_error("allReduceSum: there are no sums of elements of type " +
                        type.toString().cloneAsString());
  if (isAlone())
    return;
  Call call(Kind::Sum, 0, type, count, name, communicator);
  const std::size_t bytes = count * element.bytes;
  if (!call.isFirst()) {
    call.beCompared();
    call.sendToFirst(data, bytes);
    return call.fetch(data, bytes);
  }
  call.compare();
  std::vector<std::byte> values(bytes);
  for (std::size_t other = 1; other < call.members(); ++other) {
    call.receiveFrom(other, values.data(), bytes);
    element.add(data, values.data(), count);
  }
  call.distribute(data, bytes);
}

void broadcast(void *data, std::size_t count, const poplar::Type &type, unsigned rootRank,
               const std::string &name, const std::string &communicator) {
  const Element element = elementOf(type);
  if (isAlone() && rootRank > 0)
    throw popdist_error("broadcast: there is no instance " + std::to_string(rootRank));
  if (isAlone())
    return;
  Call call(Kind::Broadcast, rootRank, type, count, name, communicator);
  const std::size_t bytes = count * element.bytes, root = call.placeOf(rootRank);
  if (!call.isFirst()) {
    call.beCompared();
    if (call.place() == root)
      call.sendToFirst(data, bytes);
    return call.fetch(data, bytes);
  }
  call.compare();
  if (root > 0)
    call.receiveFrom(root, data, bytes);
  call.distribute(data, bytes);
}

void allGather(const void *input, void *output, std::size_t count, const poplar::Type &type,
               const std::string &name, const std::string &communicator) {
  const std::size_t bytes = count * elementOf(type).bytes;
  if (isAlone()) {
    std::memmove(output, input, bytes);
    return;
  }
  Call call(Kind::Gather, 0, type, count, name, communicator);
  const std::size_t all = bytes * call.members();
  if (!call.isFirst()) {
    call.beCompared();
    call.sendToFirst(input, bytes);
    return call.fetch(output, all);
  }
  call.compare();
  auto *const rows = static_cast<std::byte *>(output);
  std::memmove(rows, input, bytes);
  for (std::size_t other = 1; other < call.members(); ++other)
    call.receiveFrom(other, rows + other * bytes, bytes);
  call.distribute(output, all);
}

} // namespace popdist::collectives
