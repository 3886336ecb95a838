// Claims: a row of 64 KiB goes to an rbufd and comes back at 0.8 or more of the speed at which a
// plain ZeroMQ request and reply carry the same payload, over tcp on loopback; through memory that
// both share at 1.5 times the speed of these over ipc; and to the store in this process and back at
// 0.5 or more of the speed of memcpy.
#include "remote_buffers/client.hpp"
#include "remote_buffers/daemon.hpp"

#include <benchmark/benchmark.h>
#include <zmq.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace copse::remote_buffers;

constexpr std::size_t kRowBytes = 64 * 1024;
constexpr std::uint64_t kRows = 64;
constexpr char kTcp[] = "tcp://127.0.0.1:*", kIpc[] = "ipc://*";

void check(const copse::wire::Status &status) {
  if (!status.ok())
    throw std::runtime_error(status.message);
}

/// Rows of an rbufd.
template <const char *kAddress> class DaemonRows {
public:
  DaemonRows() : daemon_(start(context_)), store_(open(daemon_->endpoint())) {}
  void write(std::uint64_t row, std::span<const std::byte> bytes) {
    check(store_.write(0, 0, row, bytes));
  }
  void read(std::uint64_t row, std::span<std::byte> bytes) { check(store_.read(0, 0, row, bytes)); }

private:
  static std::unique_ptr<Daemon> start(zmq::context_t &context) {
    DaemonOptions options;
    options.listen = kAddress;
    auto daemon = Daemon::start(context, options);
    check(daemon.status());
    return std::move(*daemon);
  }
  static RemoteBufferStore open(const std::string &endpoint) {
    auto store = openRemote({endpoint, "bench"}, {{"b", kRowBytes, kRows}}, 1);
    check(store.status());
    return std::move(*store);
  }

  zmq::context_t context_;
  std::unique_ptr<Daemon> daemon_;
  RemoteBufferStore store_;
};

/// The reference of rows in memory: a thread that keeps the last payload of each number, behind a
/// REP socket.
template <const char *kAddress> class PlainRows {
public:
  PlainRows()
      : server_(serverContext_, zmq::socket_type::rep), client_(context_, zmq::socket_type::req) {
    server_.bind(kAddress);
    client_.set(zmq::sockopt::linger, 0);
    client_.connect(server_.get(zmq::sockopt::last_endpoint));
    thread_ = std::thread([this] { serve(); });
  }
  ~PlainRows() {
    client_.send(zmq::message_t(), zmq::send_flags::none);
    thread_.join();
  }
  void write(std::uint64_t row, std::span<const std::byte> bytes) {
    client_.send(zmq::buffer(&row, sizeof row), zmq::send_flags::sndmore);
    client_.send(zmq::buffer(bytes.data(), bytes.size()), zmq::send_flags::none);
    zmq::message_t done;
    (void)client_.recv(done);
  }
  void read(std::uint64_t row, std::span<std::byte> bytes) {
    client_.send(zmq::buffer(&row, sizeof row), zmq::send_flags::none);
    zmq::message_t payload;
    (void)client_.recv(payload);
    std::memcpy(bytes.data(), payload.data(), bytes.size());
  }

private:
  void serve() {
    std::vector<std::byte> rows(kRows * kRowBytes);
    for (;;) {
      zmq::message_t number, payload;
      (void)server_.recv(number);
      if (number.size() == 0)
        return;
      std::byte *row = rows.data() + *number.data<std::uint64_t>() * kRowBytes;
      if (number.more()) {
        (void)server_.recv(payload);
        std::memcpy(row, payload.data(), kRowBytes);
        server_.send(zmq::message_t(1), zmq::send_flags::none);
      } else {
        server_.send(zmq::buffer(row, kRowBytes), zmq::send_flags::none);
      }
    }
  }

  zmq::context_t serverContext_, context_;
  zmq::socket_t server_, client_;
  std::thread thread_;
};

/// Rows in this process.
class MemoryRows {
public:
  MemoryRows() : store_(*RemoteBufferStore::create({{"b", kRowBytes, kRows}}, 1)) {}
  void write(std::uint64_t row, std::span<const std::byte> bytes) {
    check(store_.write(0, 0, row, bytes));
  }
  void read(std::uint64_t row, std::span<std::byte> bytes) { check(store_.read(0, 0, row, bytes)); }

private:
  RemoteBufferStore store_;
};

/// The reference of rows in files.
class CopiedRows {
public:
  void write(std::uint64_t row, std::span<const std::byte> bytes) {
    std::memcpy(rows_.data() + row * kRowBytes, bytes.data(), bytes.size());
    benchmark::ClobberMemory();
  }
  void read(std::uint64_t row, std::span<std::byte> bytes) {
    std::memcpy(bytes.data(), rows_.data() + row * kRowBytes, bytes.size());
    benchmark::ClobberMemory();
  }

private:
  std::vector<std::byte> rows_ = std::vector<std::byte>(kRows * kRowBytes);
};

/// One iteration writes a row and reads it.
template <class Rows> void thereAndBack(benchmark::State &state) {
  Rows rows;
  std::vector<std::byte> sent(kRowBytes), got(kRowBytes);
  for (std::uint64_t row = 0; row < kRows; ++row) { // all pages are there, and all is right
    std::fill(sent.begin(), sent.end(), static_cast<std::byte>(row + 1));
    rows.write(row, sent);
    rows.read(row, got);
    if (got != sent)
      throw std::runtime_error("row " + std::to_string(row) + " is not what was written");
  }
  std::uint64_t row = 0;
  for (auto _ : state) {
    rows.write(row, sent);
    rows.read(row, got);
    row = (row + 1) % kRows;
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * 2 * kRowBytes));
}

BENCHMARK_TEMPLATE(thereAndBack, DaemonRows<kTcp>)->Name("rbufd_row_64KiB/subject")->UseRealTime();
BENCHMARK_TEMPLATE(thereAndBack, PlainRows<kTcp>)->Name("rbufd_row_64KiB/reference")->UseRealTime();
BENCHMARK_TEMPLATE(thereAndBack, DaemonRows<kIpc>)
    ->Name("rbufd_local_64KiB/subject")
    ->UseRealTime();
BENCHMARK_TEMPLATE(thereAndBack, PlainRows<kIpc>)
    ->Name("rbufd_local_64KiB/reference")
    ->UseRealTime();
BENCHMARK_TEMPLATE(thereAndBack, MemoryRows)->Name("memory_row_64KiB/subject")->UseRealTime();
BENCHMARK_TEMPLATE(thereAndBack, CopiedRows)->Name("memory_row_64KiB/reference")->UseRealTime();

} // namespace

BENCHMARK_MAIN();
