#include "doorbell.hpp"
#include "ring_handshake.hpp"
#include "ring_layout.hpp"
#include "ring_reader.hpp"
#include "ring_writer.hpp"

#include <gmock/gmock.h>

#include <deque>
#include <fcntl.h>
#include <random>
#include <span>
#include <string>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <thread>

namespace copse::fabric {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

constexpr std::size_t kMiB = std::size_t{1} << 20, kRingBytes = 32 * kMiB;
constexpr std::uint32_t kGranules = kRingBytes / ring::kGranule;

std::string madeText(std::size_t bytes, unsigned seed) {
  std::string text = std::to_string(seed);
  while (text.size() < bytes)
    text += std::to_string(text.size()) + text.substr(0, bytes - text.size());
  text.resize(bytes);
  return text;
}

zmq::message_t frameOf(const std::string &text) { return {text.data(), text.size()}; }

std::string stringOf(const zmq::message_t &frame) {
  return {static_cast<const char *>(frame.data()), frame.size()};
}

SharedMemory memoryOf(std::size_t bytes) {
  auto memory = SharedMemory::create("test", bytes);
  EXPECT_TRUE(memory.ok()) << memory.status().message;
  return std::move(*memory);
}

/// Both ends of a ring, each with a mapping of its own, as in two processes.
class Rings : public ::testing::Test {
protected:
  static SharedMemory anotherMapping(const SharedMemory &memory) {
    auto mapped = SharedMemory::adopt(Descriptor(::fcntl(memory.descriptor(), F_DUPFD_CLOEXEC, 0)),
                                      memory.size());
    EXPECT_TRUE(mapped.ok()) << mapped.status().message;
    return std::move(*mapped);
  }
  Sent send(const std::vector<std::string> &texts) {
    Frames frames;
    for (const std::string &text : texts)
      frames.push_back(frameOf(text));
    return writer->send(frames);
  }
  Sent sendSmall(const std::string &first, const std::string &second) {
    return writer->sendSmall(std::as_bytes(std::span(first)), std::as_bytes(std::span(second)));
  }
  /// Returns the frames of a small message; an empty list if the next message is not small.
  std::vector<std::string> receiveSmall() {
    RingReader::Small small;
    if (!reader->nextSmall(small))
      return {};
    const auto text = [](std::span<const std::byte> bytes) {
      return std::string(reinterpret_cast<const char *>(bytes.data()), bytes.size());
    };
    return small.second == 0 ? std::vector{text(small.firstFrame())}
                             : std::vector{text(small.firstFrame()), text(small.secondFrame())};
  }
  std::vector<std::string> receive() {
    Frames frames;
    EXPECT_EQ(reader->next(frames), RingReader::Next::Message);
    std::vector<std::string> texts;
    for (const auto &frame : frames)
      texts.push_back(stringOf(frame));
    return texts;
  }
  bool nothing() {
    Frames frames;
    return reader->next(frames) == RingReader::Next::Nothing;
  }
  ring::Control &control() { return *reinterpret_cast<ring::Control *>(peer.data()); }

