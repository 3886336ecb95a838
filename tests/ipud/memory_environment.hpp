#pragma once

#include "clock/timing_model.hpp"

#include "ipud/environment.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace copse::ipud::test {

inline fabric::Payload payloadOf(const std::vector<std::byte> &bytes) {
  fabric::Payload payload(bytes.size());
  if (!bytes.empty())
    std::memcpy(payload.data(), bytes.data(), bytes.size());
  return payload;
}

inline std::vector<std::byte> bytesOf(const fabric::Payload &payload) {
  return {payload.bytes().begin(), payload.bytes().end()};
}

template <class T> std::vector<std::byte> bytesOf(const std::vector<T> &values) {
  const auto bytes = std::as_bytes(std::span(values));
  return {bytes.begin(), bytes.end()};
}

template <class T> std::vector<T> valuesOf(std::span<const std::byte> bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
  return values;
}

/// The state that the IPUs of a partition share when they are threads of one test: messages, sync
/// points, remote rows.
class Partition {
public:
  Partition(std::uint32_t replicas, std::uint32_t ipusPerReplica, clock::TimingModel timing)
      : replicas_(replicas), ipusPerReplica_(ipusPerReplica), timing_(std::move(timing)) {}

  std::uint32_t replicas() const { return replicas_; }
  std::uint32_t ipusPerReplica() const { return ipusPerReplica_; }

  void stop() {
    stopped_ = true;
    changed_.notify_all();
  }
  bool stopped() const { return stopped_; }

  void put(std::uint32_t from, std::uint32_t to, std::uint32_t tag, std::vector<std::byte> bytes) {
    const std::lock_guard lock(mutex_);
    messages_[{from, to}].push_back({tag, std::move(bytes)});
    changed_.notify_all();
  }

  wire::Result<fabric::Payload> take(std::uint32_t from, std::uint32_t to, std::uint32_t tag) {
    std::unique_lock lock(mutex_);
    auto &queue = messages_[{from, to}];
    if (auto status = wait(lock, [&] { return !queue.empty(); }); !status.ok())
      return status;
    auto message = std::move(queue.front());
    queue.pop_front();
    if (message.first != tag)
      return wire::Status{wire::Code::BadFrame, "ipu " + std::to_string(from) + " sent exchange " +
                                                    std::to_string(message.first) +
                                                    " while exchange " + std::to_string(tag) +
                                                    " was expected: the programs have diverged"};
    return payloadOf(message.second);
  }

  wire::Result<wire::Cycles> sync(const std::vector<wire::IpuId> &members, wire::Cycles now) {
    std::unique_lock lock(mutex_);
    auto &point = points_[members];
    point.latest = std::max(point.latest, now);
    if (++point.arrived == members.size()) {
      point.left = point.latest + timing_.syncLatency(members);
      point.arrived = 0;
      point.latest = {};
      ++point.round;
      changed_.notify_all();
      return point.left;
    }
    const auto round = point.round;
    if (auto status = wait(lock, [&] { return point.round != round; }); !status.ok())
      return status;
    return point.left;
  }

private:
  struct Point {
    wire::Cycles latest, left;
    std::size_t arrived = 0;
    std::uint64_t round = 0;
  };

  template <class Ready> wire::Status wait(std::unique_lock<std::mutex> &lock, Ready ready) {
    const bool in_time = changed_.wait_for(lock, std::chrono::seconds(20),
                                           [&] { return ready() || stopped_.load(); });
    if (ready())
      return wire::Status::success();
    return in_time ? wire::Status{wire::Code::Cancelled, "stopped"}
                   : wire::Status{wire::Code::Timeout, "nobody came"};
  }

  std::uint32_t replicas_, ipusPerReplica_;
  clock::TimingModel timing_;
  std::atomic<bool> stopped_{false};
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::pair<std::uint32_t, std::uint32_t>,
           std::deque<std::pair<std::uint32_t, std::vector<std::byte>>>>
      messages_;
  std::map<std::vector<wire::IpuId>, Point> points_;
};

/// One IPU's Environment in such a partition. Streams are functions that a test may replace.
class MemoryEnvironment : public Environment {
public:
  MemoryEnvironment(Partition &partition, std::uint32_t ipu) : partition_(partition), ipu_(ipu) {}

  struct Row {
    std::vector<std::byte> bytes;
    bool prefetched = false;
  };
  std::function<Row(std::uint32_t exchange, std::uint32_t transfer)> onRead;
  std::vector<std::vector<std::byte>> written; ///< rows that writeStream got
  std::vector<std::vector<std::byte>> printed;
  std::map<std::uint32_t, std::vector<std::byte>> rows; ///< rows of the remote buffer, by number

  /// GS1 consists of all IPUs, GS2 of the replica's IPUs.
  wire::Result<wire::Cycles> sync(wire::SyncGroup group, std::uint32_t, wire::Cycles now) override {
    const auto perReplica = partition_.ipusPerReplica();
    const bool all = group == wire::SyncGroup::GS1;
    const auto first = all ? 0 : ipu_ / perReplica * perReplica;
    std::vector<wire::IpuId> members;
    for (std::uint32_t i = 0; i < (all ? partition_.replicas() * perReplica : perReplica); ++i)
      members.push_back({first + i});
    return partition_.sync(members, now);
  }
  wire::Status send(wire::IpuId to, std::uint32_t tag, fabric::Payload payload) override {
    partition_.put(ipu_, to.value, tag, bytesOf(payload));
    return wire::Status::success();
  }
  wire::Result<fabric::Payload> receive(wire::IpuId from, std::uint32_t tag) override {
    return partition_.take(from.value, ipu_, tag);
  }
  wire::Result<bool> readStream(std::uint32_t exchange, std::uint32_t transfer,
                                const Use &use) override {
    const Row row = onRead(exchange, transfer);
    if (auto status = use(row.bytes); !status.ok())
      return status;
    return row.prefetched;
  }
  wire::Status writeStream(std::uint32_t, std::uint32_t, const Part &part) override {
    written.push_back(packed(part));
    return wire::Status::success();
  }
  wire::Status readRows(std::uint32_t, std::span<const std::uint32_t> numbers,
                        const Use &use) override {
    std::vector<std::byte> bytes;
    for (const auto number : numbers)
      bytes.insert(bytes.end(), rows[number].begin(), rows[number].end());
    return use(bytes);
  }
  wire::Status writeRows(std::uint32_t, std::span<const std::uint32_t> numbers,
                         const Part &part) override {
    const std::vector<std::byte> all = packed(part);
    const auto bytes = static_cast<std::ptrdiff_t>(all.size() / numbers.size());
    for (std::size_t i = 0; i < numbers.size(); ++i)
      rows[numbers[i]].assign(all.begin() + static_cast<std::ptrdiff_t>(i) * bytes,
                              all.begin() + static_cast<std::ptrdiff_t>(i + 1) * bytes);
    return wire::Status::success();
  }
  wire::Status print(std::uint32_t, const Part &part) override {
    printed.push_back(packed(part));
    return wire::Status::success();
  }
  void awaitAllTaken() override {}
  bool stopRequested() const override { return partition_.stopped(); }

private:
  static std::vector<std::byte> packed(const Part &part) {
    std::vector<std::byte> bytes(part.bytes);
    part.pack(bytes.data());
    return bytes;
  }

  Partition &partition_;
  std::uint32_t ipu_;
};

} // namespace copse::ipud::test
