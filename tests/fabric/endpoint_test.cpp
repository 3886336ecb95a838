#include "fabric/endpoint.hpp"

#include <gtest/gtest.h>

#include <string>

namespace copse::fabric {
namespace {

using wire::Code;

TEST(Endpoint, IsWrittenAsItWasRead) {
  for (const char *text :
       {"tcp://127.0.0.1:7100", "tcp://127.0.0.1:*", "tcp://*:7100", "tcp://[::1]:7100",
        "tcp://node_3.lab:65535", "ipc:///run/copse/link", "ipc://relative", "inproc://link-0"}) {
    const auto endpoint = Endpoint::parse(text);
    ASSERT_TRUE(endpoint.ok()) << text << ": " << endpoint.status().message;
    EXPECT_EQ(endpoint->text(), text);
  }
}

TEST(Endpoint, HasTheParts) {
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

TEST(Endpoint, IsRefusedIfItIsNone) {
  for (const std::string &text :
       {std::string(), std::string("tcp"), std::string("tcp://"), std::string("tcp://:7100"),
        std::string("tcp://host"), std::string("tcp://host:"), std::string("tcp://host:65536"),
        std::string("tcp://host:7100x"), std::string("tcp://host:-1"), std::string("udp://host:1"),
        std::string("ipc://"), std::string("inproc://"), "ipc:///" + std::string(107, 'x')})
    EXPECT_EQ(Endpoint::parse(text).status().code, Code::InvalidOption) << text;
}

TEST(Endpoint, OfOthersMustBeReachable) {
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
