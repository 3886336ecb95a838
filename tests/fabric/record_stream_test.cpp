#include "record_stream.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

namespace copse::fabric {
namespace {

RecordKey keyOf(unsigned number) {
  RecordKey key;
  key.bytes()[0] = static_cast<std::byte>(number);
  return key;
}

const RecordKey kKey = keyOf(1);

/// Returns a message with a header, and a payload of \p bytes if \p bytes is not 0.
Frames messageOf(std::size_t bytes) {
  Frames frames;
  frames.emplace_back(std::string("a header of 24 bytes ..."));
  if (bytes > 0) {
    frames.emplace_back(bytes);
    auto *const payload = static_cast<unsigned char *>(frames.back().data());
    for (std::size_t i = 0; i < bytes; ++i)
      payload[i] = static_cast<unsigned char>(i * 7 + i / 251);
  }
  return frames;
}

std::string textOfFrames(const Frames &frames) {
  std::string text;
  for (const auto &frame : frames)
    text += std::to_string(frame.size()) + ":" + frame.to_string();
  return text;
}

std::string take(RecordWriter &writer) {
  std::string bytes;
  for (auto piece = writer.pending(); !piece.empty(); piece = writer.pending()) {
    const std::size_t some = std::min<std::size_t>(piece.size(), 100'001);
    bytes.append(reinterpret_cast<const char *>(piece.data()), some);
    writer.took(some);
  }
  return bytes;
}

/// Returns the encrypted bytes of each message.
std::vector<std::string> encrypted(const std::vector<std::size_t> &payloads,
                                   const RecordKey &key = kKey) {
  RecordWriter writer(key);
  std::vector<std::string> all;
  for (const std::size_t bytes : payloads) {
    EXPECT_FALSE(writer.busy());
    writer.put(messageOf(bytes));
    all.push_back(take(writer));
  }
  return all;
}

struct Read {
  bool sound = true;
  std::vector<std::string> messages;
};

/// Returns the result of a reader for \p stream, which arrives \p step bytes at a time.
Read read(const std::string &stream, std::size_t step) {
  Read result;
  RecordReader reader(kKey);
  for (std::size_t at = 0; at < stream.size() && result.sound;) {
    std::size_t filled = 0;
    for (const iovec &part : reader.space()) {
      const std::size_t some = std::min({part.iov_len, step - filled, stream.size() - at});
      if (some > 0)
        std::memcpy(part.iov_base, stream.data() + at, some);
      at += some;
      filled += some;
    }
    result.sound =
        reader.put(filled, [&](Frames frames) { result.messages.push_back(textOfFrames(frames)); });
  }
  return result;
}

std::string joined(const std::vector<std::string> &parts) {
  std::string all;
  for (const std::string &part : parts)
    all += part;
  return all;
}

// Sizes close to a block, to the reader's buffer, and to the piece that is encrypted at a time.
const std::vector<std::size_t> kSizes{
    0, 1, 15, 16, 17, 4'096, 32'700, 65536, 256 << 10, (256 << 10) + 1, (1 << 20) - 1, 0};

TEST(RecordStream, ReturnsEveryMessageHoweverItsBytesArrive) {
  std::vector<std::string> expected;
  for (const std::size_t bytes : kSizes)
    expected.push_back(textOfFrames(messageOf(bytes)));
  const std::string stream = joined(encrypted(kSizes));
  for (const std::size_t step : {std::size_t{1}, std::size_t{17}, std::size_t{1'000},
                                 std::size_t{70'000}, std::size_t{1} << 22}) {
    const Read got = read(stream, step);
    EXPECT_TRUE(got.sound) << step;
    EXPECT_EQ(got.messages, expected) << step;
  }
}

TEST(RecordStream, HasDifferentBytesEachTime) {
  const auto twice = encrypted({100, 100});
  EXPECT_NE(twice[0], twice[1]);
  EXPECT_EQ(twice[0].find("header"), std::string::npos);
}

TEST(RecordStream, EndsAtAFlippedBit) {
  const auto parts = encrypted({0, 300});
  const std::string first = textOfFrames(messageOf(0));
  for (std::size_t byte = 0; byte < parts[1].size(); ++byte) {
    std::string stream = joined(parts) + parts[1];
    stream[parts[0].size() + byte] ^= static_cast<char>(1U << (byte % 8));
    const Read got = read(stream, stream.size());
    EXPECT_FALSE(got.sound) << byte;
    EXPECT_EQ(got.messages, std::vector{first}) << byte;
  }
}

TEST(RecordStream, RefusesRepeatedSwappedOrOmittedMessages) {
  const auto parts = encrypted({10, 20, 30});
  for (const auto &stream : {parts[0] + parts[0], parts[1] + parts[0], parts[0] + parts[2]}) {
    const Read got = read(stream, stream.size());
    EXPECT_FALSE(got.sound);
    EXPECT_LE(got.messages.size(), 1U);
  }
}

TEST(RecordStream, RefusesAnotherKey) {
  const Read got = read(joined(encrypted({10}, keyOf(2))), 1'000);
  EXPECT_FALSE(got.sound);
  EXPECT_TRUE(got.messages.empty());
}

// A peer that has the key may still send nonsense: no memory of such a size may be allocated.
TEST(RecordStream, RefusesInvalidSizes) {
  for (const auto &[header, payload] :
       {std::pair<std::uint64_t, std::uint64_t>{wire::kMaxHeaderBytes + 1, 0},
        {100, std::uint64_t{1} << 62},
        {~std::uint64_t{0}, 1}}) {
    const std::array<std::uint64_t, 2> lengths{header, payload};
    std::string stream(sizeof lengths + RecordCipher::kTagBytes, '\0');
    auto *const bytes = reinterpret_cast<std::byte *>(stream.data());
    RecordCipher cipher(kKey, RecordCipher::Direction::Encrypt);
    cipher.begin();
    cipher.encrypt(std::as_bytes(std::span(lengths)), bytes);
    cipher.tag(bytes + sizeof lengths);
    EXPECT_FALSE(read(stream, stream.size()).sound) << header << " " << payload;
  }
}

std::string hexOf(const std::string &bytes) {
  std::string text;
  for (const char byte : bytes) {
    constexpr const char *kDigits = "0123456789abcdef";
    const auto value = static_cast<unsigned char>(byte);
    text += {kDigits[value >> 4], kDigits[value & 15]};
  }
  return text;
}

// The test vector of docs/link-security.md.
TEST(RecordStream, MatchesTheTestVector) {
  RecordKey key;
  for (std::size_t i = 0; i < key.bytes().size(); ++i)
    key.bytes()[i] = static_cast<std::byte>(i);
  RecordWriter writer(key);
  Frames frames;
  frames.emplace_back(std::string("header"));
  frames.emplace_back(std::string("a payload of 23 bytes ."));
  writer.put(std::move(frames));
  EXPECT_EQ(hexOf(take(writer)),
            "9c8702ba6e2907ad7bc8c37ab9a06c592fedd90624c505999cc7c1d99897c4f8"
            "b070788af48309c419949c49133bc712cb8ad1d6e3cc"
            "02f2e266b63b51a4094442bae6709ba8daa4894d366570c5afd5fdb2d45f556355cb8494747539");
}

} // namespace
} // namespace copse::fabric
