// Tests that the folders in which a compiler looks for headers are read from its output with -v,
// which also has messages before and between them.
#include "popc/include_folders.hpp"

#include <gtest/gtest.h>

namespace copse::popc {
namespace {

const std::string kVerbose = R"(Debian clang version 16.0.6 (15~deb12u1)
Target: x86_64-pc-linux-gnu
InstalledDir: /usr/bin
clang: warning: argument unused during compilation: '-L x'
 "/usr/lib/llvm-16/bin/clang" -cc1 -E -D "text=warning: " -o - -x c++ -
clang -cc1 version 16.0.6 based upon LLVM 16.0.6 default target x86_64-pc-linux-gnu
ignoring nonexistent directory "/include"
#include "..." search starts here:
 /home/me
#include <...> search starts here:
 /usr/include/c++/12
 /usr/include
End of search list.
)";

TEST(IncludeFolders, AreReadFromTheCompilersOutput) {
  const auto folders = includeFoldersIn(kVerbose + "a.cpp:1:2: warning: #warning mind this\n");
  ASSERT_TRUE(folders);
  EXPECT_EQ(folders->searched,
            (std::vector<std::string>{"/home/me", "/usr/include/c++/12", "/usr/include"}));
  EXPECT_EQ(folders->missing, std::vector<std::string>{"/include"});
}

TEST(IncludeFolders, AreUnknownWithoutTheCompilersOutput) {
  EXPECT_FALSE(includeFoldersIn("clang: error: unknown argument: '-fno'\n"));
}

TEST(WithoutVerbosity, LeavesTheMessagesOfDriverAndCompiler) {
  const std::string warning =
      "a.cpp:1:2: warning: #warning mind this\n    1 | #warning mind this\n";
  EXPECT_EQ(withoutVerbosity(kVerbose + warning),
            "clang: warning: argument unused during compilation: '-L x'\n" + warning);
}

TEST(WithoutVerbosity, LeavesTheErrorOfADriverThatStartsNoCompiler) {
  EXPECT_EQ(withoutVerbosity("Debian clang version 16.0.6\nTarget: x86_64-pc-linux-gnu\n"
                             "clang: error: unknown argument: '-fno'\n"),
            "clang: error: unknown argument: '-fno'\n");
}

TEST(WithoutVerbosity, LeavesMessagesThatItDoesNotUnderstand) {
  EXPECT_EQ(withoutVerbosity("out of licences\n"), "out of licences\n");
}

} // namespace
} // namespace copse::popc
