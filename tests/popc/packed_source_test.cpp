#include "packed_source.hpp"

#include "popc/popc.hpp"

#include <gtest/gtest.h>

#include <string>

namespace copse::popc {
namespace {

const PackedSource kSource{
    "/user/add.cpp", "/user", {"-O3", "-DX=1"}, std::string("text\0more", 9)};

TEST(PackedSource, IsUnpackedUnchanged) {
  const PackedSource back = unpacked(packed(kSource));
  EXPECT_EQ(back.path, kSource.path);
  EXPECT_EQ(back.directory, kSource.directory);
  EXPECT_EQ(back.flags, kSource.flags);
  EXPECT_EQ(back.text, kSource.text);
}

TEST(PackedSource, RefusesDamagedBytes) {
  const std::string bytes = packed(kSource);
  EXPECT_THROW(unpacked(""), FileError);
  EXPECT_THROW(unpacked(bytes.substr(0, bytes.size() - 1)), FileError);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    std::string damaged = bytes;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x55);
    EXPECT_THROW(unpacked(damaged), FileError) << i;
  }
}

} // namespace
} // namespace copse::popc
