#include "tls_handshake.hpp"

#include "fabric/keys.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

namespace copse::fabric {
namespace {

using Step = TlsHandshake::Step;

std::string hexOf(std::span<const std::byte> bytes) {
  std::string text;
  for (const std::byte byte : bytes) {
    constexpr const char *kDigits = "0123456789abcdef";
    const auto value = std::to_integer<unsigned>(byte);
    text += {kDigits[value >> 4], kDigits[value & 15]};
  }
  return text;
}

// The test vector of docs/link-security.md, with the key pairs of RFC 7748, 6.1.
TEST(LinkKey, MatchesTheTestVector) {
  const KeyPair alice{"G=]<>I7>&bBC>O5V{aj/4zK}kco8}o(.HIuS*=:#",
                      "Cl.%(A#p:4jqL+Nql<!5?+kXU(+F]rV3l8w9L0ZJ"};
  const KeyPair bob{"?K-FIDWS-q^{3m$)bQ2.kz8tAtx<^PT]9RZz?]]t",
                    "u8[lWvOhIJDeTmhGmBD]z-+iMck:h&950i$%a]R0"};
  const std::map<std::string, std::string> known{{"ipu-0", alice.publicKey},
                                                 {"ipu-1", bob.publicKey}};
  for (const Keyring &keys : {Keyring("ipu-0", alice, known), Keyring("ipu-1", bob, known)}) {
    const auto key = keys.linkKey("ipu-0", "ipu-1");
    ASSERT_TRUE(key) << keys.self();
    EXPECT_EQ(hexOf(key->bytes()),
              "6fc147523563cc93adb2eedd7c5ad5ece72c484286d33496572b20d40b8035f6");
  }
}

class LinkKeys : public ::testing::Test {
protected:
  LinkKeys() {
    for (const char *name : {"ipu-0", "ipu-1", "ipu-2", "host"}) {
      pairs_[name] = newKeyPair();
      publicKeys_[name] = pairs_[name].publicKey;
    }
  }
  std::shared_ptr<const Keyring> of(const std::string &name) {
    return std::make_shared<Keyring>(name, pairs_[name], publicKeys_);
  }
  std::string key(const std::string &holder, const std::string &client, const std::string &server) {
    const auto key = of(holder)->linkKey(client, server);
    return key ? hexOf(key->bytes()) : "none";
  }
  std::map<std::string, KeyPair> pairs_;
  std::map<std::string, std::string> publicKeys_;
};

TEST_F(LinkKeys, AreTheSameAtBothEnds) {
  EXPECT_EQ(key("ipu-0", "ipu-0", "ipu-1"), key("ipu-1", "ipu-0", "ipu-1"));
  EXPECT_EQ(key("ipu-0", "ipu-1", "ipu-0"), key("ipu-1", "ipu-1", "ipu-0"));
}

TEST_F(LinkKeys, DifferForEachPairAndDirection) {
  EXPECT_NE(key("ipu-0", "ipu-0", "ipu-1"), key("ipu-0", "ipu-1", "ipu-0"));
  EXPECT_NE(key("ipu-0", "ipu-0", "ipu-1"), key("ipu-0", "ipu-0", "ipu-2"));
}

TEST_F(LinkKeys, DependOnTheNames) {
  const std::string before = key("ipu-0", "ipu-0", "ipu-1");
  std::swap(publicKeys_["ipu-1"], publicKeys_["ipu-2"]);
  EXPECT_NE(key("ipu-0", "ipu-0", "ipu-2"), before) << "the same two pairs, another name";
}

TEST_F(LinkKeys, RequireTheOwnNodeAndKnownKeys) {
  EXPECT_EQ(key("ipu-0", "ipu-1", "ipu-2"), "none");
  EXPECT_EQ(key("ipu-0", "ipu-0", "ipu-0"), "none");
  EXPECT_EQ(key("ipu-0", "ipu-0", "ipu-9"), "none");
  publicKeys_["ipu-1"] = std::string(40, '0'); // the point at which all secrets agree
  EXPECT_EQ(key("ipu-0", "ipu-0", "ipu-1"), "none");
  publicKeys_["ipu-1"] = "short";
  EXPECT_EQ(key("ipu-0", "ipu-0", "ipu-1"), "none");
}

class Handshakes : public LinkKeys {
protected:
  Handshakes() { EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends_), 0); }
  ~Handshakes() override {
    for (const int end : ends_)
      ::close(end);
  }
  /// Lets the two talk until both are done or one fails.
  /// \returns what became of each
  std::pair<Step, Step> shake(const std::shared_ptr<const Keyring> &client,
                              const std::string &wanted,
                              const std::shared_ptr<const Keyring> &server) {
    client_.emplace(client);
    server_.emplace(server);
    dialler_ = TlsHandshake::client(*client_, ends_[0], wanted);
    listener_ = TlsHandshake::server(*server_, ends_[1]);
    Step a = Step::WantRead, b = Step::WantRead;
    for (int i = 0; i < 10; ++i) {
      if (a == Step::WantRead)
        a = dialler_->step();
      if (b == Step::WantRead)
        b = listener_->step();
    }
    return {a, b};
  }
  int ends_[2];
  std::optional<TlsContext> client_, server_;
  std::optional<TlsHandshake> dialler_, listener_;
};

