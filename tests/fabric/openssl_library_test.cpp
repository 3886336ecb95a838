#include "openssl_library.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace copse::fabric {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(OpenSslLibrary, MissingLibraryIsNamedWithItsPackage) {
  const auto loaded = loadOpenSsl("libcrypto-that-is-missing.so", "libm.so.6");
  ASSERT_FALSE(loaded.ok());
  EXPECT_EQ(loaded.status().code, wire::Code::NotFound);
  EXPECT_THAT(loaded.status().message,
              AllOf(HasSubstr("libcrypto-that-is-missing.so"), HasSubstr("install OpenSSL")));
}

TEST(OpenSslLibrary, FunctionThatALibraryLacksIsNamed) {
  const auto loaded = loadOpenSsl("libm.so.6", "libm.so.6");
  ASSERT_FALSE(loaded.ok());
  EXPECT_THAT(loaded.status().message, HasSubstr("BIO_clear_flags"));
}

} // namespace
} // namespace copse::fabric
