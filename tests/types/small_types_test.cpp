#include "poplar/ArrayRef.hpp"
#include "poplar/CodeletFileType.hpp"
#include "poplar/DataStream.hpp"
#include "poplar/DebugContext.hpp"
#include "poplar/Interval.hpp"
#include "poplar/StringRef.hpp"
#include "poplar/Type.hpp"
#include "poplar/TypeTraits.hpp"
#include "poplar/exceptions.hpp"
#include "types/element_type.hpp"

#include <gmock/gmock.h>

#include <map>
#include <set>
#include <sstream>
#include <unordered_map>

namespace {

using namespace poplar;
using ::testing::ElementsAre;

// Initialised before main(), possibly before other static objects.
const Type earlyType = FLOAT;
const std::string earlyName = UNSIGNED_INT.toString();
const std::map<Type, std::string> earlyMap{{HALF, "h"}, {FLOAT, "f"}};

TEST(Types, AreUsableWhileStaticsAreInitialised) {
  EXPECT_EQ(earlyType, FLOAT);
  EXPECT_EQ(earlyName, "unsigned int");
  EXPECT_EQ(earlyMap.at(HALF), "h");
}

/// Programs store references of this type to the constants.
TEST(Types, AreFoundThroughReferencesThatAreNotConst) {
  Type &type = FLOAT;
  EXPECT_EQ(&type, &FLOAT);
}

TEST(Types, IncludeThreeFloatingPointTypes) {
  EXPECT_TRUE(FLOAT.isFloatingPoint() && HALF.isFloatingPoint() && QUARTER.isFloatingPoint());
  EXPECT_FALSE(INT.isFloatingPoint() || BOOL.isFloatingPoint() ||
               QUARTER_METADATA.isFloatingPoint());
  EXPECT_EQ(FLOAT.hash(), std::hash<Type>()(FLOAT));
  EXPECT_NE(FLOAT.hash(), HALF.hash());
}

TEST(CodeletFileTypes, AreKnownByTheirExtensions) {
  EXPECT_EQ(getCodeletFileType("a/b.c/code.cpp"), CodeletFileType::CppSource);
  EXPECT_EQ(getCodeletFileType("code.S"), CodeletFileType::AsmSource);
  EXPECT_EQ(getCodeletFileType("code.gp"), CodeletFileType::Object);
  EXPECT_EQ(getCodeletFileType("code"), CodeletFileType::Auto);
  for (int type = 0; type < static_cast<int>(CodeletFileType::Auto); ++type) {
    const auto expected = static_cast<CodeletFileType>(type);
    const std::string name = "x" + std::string(getExtensionFromFileType(expected));
    EXPECT_EQ(getCodeletFileType(name.c_str()), expected);
  }
  EXPECT_EQ(getLanguageOption(CodeletFileType::CppSource), "c++");
  EXPECT_EQ(getLanguageOption(CodeletFileType::Object), "");
}

TEST(DataStreamTypes, KnowTheirDirection) {
  EXPECT_TRUE(isHostToDevice(DataStreamType::HostToDeviceFIFO));
  EXPECT_TRUE(isDeviceToHost(DataStreamType::DeviceToHostBuffer));
  EXPECT_FALSE(isDeviceToHost(DataStreamType::HostToDeviceBuffer));
  EXPECT_TRUE(isRemoteBuffer(DataStreamType::HostToDeviceBuffer));
  EXPECT_FALSE(isRemoteBuffer(DataStreamType::DeviceToHostFIFO));
}

TEST(Types, SpellThemselvesAsInVertexNames) {
  const std::pair<Type, const char *> expected[] = {
      {BOOL, "bool"},
      {CHAR, "char"},
      {SIGNED_CHAR, "signed char"},
      {UNSIGNED_CHAR, "unsigned char"},
      {SHORT, "short"},
      {UNSIGNED_SHORT, "unsigned short"},
      {INT, "int"},
      {UNSIGNED_INT, "unsigned int"},
      {LONG, "long"},
      {UNSIGNED_LONG, "unsigned long"},
      {LONGLONG, "long long"},
      {UNSIGNED_LONGLONG, "unsigned long long"},
      {HALF, "half"},
      {FLOAT, "float"},
  };
  std::set<Type> distinct;
  std::unordered_map<Type, int> hashed;
  for (const auto &[type, name] : expected) {
    EXPECT_EQ(type.toString(), name);
    distinct.insert(type);
    hashed[type] = 1;
  }
  EXPECT_EQ(distinct.size(), std::size(expected));
  EXPECT_EQ(hashed.size(), std::size(expected));
}

TEST(Types, DefaultConstructedDiffersFromAll) {
  EXPECT_NE(Type(), BOOL);
  EXPECT_THROW(copse::types::elementType(Type()), type_error);
}

TEST(Types, ConvertToElementTypesAndBack) {
  using copse::types::ElementType;
  for (unsigned i = 0; i != static_cast<unsigned>(ElementType::Other); ++i) {
    const auto element = static_cast<ElementType>(i);
    EXPECT_EQ(copse::types::elementType(copse::types::typeOf(element).value()), element);
  }
  EXPECT_EQ(copse::types::elementType(HALF), ElementType::Half);
  EXPECT_EQ(copse::types::elementType(LONGLONG), ElementType::LongLong);
  EXPECT_FALSE(copse::types::typeOf(ElementType::Other));
}

TEST(Types, HaveHostEquivalents) {
  EXPECT_EQ(equivalent_device_type<float>().value, FLOAT);
  EXPECT_EQ(equivalent_device_type<unsigned>().value, UNSIGNED_INT);
  EXPECT_EQ(equivalent_device_type<bool>().value, BOOL);
  EXPECT_EQ(equivalent_device_type<long long>().value, LONGLONG);
}

TEST(TypeTraits, DescribeHostData) {
  EXPECT_EQ(TypeTraits::make<double>().size, sizeof(double));
  EXPECT_EQ(TypeTraits::make<short>().kind, TypeTraits::Kind::Signed);
  static_assert(TypeTraits::isSimpleType<unsigned char>());
  static_assert(!TypeTraits::isSimpleType<std::string>());
}

TEST(TypeTraits, DistinguishKindsOfNumbers) {
  const TypeTraits half = TypeTraits::make<IeeeHalf>(), word = TypeTraits::make<unsigned>(),
                   text = TypeTraits::make<std::string>();
  EXPECT_TRUE(half.isFloat && !half.isIntegral);
  EXPECT_TRUE(word.isIntegral && !word.isSigned && !word.isFloat);
  EXPECT_TRUE(TypeTraits::make<int>().isSigned);
  EXPECT_FALSE(text.isFloat || text.isIntegral || text.isSigned);
}

TEST(StringRefs, CompareByContent) {
  const std::string s = "abc";
  const StringRef ref = s;
  EXPECT_TRUE(ref == "abc" && "abc" == ref && ref == s && s == ref);
  EXPECT_TRUE(ref != "abd" && ref < "abd" && StringRef("ab") < ref && ref > "ab");
  EXPECT_FALSE(ref < "abc");
  EXPECT_EQ(std::hash<StringRef>()(ref), std::hash<StringRef>()("abc"));
}

TEST(StringRefs, ConcatenateAndPrint) {
  const StringRef part("xyz", 2);
  EXPECT_EQ("a" + part + std::string("b") + part, "axybxy");
  std::ostringstream out;
  out << part << StringRef() << StringRef(nullptr);
  EXPECT_EQ(out.str(), "xy");
}

TEST(ArrayRefs, SeeWhatTheyWereMadeFrom) {
  const std::vector<int> v{1, 2, 3};
  const int array[] = {1, 2, 3};
  const auto sum = [](ArrayRef<int> list) {
    int total = 0;
    for (const int x : list)
      total += x;
    return total;
  };
  EXPECT_EQ(sum(v), 6);
  EXPECT_EQ(sum(array), 6);
  EXPECT_EQ(sum({4, 5}), 9);
  EXPECT_EQ(sum({}), 0);
  EXPECT_EQ(sum({v.data() + 1, 2}), 5);
  EXPECT_TRUE(ArrayRef<int>(v) == array);
  EXPECT_THAT(ArrayRef<int>(v).cloneAsVector(), ElementsAre(1, 2, 3));
}

TEST(ArrayRefs, DoubledBracesAreOneShape) {
  const auto rank = [](ArrayRef<std::size_t> shape) { return shape.size(); };
  EXPECT_EQ(rank({{3, 10500, 3}}), 3u);
  EXPECT_EQ(rank({3}), 1u);
}

TEST(Intervals, AreOrderedByBeginThenEnd) {
  EXPECT_LT(Interval(1, 5), Interval(2, 3));
  EXPECT_LT(Interval(1, 2), Interval(1, 3));
  EXPECT_GE(Interval(1, 3), Interval(1, 3));
  EXPECT_EQ(Interval(2u, 7u).size(), 5u);
  std::ostringstream out;
  out << Interval(1, 4);
  EXPECT_EQ(out.str(), "[1,4)");
}

std::string pathOf(const DebugContext &dc) { return dc.getPathName(); }

TEST(DebugContexts, JoinPathsWithoutEmptyComponents) {
  const DebugNameAndId parent("p"), none;
  EXPECT_EQ(pathOf("n"), "n");
  EXPECT_EQ(pathOf(std::string("n")), "n");
  EXPECT_EQ(pathOf(StringRef("nm", 1)), "n");
  EXPECT_EQ(pathOf({}), "");
  EXPECT_EQ(pathOf(parent), "p");
  EXPECT_EQ(pathOf({parent, "n"}), "p/n");
  EXPECT_EQ(pathOf({parent, ""}), "p");
  EXPECT_EQ(pathOf({none, "n"}), "n");
  EXPECT_EQ(pathOf({DebugNameAndId(parent, "q"), "n"}), "p/q/n");
}

TEST(DebugContexts, MakeNamesBelowOtherContexts) {
  const DebugContext outer(DebugNameAndId("outer", 7));
  const DebugContext inner{outer, "inner"};
  EXPECT_EQ(inner.getPathName(), "outer/inner");
  EXPECT_EQ(inner.getParentId(), 7u);
  EXPECT_EQ((DebugContext{outer, ""}.getPathName()), "outer");
}

TEST(DebugContexts, PrintTheirPaths) {
  std::ostringstream out;
  out << DebugContext(DebugNameAndId("c", 1, "b"), "a") << ' ' << DebugNameAndId("c", 1, "b");
  EXPECT_EQ(out.str(), "b/c/a b/c");
}

TEST(DebugContexts, KnowTheirParent) {
  const DebugInfo info("op", "layer");
  const DebugContext below(info, "x");
  EXPECT_EQ(below.getPathName(), "op/x");
  EXPECT_EQ(below.getParentId(), info.getId());
  const DebugNameAndId handed(info, "y");
  EXPECT_EQ(DebugContext(handed, "z").getPathName(), "op/y/z");
  EXPECT_EQ(DebugContext(handed).getParentId(), info.getId());
  EXPECT_EQ(handed.getName(), "y");
  EXPECT_EQ(handed.getParentPath(), "op");
}

TEST(DebugContexts, KnowTheirCaller) {
  const auto lineOf = [](const DebugContext &dc) { return dc.getLocation().getLineNumber(); };
  const unsigned line = __LINE__ + 1;
  EXPECT_EQ(lineOf("x"), line);
}

} // namespace
