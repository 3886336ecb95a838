#include "image_builder.hpp"
#include "tile/modules.hpp"

#include <gmock/gmock.h>

namespace copse::ipud {
namespace {

using test::ImageBuilder;
using test::moduleAt;
using ::testing::HasSubstr;

const NativeServices kNoServices;

TEST(Modules, FindsTheEntryPoints) {
  ImageBuilder b(1);
  b.function("addWorker", true);
  b.function("empty");
  const auto modules = Modules::open(b.image, moduleAt(TEST_CODELETS), kNoServices);
  ASSERT_TRUE(modules.ok()) << modules.status().message;
  EXPECT_TRUE((*modules).entry(1)(nullptr, 0));
  EXPECT_NE((*modules).entry(0), (*modules).entry(1));
}

/// A module that cannot be used, and the text that its message must contain.
struct RefusedCase {
  const char *name;
  const char *path;
  const char *symbol;
  const char *message;
} const kRefused[] = {
    {"OtherSlots", TEST_CODELETS_SLOTS, "empty", "slots of 2^20"},
    {"OtherCpu", TEST_CODELETS_CPU, "empty", "x86-64-v9"},
    {"NoSuchCodelet", TEST_CODELETS, "missing",
     "has no codelet 'missing' for vertex 'Type<missing>'"},
    {"NoSuchFile", "/nonexistent/module.so", "empty", "cannot be opened"},
    {"NoElf", "/proc/self/status", "empty", "cannot be opened"},
    {"NoModuleOfOurs", "libm.so.6", "empty", "is no codelet module"},
};

class ModulesRefuse : public ::testing::TestWithParam<RefusedCase> {};

TEST_P(ModulesRefuse, AFileWithTheReason) {
  ImageBuilder b(1);
  b.function(GetParam().symbol);
  const auto modules = Modules::open(b.image, moduleAt(GetParam().path), kNoServices);
  ASSERT_FALSE(modules.ok());
  EXPECT_EQ(modules.status().code, wire::Code::InvalidImage);
  EXPECT_THAT(modules.status().message, HasSubstr("'test_codelets'"));
  EXPECT_THAT(modules.status().message, HasSubstr(GetParam().message));
}
INSTANTIATE_TEST_SUITE_P(Cases, ModulesRefuse, ::testing::ValuesIn(kRefused),
                         [](const auto &p) { return p.param.name; });

TEST(Modules, PassesOnWhyAModuleIsMissing) {
  ImageBuilder b(1);
  const auto isGone = [](const wire::ModuleRef &) {
    return wire::Result<std::filesystem::path>(wire::Status{wire::Code::NotFound, "gone"});
  };
  const auto modules = Modules::open(b.image, isGone, kNoServices);
  EXPECT_EQ(modules.status().code, wire::Code::NotFound);
}

} // namespace
} // namespace copse::ipud