  std::shared_ptr<RingWriter> writer = RingWriter::make(memoryOf(ring::kControlBytes + kRingBytes));
  SharedMemory peer = anotherMapping(writer->memory()); ///< for bytes that no reader would write
  int rooms = 0;
  std::shared_ptr<RingReader> reader =
      RingReader::make(anotherMapping(writer->memory()), [this] { ++rooms; });
};

TEST_F(Rings, FrameLargerThanTheReadersLimitIsCorrupt) {
  constexpr std::size_t kMost = 2 * ring::kGranule;
  for (const std::size_t bytes : {kMost + 1, 2 * kRingBytes}) { // in a block, and in pieces
    const auto to = RingWriter::make(memoryOf(ring::kControlBytes + kRingBytes));
    const auto from = RingReader::make(
        anotherMapping(to->memory()), [] {}, kMost);
    Frames frames;
    frames.push_back(frameOf(madeText(kMost, 1)));
    ASSERT_EQ(to->send(frames), Sent::Ok);
    EXPECT_EQ(from->next(frames), RingReader::Next::Message);
    frames.clear();
    frames.push_back(frameOf(madeText(bytes, 2)));
    ASSERT_EQ(to->send(frames), Sent::Ok);
    frames.clear();
    EXPECT_EQ(from->next(frames), RingReader::Next::Corrupt) << bytes;
  }
}

TEST_F(Rings, MessagesOfAnySizeArriveUnchanged) {
  std::mt19937 random(1);
  std::deque<std::vector<std::string>> sent;
  const std::size_t sizes[] = {
      0,    1,      64,  ring::kInline - 1, ring::kInline, ring::kInline + 1, 4096, 8191,
      8192, 70'000, kMiB};
  for (unsigned round = 0; round < 1000; ++round) {
    std::vector<std::string> texts;
    for (std::size_t i = 0; i <= random() % ring::kFrames; ++i)
      texts.push_back(madeText(sizes[random() % std::size(sizes)], round));
    if (send(texts) == Sent::Ok)
      sent.push_back(std::move(texts));
    while (!sent.empty() && (sent.size() > 3 || random() % 3 == 0)) {
      ASSERT_EQ(receive(), sent.front());
      sent.pop_front();
    }
  }
  for (; !sent.empty(); sent.pop_front())
    ASSERT_EQ(receive(), sent.front());
  EXPECT_TRUE(nothing());
}

TEST_F(Rings, MessageLargerThanTheRingArrivesInPieces) {
  const std::string large = madeText(11 * kMiB + 5, 3);
  ASSERT_EQ(send({"head", large, "tail"}), Sent::Ok);
  EXPECT_EQ(send({"behind it"}), Sent::Full);
  Frames frames;
  for (auto next = reader->next(frames); next != RingReader::Next::Message;
       next = reader->next(frames)) {
    ASSERT_EQ(next, RingReader::Next::Nothing);
    writer->resume();
  }
  EXPECT_TRUE(stringOf(frames[1]) == large);
  EXPECT_EQ(stringOf(frames[2]), "tail");
  EXPECT_EQ(send({"behind it"}), Sent::Ok);
}

TEST_F(Rings, WriterReportsWrittenPiecesWhileMoreWait) {
  ASSERT_EQ(send({madeText(11 * kMiB, 3)}), Sent::Ok);
  EXPECT_EQ(writer->resume(), RingWriter::Resumed::Nothing); // the reader has read nothing yet
  Frames frames;
  ASSERT_EQ(reader->next(frames), RingReader::Next::Nothing); // but pieces
  EXPECT_EQ(writer->resume(), RingWriter::Resumed::Some);
}

TEST_F(Rings, FullRingReportsWhenThereIsRoom) {
  while (send({madeText(100, 1)}) == Sent::Ok) {
  }
  EXPECT_FALSE(writer->mayResume());
  EXPECT_EQ(rooms, 0);
  receive();
  EXPECT_EQ(rooms, 1);
  EXPECT_EQ(writer->resume(), RingWriter::Resumed::All);
  EXPECT_EQ(send({"again"}), Sent::Ok);
}

TEST_F(Rings, ReservedPayloadIsNotCopied) {
  auto payload = writer->reserve(kMiB);
  ASSERT_TRUE(payload.has_value());
  std::fill_n(payload->data(), kMiB, std::byte{7});
  const auto offset = payload->data() - writer->memory().data();
  Frames frames;
  frames.push_back(frameOf("head"));
  frames.push_back(std::move(*payload).toFrame());
  ASSERT_EQ(writer->send(frames), Sent::Ok);
  EXPECT_EQ(peer.data()[offset], std::byte{7});
  peer.data()[offset] = std::byte{9}; // the receiver sees the very bytes
  Frames got;
  ASSERT_EQ(reader->next(got), RingReader::Next::Message);
  EXPECT_EQ(stringOf(got[1]).substr(0, 2), "\x09\x07");
}

TEST_F(Rings, ReturnedMemoryIsReusedBeforeMoreOfTheRing) {
  for (const std::size_t bytes : {kMiB / 16, kMiB, 3 * kMiB}) {
    std::ptrdiff_t end = 0;
    for (int i = 0; i < 100; ++i) {
      auto payload = writer->reserve(bytes);
      ASSERT_TRUE(payload.has_value()) << i;
      end = std::max(end, payload->data() + bytes - writer->memory().data());
      Frames frames, got;
      frames.push_back(frameOf("head"));
      frames.push_back(std::move(*payload).toFrame());
      ASSERT_EQ(writer->send(frames), Sent::Ok);
      ASSERT_EQ(reader->next(got), RingReader::Next::Message);
    }
    EXPECT_LE(end, static_cast<std::ptrdiff_t>(ring::kControlBytes + 2 * kMiB + bytes)) << bytes;
  }
}

TEST_F(Rings, UnsentReservationFreesItsMemory) {
  const std::size_t half = ring::granulesInPlace(kRingBytes) * ring::kGranule / 2;
  for (int i = 0; i < 100; ++i)
    ASSERT_TRUE(writer->reserve(half).has_value());
  auto first = writer->reserve(half), second = writer->reserve(half);
  EXPECT_TRUE(first && second);
  EXPECT_FALSE(writer->reserve(half).has_value());
}

TEST_F(Rings, UnsentReservationsDoNotBlockOtherMessages) {
  std::vector<Payload> reserved;
  while (auto payload = writer->reserve(kMiB / 4))
    reserved.push_back(std::move(*payload));
  EXPECT_GE(reserved.size(), 8U);
  for (const std::size_t bytes : {kMiB / 4, kMiB, 3 * kMiB}) {
    const std::string text = madeText(bytes, 5);
    ASSERT_EQ(send({text}), Sent::Ok);
    Frames frames;
    for (int i = 0; i < 100 && reader->next(frames) == RingReader::Next::Nothing; ++i)
      writer->resume();
    ASSERT_EQ(frames.size(), 1U);
    EXPECT_EQ(stringOf(frames[0]), text);
  }
}

TEST_F(Rings, LargeReservationIsSentWhole) {
  auto payload = writer->reserve(kMiB + kMiB / 2);
  ASSERT_TRUE(payload);
  const std::string text = madeText(payload->size(), 6);
  std::memcpy(payload->data(), text.data(), text.size());
  Frames frames;
  frames.push_back(frameOf("head"));
  frames.push_back(payload->share().toFrame());
  ASSERT_EQ(writer->send(frames), Sent::Ok);
  EXPECT_EQ(receive(), (std::vector<std::string>{"head", text}));
}

TEST_F(Rings, RetainedMessagesDoNotBlockLaterOnes) {
  std::vector<Frames> kept;
  for (int i = 0; i < 64; ++i) {
    ASSERT_EQ(send({"head", madeText(kMiB / 2, i)}), Sent::Ok) << i;
    kept.emplace_back();
    ASSERT_EQ(reader->next(kept.back()), RingReader::Next::Message);
  }
  for (int i = 0; i < 64; ++i)
    EXPECT_TRUE(stringOf(kept[i][1]) == madeText(kMiB / 2, i)) << i;
}

TEST_F(Rings, RetainedPayloadsDoNotBlockLaterOnes) {
  std::vector<Frames> kept;
  for (int i = 0; i < 64; ++i) {
    auto payload = writer->reserve(kMiB / 2);
    Frames frames;
    frames.push_back(frameOf("head"));
    frames.push_back(payload ? std::move(*payload).toFrame() : zmq::message_t(kMiB / 2));
    std::memset(frames[1].data(), i, frames[1].size());
    ASSERT_EQ(writer->send(frames), Sent::Ok) << i;
    kept.emplace_back();
    ASSERT_EQ(reader->next(kept.back()), RingReader::Next::Message);
  }
  for (int i = 0; i < 64; ++i)
    EXPECT_TRUE(stringOf(kept[i][1]) == std::string(kMiB / 2, static_cast<char>(i))) << i;
}

TEST_F(Rings, FramesOutliveTheirRing) {
  auto payload = writer->reserve(kMiB);
  std::memset(payload->data(), 1, kMiB);
  Frames sent, frames;
  sent.push_back(frameOf("head"));
  sent.push_back(std::move(*payload).toFrame());
  payload.reset();
  ASSERT_EQ(writer->send(sent), Sent::Ok);
  ASSERT_EQ(reader->next(frames), RingReader::Next::Message);
  reader.reset();
  writer.reset();
  EXPECT_TRUE(stringOf(frames[1]) == std::string(kMiB, '\1'));
}

TEST_F(Rings, TwoThreadsExchangeManyMessages) {
  constexpr unsigned kMessages = 5'000;
  std::thread sender([&] {
    for (unsigned i = 0; i < kMessages; ++i)
      while (send({std::to_string(i), madeText(i % 37 == 0 ? 300'000 : i % 500, i)}) != Sent::Ok) {
        std::this_thread::yield();
        writer->resume();
      }
  });
  for (unsigned i = 0; i < kMessages; ++i) {
    Frames frames;
    while (reader->next(frames) == RingReader::Next::Nothing)
      std::this_thread::yield();
    ASSERT_EQ(frames.size(), 2U);
    ASSERT_EQ(stringOf(frames[0]), std::to_string(i));
    ASSERT_TRUE(stringOf(frames[1]) == madeText(i % 37 == 0 ? 300'000 : i % 500, i));
  }
  sender.join();
}

TEST_F(Rings, SmallMessagesEqualThoseOfFrames) {
  const std::vector<std::vector<std::string>> messages = {
      {"head"}, {"head", "body"}, {std::string(104, 'h'), std::string(ring::kInline - 104, 'b')}};
  for (const auto &message : messages) {
    const std::string second = message.size() > 1 ? message[1] : "";
    ASSERT_EQ(sendSmall(message[0], second), Sent::Ok);
    ASSERT_EQ(sendSmall(message[0], second), Sent::Ok);
    ASSERT_EQ(send(message), Sent::Ok);
    EXPECT_EQ(receive(), message);
    EXPECT_EQ(receiveSmall(), message);
    EXPECT_EQ(receiveSmall(), message);
  }
  EXPECT_EQ(receiveSmall(), std::vector<std::string>()) << "nothing has come";
}

TEST_F(Rings, LargeMessagesAreLeftToNext) {
  for (const auto &message : std::vector<std::vector<std::string>>{
           {"a", "b", "c"}, {"head", madeText(ring::kInline, 1)}, {madeText(100'000, 1)}}) {
    ASSERT_EQ(send(message), Sent::Ok);
    EXPECT_EQ(receiveSmall(), std::vector<std::string>());
    EXPECT_EQ(receive(), message);
  }
}

TEST_F(Rings, SmallMessageIsRefusedWhileThereIsNoSlot) {
  for (int i = 0; i < ring::kSlots; ++i)
    ASSERT_EQ(sendSmall("head", "body"), Sent::Ok);
  EXPECT_EQ(sendSmall("head", "body"), Sent::Full);
  receiveSmall();
  EXPECT_EQ(rooms, 1);
  EXPECT_EQ(writer->resume(), RingWriter::Resumed::All);
  EXPECT_EQ(sendSmall("head", "body"), Sent::Ok);
}

/// Damage that a peer can do to a ring.
struct Damage {
  const char *name;
  void (*damage)(ring::Control &);
};
class DamagedRing : public Rings, public ::testing::WithParamInterface<Damage> {};
INSTANTIATE_TEST_SUITE_P(
    Reader, DamagedRing,
    ::testing::Values(
        Damage{"TooManyWritten", [](ring::Control &c) { c.counts.written = 1'000'000; }},
        Damage{"FewerWrittenThanRead", [](ring::Control &c) { c.counts.written = ~0ULL; }},
        Damage{"UnknownKind", [](ring::Control &c) { c.slots[0].head.kind = ring::Kind{7}; }},
        Damage{"NoFrames", [](ring::Control &c) { c.slots[0].head.count = 0; }},
        Damage{"TooManyFrames", [](ring::Control &c) { c.slots[0].head.count = 4; }},
        Damage{"InlineBeyondTheSlot", [](ring::Control &c) { c.slots[0].head.parts[0].bytes = ring::kInline + 1; }},
        Damage{"BlockBeyondTheRing", [](ring::Control &c) { c.slots[0].head.parts[1].place = kGranules; }},
        Damage{"BlockOverTheEnd", [](ring::Control &c) { c.slots[0].head.parts[1].place = kGranules - 1; }},
        Damage{"HugeBlock", [](ring::Control &c) { c.slots[0].head.parts[1].bytes = ~0ULL; }},
        Damage{"PiecesThatNeverCame",
               [](ring::Control &c) { c.slots[0].head.parts[1].place = ring::kInPieces; }},
        Damage{"PieceOfNoFrame",
               [](ring::Control &c) {
                 c.slots[0].head.kind = ring::Kind::Piece;
                 c.slots[0].head.count = 3;
               }}),
    [](const auto &p) { return std::string(p.param.name); });

TEST_P(DamagedRing, IsCorrupt) {
  ASSERT_EQ(send({"head", madeText(100'000, 1)}), Sent::Ok);
  GetParam().damage(control());
  EXPECT_EQ(receiveSmall(), std::vector<std::string>());
  Frames frames;
  EXPECT_EQ(reader->next(frames), RingReader::Next::Corrupt);
}

TEST_F(Rings, BlockThatWasNeverSentBreaksTheWriter) {
  ASSERT_EQ(send({"head", madeText(100'000, 1)}), Sent::Ok);
  control().blocks[0] = 77;
  control().counts.returned = 1;
  while (send({madeText(100, 1)}) == Sent::Ok) {
  }
  EXPECT_TRUE(writer->broken());
  EXPECT_EQ(send({"more"}), Sent::Unreachable);
}

TEST_F(Rings, MoreReadThanWrittenBreaksTheWriter) {
  control().counts.read = 1'000'000;
  while (send({madeText(100, 1)}) == Sent::Ok) {
  }
  EXPECT_TRUE(writer->broken());
}

TEST(SharedMemory, IsRefusedIfItCouldShrink) {
  Descriptor open(::memfd_create("open", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  ASSERT_EQ(::ftruncate(open.number(), 4096), 0);
  const auto adopted = SharedMemory::adopt(std::move(open), 4096);
  EXPECT_EQ(adopted.status().code, wire::Code::BadFrame);
  EXPECT_THAT(adopted.status().message, HasSubstr("shrink"));
}

TEST(SharedMemory, IsRefusedIfItsSizeDiffers) {
  auto memory = SharedMemory::create("small", 4096);
  ASSERT_TRUE(memory.ok());
  Descriptor again(::fcntl(memory->descriptor(), F_DUPFD_CLOEXEC, 0));
  EXPECT_EQ(SharedMemory::adopt(std::move(again), 8192).status().code, wire::Code::BadFrame);
}

TEST(DoorbellTest, WakesASleepingOwner) {
  auto doorbell = Doorbell::create();
  ASSERT_TRUE(doorbell.ok());
  doorbell->announceSleep();
  std::thread sleeper([&] { doorbell->sleepUntil(Doorbell::Clock::now() + 20s); });
  doorbell->wake();
  sleeper.join(); // at once, or after the longest sleep
  doorbell->announceWatch();
  doorbell->wake();
  eventfd_t count = 0;
  EXPECT_EQ(::eventfd_read(doorbell->event(), &count), 0);
}

TEST(DoorbellTest, SignalsNoEventToAnAttendingOwner) {
  auto doorbell = Doorbell::create();
  ASSERT_TRUE(doorbell.ok());
  eventfd_t count = 0;
  doorbell->attend();
  doorbell->wake();
  doorbell->announceAway();
  doorbell->wake(false);
  EXPECT_NE(::eventfd_read(doorbell->event(), &count), 0);
  doorbell->wake(true);
  EXPECT_EQ(::eventfd_read(doorbell->event(), &count), 0);
}

TEST(DoorbellTest, SignalsOneUrgentEventUntilItsOwnerResumes) {
  auto doorbell = Doorbell::create();
  ASSERT_TRUE(doorbell.ok());
  eventfd_t count = 0;
  doorbell->announceAway();
  doorbell->wake();
  doorbell->wake();
  EXPECT_EQ(::eventfd_read(doorbell->event(), &count), 0);
  EXPECT_EQ(count, 1U);
  doorbell->resumeAway();
  doorbell->wake();
  EXPECT_EQ(::eventfd_read(doorbell->event(), &count), 0);
}

TEST(DoorbellTest, RefusesADescriptorThatIsNotAnEventfd) {
  auto doorbell = Doorbell::create();
  ASSERT_TRUE(doorbell.ok());
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const Descriptor reading(ends[0]);
  Descriptor memory(::fcntl(doorbell->memory(), F_DUPFD_CLOEXEC, 0));
  EXPECT_EQ(Doorbell::adopt(std::move(memory), Descriptor(ends[1])).status().code,
            wire::Code::BadFrame);
}

} // namespace
} // namespace copse::fabric
