#include "daemon/module_store.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <dlfcn.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <openssl/evp.h>
#include <span>
#include <string>
#include <vector>

namespace copse::ipud {
namespace {

constexpr std::uint64_t kLimit = 100;

class ModuleStoreTest : public ::testing::Test {
protected:
  /// Returns a module of 60 bytes: two of them exceed the limit.
  static std::string bytesOf(char which) { return std::string(60, which); }

  static std::string hashOf(const std::string &bytes) {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned length = 0;
    EVP_Digest(bytes.data(), bytes.size(), digest.data(), &length, EVP_sha256(), nullptr);
    std::string text;
    for (unsigned i = 0; i < length; ++i) {
      constexpr char kDigits[] = "0123456789abcdef";
      text += {kDigits[digest[i] >> 4], kDigits[digest[i] & 15]};
    }
    return text;
  }

  /// Stores modules like a host before it loads a program with them.
  /// \returns how many it had to send
  std::size_t load(const std::vector<std::string> &modules) {
    std::vector<std::string> hashes;
    for (const std::string &module : modules)
      hashes.push_back(hashOf(module));
    const auto missing = store_.missing(hashes);
    for (std::size_t i = 0; i < modules.size(); ++i)
      if (std::find(missing.begin(), missing.end(), hashes[i]) != missing.end()) {
        const auto status = store_.add(hashes[i], "m", std::as_bytes(std::span(modules[i])));
        EXPECT_TRUE(status.ok()) << status.message;
      }
    for (const std::string &hash : hashes)
      EXPECT_TRUE(store_.find({hash, "m"}).ok()) << "it cannot be loaded";
    return missing.size();
  }

  static std::size_t openFiles() {
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {}));
  }

  ModuleStore store_{kLimit};
};

TEST_F(ModuleStoreTest, EvictsTheLeastRecentlyUsedModule) {
  const auto before = openFiles();
  for (char which = 'a'; which <= 'z'; ++which)
    EXPECT_EQ(load({bytesOf(which)}), 1U);
  EXPECT_EQ(openFiles(), before + 1) << "of 60 bytes, one fits into 100";
  EXPECT_EQ(load({bytesOf('z')}), 0U);
  EXPECT_EQ(load({bytesOf('a')}), 1U);
}

TEST_F(ModuleStoreTest, KeepsModulesThatAreUsedAgain) {
  const auto third = [](char which) { return std::string(30, which); };
  for (const char which : {'a', 'b', 'c'})
    EXPECT_EQ(load({third(which)}), 1U);
  EXPECT_EQ(load({third('a')}), 0U);
  EXPECT_EQ(load({third('d')}), 1U);
  EXPECT_EQ(load({third('a'), third('c')}), 0U);
  EXPECT_EQ(load({third('b')}), 1U) << "it was the one that nobody wanted for longest";
}

TEST_F(ModuleStoreTest, KeepsAllModulesOfOneProgramHoweverLarge) {
  EXPECT_EQ(load({bytesOf('a'), bytesOf('b'), bytesOf('c')}), 3U);
  EXPECT_EQ(load({bytesOf('a'), bytesOf('b'), bytesOf('c')}), 0U);
}

TEST_F(ModuleStoreTest, KeepsAModuleThatIsOpen) {
  std::ifstream file(TEST_CODELETS, std::ios::binary);
  const std::string codelets{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(load({codelets}), 1U);
  const auto path = store_.find({hashOf(codelets), "m"});
  void *const open = ::dlopen(path->c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(open, nullptr);
  load({bytesOf('a')});
  EXPECT_TRUE(store_.find({hashOf(codelets), "m"}).ok())
      << "the dynamic loader would take the next module with its path for this one";
  ::dlclose(open);
  load({bytesOf('b')});
  EXPECT_FALSE(store_.find({hashOf(codelets), "m"}).ok());
}

TEST_F(ModuleStoreTest, RefusesBytesOfAnotherHash) {
  const std::string module = bytesOf('a');
  const auto status = store_.add(hashOf(bytesOf('b')), "m", std::as_bytes(std::span(module)));
  EXPECT_EQ(status.code, wire::Code::BadFrame);
}

} // namespace
} // namespace copse::ipud