TEST_F(Handshakes, AuthenticateBothEndsAndAgreeOnOneKey) {
  EXPECT_EQ(shake(of("ipu-1"), "ipu-0", of("ipu-0")), std::pair(Step::Done, Step::Done));
  EXPECT_EQ(listener_->peer(), "ipu-1");
  EXPECT_EQ(dialler_->peer(), "ipu-0");
  const auto ours = dialler_->key(), theirs = listener_->key();
  EXPECT_EQ(hexOf(ours.bytes()), hexOf(theirs.bytes()));
  char byte = 0;
  for (const int end : ends_)
    EXPECT_EQ(::recv(end, &byte, 1, MSG_DONTWAIT), -1) << "the next byte is the first record's";
}

TEST_F(Handshakes, AgreeOnANewKeyEachTime) {
  ASSERT_EQ(shake(of("ipu-1"), "ipu-0", of("ipu-0")), std::pair(Step::Done, Step::Done));
  const std::string before = hexOf(dialler_->key().bytes());
  ASSERT_EQ(shake(of("ipu-1"), "ipu-0", of("ipu-0")), std::pair(Step::Done, Step::Done));
  EXPECT_NE(hexOf(dialler_->key().bytes()), before);
}

TEST_F(Handshakes, FailWithAnUnknownKey) {
  const auto stranger = std::make_shared<Keyring>("ipu-1", newKeyPair(), publicKeys_);
  EXPECT_EQ(shake(stranger, "ipu-0", of("ipu-0")), std::pair(Step::Refused, Step::Broken));
}

TEST_F(Handshakes, FailWithAnUnknownName) {
  auto known = publicKeys_;
  known["ipu-7"] = pairs_["ipu-2"].publicKey;
  const auto unknown = std::make_shared<Keyring>("ipu-7", pairs_["ipu-2"], known);
  EXPECT_EQ(shake(unknown, "ipu-0", of("ipu-0")), std::pair(Step::Refused, Step::Broken));
}

TEST_F(Handshakes, FailWithANodeThatIsNotAnIpu) {
  EXPECT_EQ(shake(of("host"), "ipu-0", of("ipu-0")), std::pair(Step::Refused, Step::Broken));
}

TEST_F(Handshakes, FailAtAnotherNodeThanTheExpectedOne) {
  EXPECT_EQ(shake(of("ipu-1"), "ipu-2", of("ipu-0")), std::pair(Step::Refused, Step::Broken));
}

TEST_F(Handshakes, FailAtANodeThatStoleAName) {
  auto pair = newKeyPair();
  const auto thief = std::make_shared<Keyring>("ipu-0", pair, publicKeys_);
  const auto [client, server] = shake(of("ipu-1"), "ipu-0", thief);
  EXPECT_NE(client, Step::Done);
  EXPECT_NE(server, Step::Done);
}

TEST_F(Handshakes, EndWhenTheOtherEndDoes) {
  TlsContext context(of("ipu-0"));
  auto server = TlsHandshake::server(context, ends_[1]);
  EXPECT_EQ(server.step(), Step::WantRead);
  ASSERT_EQ(::shutdown(ends_[0], SHUT_RDWR), 0);
  EXPECT_EQ(server.step(), Step::Ended);
}

} // namespace
} // namespace copse::fabric
