#include "expansion.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

namespace copse::popc {
namespace {

Expansion expansionOf(const std::string &source) {
  return expanded(source, {"-D__IPU__=1", "-E", "-P", "-x", "c++", "-"}, "");
}

TEST(Expansion, NotesTestsOfTheMacroOfTheTile) {
  for (const std::string source :
       {"#ifdef __IPU__\n#endif", "#ifndef __IPU__\n#endif", "#if defined(__IPU__)\n#endif",
        "#if __IPU__ > 1\n#endif", "int x = __IPU__;", "#undef __IPU__", "#define __IPU__ 1",
        "#if 0\n#elif defined __IPU__\n#endif", "#if 0\n#elifdef __IPU__\n#endif",
        "#define JOINED(a, b) a##b\n#if JOINED(__I, PU__)\n#endif", "#ifdef __I\\\nPU__\n#endif"})
    EXPECT_TRUE(expansionOf(source + "\n").testsIpu) << source;
  for (const std::string source :
       {"int x;", "// __IPU__", "char s[] = \"__IPU__\";", "#if 0\nint x = __IPU__;\n#endif",
        "#define NAME(x) #x\nchar s[] = NAME(__IPU__);", "#ifdef __IPU__OTHER\n#endif"})
    EXPECT_FALSE(expansionOf(source + "\n").testsIpu) << source;
}

TEST(Expansion, ReadsTheSourceAsStandardInput) {
  EXPECT_EQ(expansionOf("#define N 2\nint x = N;\n").text, "\nint x = 2;\n");
  EXPECT_THROW(expansionOf("#include \"not there\"\n"), std::runtime_error);
}

} // namespace
} // namespace copse::popc
