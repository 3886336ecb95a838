#include "wire/envelope.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>

namespace copse::wire {
namespace {

Envelope example(std::uint64_t sequence, decltype(Envelope::body) body) {
  Envelope envelope;
  envelope.epoch = 1;
  envelope.from = {2};
  envelope.to = {4};
  envelope.sequence = sequence;
  envelope.channels = {Received{7, 6, 9}, Received{}};
  envelope.body = std::move(body);
  return envelope;
}

std::map<std::string, Envelope> examples() {
  Envelope packet = example(12, Packet{{0}, {6}, 3, 0});
  packet.payloadBytes = 1024;
  return {
      {"packet", packet},
      {"ack", example(0, Ack{})},
      {"probe", example(0, Probe{{13, 0}})},
      {"fault", example(0, Fault{Code::InvalidOption, "no"})},
      {"arrive", example(5, SyncArrive{SyncGroup::GS2, {1000}, Status::success()})},
      {"leave", example(5, SyncLeave{SyncGroup::GS2, {}, {Code::VertexFault, "tile 3"}})},
  };
}

// Returns the bytes of every "### `name`" section of the document: pairs of hexadecimal digits in
// its indented lines.
std::map<std::string, std::vector<std::byte>> documented() {
  std::map<std::string, std::vector<std::byte>> found;
  std::ifstream document(COPSE_PROTOCOL_DOCUMENT);
  EXPECT_TRUE(document.is_open());
  std::string name;
  for (std::string line; std::getline(document, line);) {
    if (line.starts_with("### `"))
      name = line.substr(5, line.find('`', 5) - 5);
    else if (!name.empty() && line.starts_with("    ")) {
      std::istringstream bytes(line);
      for (unsigned byte; bytes >> std::hex >> byte;)
        found[name].push_back(std::byte(byte));
    }
  }
  return found;
}

std::string hex(const std::vector<std::byte> &bytes) {
  std::ostringstream text;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    constexpr char kDigits[] = "0123456789abcdef";
    const auto value = std::to_integer<unsigned>(bytes[i]);
    text << (i % 24 == 0 ? "\n   " : "") << ' ' << kDigits[value / 16] << kDigits[value % 16];
  }
  return text.str();
}

TEST(Protocol, DocumentShowsTheBytesOfEveryMessage) {
  const auto shown = documented();
  EXPECT_EQ(shown.size(), examples().size());
  for (const auto &[name, envelope] : examples()) {
    const auto bytes = encode(envelope);
    ASSERT_TRUE(shown.contains(name)) << "### `" << name << "`\n" << hex(bytes);
    EXPECT_EQ(shown.at(name), bytes) << "### `" << name << "`\n" << hex(bytes);
  }
}

TEST(Protocol, BytesOfTheDocumentAreRead) {
  const auto expected = examples();
  for (const auto &[name, bytes] : documented()) {
    const auto decoded = decodeEnvelope(bytes);
    ASSERT_TRUE(decoded.ok()) << name << ": " << decoded.status().message;
    EXPECT_EQ(decoded->body.index(), expected.at(name).body.index());
    EXPECT_EQ(decoded->sequence, expected.at(name).sequence);
    EXPECT_EQ(decoded->channels, expected.at(name).channels);
  }
}

} // namespace
} // namespace copse::wire
