// Fuzzes rings in shared memory whose other process is malicious: it writes any bytes at any time
// into the queue of messages, the queue of blocks and the counts.
#include "fuzzing.hpp"
#include "ring_layout.hpp"
#include "ring_reader.hpp"
#include "ring_writer.hpp"

#include <algorithm>
#include <fcntl.h>
#include <memory>
#include <utility>
#include <vector>

namespace {

using namespace copse;
using namespace copse::fabric;

constexpr std::size_t kCapacity = 64 * ring::kGranule;
/// A longer frame is valid, but would only cost memory here.
constexpr std::uint64_t kMostBytes = 1 << 20;

/// Reads the input a number at a time; returns zeros after its end.
class Numbers {
public:
  Numbers(const std::uint8_t *data, std::size_t size) : data_(data), size_(size) {}
  bool more() const { return at_ < size_; }
  std::uint32_t next(std::size_t bytes) {
    std::uint32_t number = 0;
    for (std::size_t i = 0; i < bytes && more(); ++i)
      number |= std::uint32_t{data_[at_++]} << (8 * i);
    return number;
  }

private:
  const std::uint8_t *data_;
  std::size_t size_, at_ = 0;
};

SharedMemory mappedAgain(const SharedMemory &memory) {
  auto again = SharedMemory::adopt(Descriptor(::fcntl(memory.descriptor(), F_DUPFD_CLOEXEC, 0)),
                                   memory.size());
  fuzz::require(again.ok(), "sealed memory can be mapped again");
  return std::move(*again);
}

class Machine {
public:
  Machine() {
    auto memory = SharedMemory::create("fuzz", ring::kControlBytes + kCapacity);
    fuzz::require(memory.ok(), "there is memory");
    mad_ = mappedAgain(*memory);
    reader_ = RingReader::make(
        mappedAgain(*memory), [] {}, kMostBytes);
    writer_ = RingWriter::make(std::move(*memory));
  }
  void step(Numbers &input) {
    constexpr std::size_t kBlockQueue = (sizeof(ring::Control) / 4) - ring::kBlocks;
    switch (input.next(1) % 8) {
    case 0:
      return write(input.next(1) % (sizeof(ring::Counts) / 4), input);
    case 1:
      return write(sizeof(ring::Counts) / 4 + input.next(1), input); // the first slots
    case 2:
      return write(kBlockQueue + input.next(1), input);
    case 3:
    case 4:
      return read();
    case 5:
      return reserve(input.next(3) % (2 * kCapacity));
    case 6:
      return forget();
    default:
      return send(input);
    }
  }

private:
  void write(std::size_t word, Numbers &input) {
    reinterpret_cast<std::uint32_t *>(mad_.data())[word] = input.next(4);
  }
  void read() {
    if (RingReader::Small small; reader_->nextSmall(small)) {
      fuzz::require(small.first + small.second <= ring::kInline, "a small message fits a slot");
      return;
    }
    Frames frames;
    if (reader_->next(frames) != RingReader::Next::Message)
      return;
    fuzz::require(!frames.empty() && frames.size() <= ring::kFrames, "a message has frames");
    for (const auto &frame : frames) {
      fuzz::require(frame.size() <= std::max<std::uint64_t>(kMostBytes, kCapacity),
                    "no frame is longer than allowed");
      if (frame.size() > 0)
        sum_ = sum_ + static_cast<const std::uint8_t *>(frame.data())[frame.size() - 1];
    }
    kept_.push_back(std::move(frames));
  }
  void reserve(std::size_t bytes) {
    if (auto payload = writer_->reserve(bytes)) {
      if (bytes > 0)
        payload->data()[bytes - 1] = std::byte{1};
      Frames frames;
      frames.push_back(std::move(*payload).toFrame());
      kept_.push_back(std::move(frames));
    }
  }
  void forget() {
    if (!kept_.empty())
      kept_.erase(kept_.begin());
  }
  void send(Numbers &input) {
    Frames frames;
    const std::size_t count = 1 + input.next(1) % ring::kFrames;
    for (std::size_t i = 0; i < count; ++i)
      frames.emplace_back(input.next(3) % (2 * kCapacity));
    (void)writer_->send(frames);
    (void)writer_->resume();
  }

  SharedMemory mad_; ///< mapping of the malicious process
  std::shared_ptr<RingReader> reader_;
  std::shared_ptr<RingWriter> writer_;
  std::vector<Frames> kept_;
  volatile unsigned sum_ = 0;
};

} // namespace

/// The input: steps of both ends, and writes of the other process in between.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  Numbers input(data, size);
  Machine machine;
  while (input.more())
    machine.step(input);
  return 0;
}
