#pragma once

#include <cstdint>
#include <string>
#include <vector>

/// Bytes that strangers send to the tcp ports of daemons.
namespace copse::test {

inline std::string greeting(const std::string &mechanism) {
  std::string bytes(64, '\0');
  bytes[0] = '\xFF';
  bytes[9] = '\x7F';
  bytes[10] = 3;
  bytes.replace(12, mechanism.size(), mechanism);
  return bytes;
}

inline std::string bigEndian(std::uint64_t number, int bytes) {
  std::string text;
  for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8)
    text += static_cast<char>(number >> shift & 0xFF);
  return text;
}

/// Returns the first bytes that a socket of that type sends without keys.
inline std::string nullHandshake(const std::string &socketType) {
  const std::string command =
      std::string("\5READY\13Socket-Type", 18) + bigEndian(socketType.size(), 4) + socketType;
  return greeting("NULL") + '\4' + static_cast<char>(command.size()) + command;
}

/// Bytes that an unauthenticated peer sends: \p first once, then \p rest until it is disconnected.
struct Attack {
  const char *name;
  std::string first, rest;
};

inline std::vector<Attack> attacks() {
  const std::string kMebibyte(1 << 20, 'x');
  std::vector<Attack> all{{"Garbage", "", kMebibyte},
                          {"Zeros", "", std::string(1 << 20, '\0')},
                          {"EndlessRequest", "GET /metrics HTTP/1.1\r\nX: ", kMebibyte},
                          {"Silence", "", ""},
                          {"HalfAGreeting", greeting("CURVE").substr(0, 30), ""}};
  for (const char *mechanism : {"CURVE", "NULL", "PLAIN"}) {
    all.push_back({"HugeCommand", greeting(mechanism) + '\6' + bigEndian(1U << 30, 8), kMebibyte});
    all.push_back(
        {"EndlessCommand", greeting(mechanism) + '\6' + std::string(8, '\xFF'), kMebibyte});
    all.push_back({"HugeFrame", greeting(mechanism) + '\2' + bigEndian(1U << 30, 8), kMebibyte});
  }
  std::string empty; // frames with more to follow
  for (int i = 0; i < 1 << 16; ++i)
    empty += std::string("\1\0", 2);
  for (const char *type : {"DEALER", "PUSH"}) {
    all.push_back({"HugeMessage", nullHandshake(type) + '\2' + bigEndian(1U << 30, 8), kMebibyte});
    all.push_back({"EndlessFrames", nullHandshake(type), empty});
    all.push_back({"LargeFrames", nullHandshake(type), '\3' + bigEndian(1U << 20, 8) + kMebibyte});
  }
  return all;
}

} // namespace copse::test
