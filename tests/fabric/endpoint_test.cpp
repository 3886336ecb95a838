#include "fabric/dial.hpp"
#include "fabric/endpoint.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace copse::fabric {
namespace {

using ::testing::HasSubstr;
using wire::Code;

TEST(Endpoint, SurvivesReadingAndWriting) {
  for (const char *text :
       {"tcp://127.0.0.1:7100", "tcp://127.0.0.1:*", "tcp://*:7100", "tcp://[::1]:7100",
        "tcp://node_3.lab:65535", "ipc:///run/copse/link", "ipc://relative", "inproc://link-0"}) {
    const auto endpoint = Endpoint::parse(text);
    ASSERT_TRUE(endpoint.ok()) << text << ": " << endpoint.status().message;
    EXPECT_EQ(endpoint->text(), text);
  }
}

TEST(Endpoint, ReturnsItsParts) {
  const auto tcp = Endpoint::parse("tcp://[fe80::1]:7100");
  EXPECT_EQ(tcp->transport(), TransportKind::Tcp);
  EXPECT_EQ(tcp->place(), "[fe80::1]");
  EXPECT_EQ(tcp->bareHost(), "fe80::1");
  EXPECT_EQ(tcp->port(), 7100);
  const auto ipc = Endpoint::parse("ipc:///run/link");
  EXPECT_EQ(ipc->transport(), TransportKind::Ipc);
  EXPECT_EQ(ipc->place(), "/run/link");
  EXPECT_EQ(*Endpoint::parse("inproc://x"), Endpoint::inproc("x"));
  EXPECT_EQ(Endpoint(), Endpoint::tcp("127.0.0.1", 0)) << "loopback, at a port that the OS picks";
}

TEST(Endpoint, IsRefusedIfItIsInvalid) {
  for (const std::string &text :
       {std::string(), std::string("tcp"), std::string("tcp://"), std::string("tcp://:7100"),
        std::string("tcp://host"), std::string("tcp://host:"), std::string("tcp://host:65536"),
        std::string("tcp://host:7100x"), std::string("tcp://host:-1"), std::string("udp://host:1"),
        std::string("tcp://::1:7100"), std::string("tcp://[::g]:1"), std::string("tcp://[::1:1"),
        std::string("ipc://"), std::string("inproc://"), "ipc:///" + std::string(107, 'x')})
    EXPECT_EQ(Endpoint::parse(text).status().code, Code::InvalidOption) << text;
}

TEST(Endpoint, IsRefusedWithTheReason) {
  const auto why = [](const std::string &text) { return Endpoint::parse(text).status().message; };
  for (const std::string port : {"65536", "-1", "7100x", "http", " 1"})
    EXPECT_THAT(why("tcp://host:" + port), HasSubstr("'" + port + "' is no port")) << port;
  EXPECT_THAT(Endpoint::parseReachable("tcp://host:0").status().message,
              HasSubstr("port from 1 to 65535"));
  EXPECT_THAT(Endpoint::parseReachable("tcp://host:99999").status().message,
              HasSubstr("'99999' is no port"));
  EXPECT_THAT(why("tcp://::1:7100"), HasSubstr("in brackets"));
  EXPECT_THAT(why("tcp://[fe80::1%eth0]:7100"), HasSubstr("zone id"));
  EXPECT_THAT(why("tcp://[::1.2]:7100"), HasSubstr("'[::1.2]' is no IPv6 address"));
}

TEST(Endpoint, KnowsAddressesOfIpv6) {
  for (const char *text : {"tcp://[::1]:1", "tcp://[::]:*", "tcp://[2001:db8::7]:1"})
    EXPECT_TRUE(isIpv6(text)) << text;
  for (const char *text :
       {"tcp://127.0.0.1:1", "tcp://node-a:1", "tcp://*:1", "ipc://[::1]", "tcp://::1:1"})
    EXPECT_FALSE(isIpv6(text)) << text;
}

TEST(Endpoint, MustBeReachableForPeers) {
  for (const char *text : {"tcp://host:7100", "tcp://10.0.0.1:1", "tcp://[::1]:1", "ipc:///run/x"})
    EXPECT_TRUE(Endpoint::parseReachable(text).ok()) << text;
  for (const char *text : {"tcp://*:7100", "tcp://host:*", "tcp://host:0", "tcp://ho st:1",
                           "ipc://relative", "ipc:///", "inproc://x", "tcp://-x:1"})
    EXPECT_EQ(Endpoint::parseReachable(text).status().code, Code::InvalidOption) << text;
}

TEST(TransportNamed, KnowsTheSchemesAndNothingElse) {
  EXPECT_EQ(transportNamed("inproc"), TransportKind::Inproc);
  EXPECT_EQ(transportNamed("ipc"), TransportKind::Ipc);
  EXPECT_EQ(transportNamed("tcp"), TransportKind::Tcp);
  for (const char *word : {"", "TCP", "tcp:", "udp", "ipc:/"})
    EXPECT_FALSE(transportNamed(word)) << word;
}

} // namespace
} // namespace copse::fabric
