// Type, TypeTraits, ArrayRef, StringRef, Interval, OptionFlags, ProfileValue.
#include "declares.hpp"

#include <array>
#include <functional>
#include <initializer_list>
#include <iosfwd>
#include <poplar/ArrayRef.hpp>
#include <poplar/Interval.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/ProfileValue.hpp>
#include <poplar/StringRef.hpp>
#include <poplar/Type.hpp>
#include <poplar/TypeTraits.hpp>
#include <string>
#include <vector>

using namespace poplar;

namespace declared {

// Type.hpp, TypeTraits.hpp
VALUE(Type);
MEMBER(Type, toString, StringRef() const);
GIVES(bool, Type() == Type());
GIVES(bool, Type() != Type());
GIVES(bool, Type() < Type());
GIVES(std::size_t, std::hash<Type>()(Type()));
FIELD(equivalent_device_type<float>, value, const Type &);
FIELD(equivalent_device_type<bool>, value, const Type &);
FIELD(equivalent_device_type<char>, value, const Type &);
FIELD(equivalent_device_type<signed char>, value, const Type &);
FIELD(equivalent_device_type<unsigned char>, value, const Type &);
FIELD(equivalent_device_type<short>, value, const Type &);
FIELD(equivalent_device_type<unsigned short>, value, const Type &);
FIELD(equivalent_device_type<int>, value, const Type &);
FIELD(equivalent_device_type<unsigned>, value, const Type &);
FIELD(equivalent_device_type<long>, value, const Type &);
FIELD(equivalent_device_type<unsigned long>, value, const Type &);
FIELD(equivalent_device_type<long long>, value, const Type &);
FIELD(equivalent_device_type<unsigned long long>, value, const Type &);
FIELD(TypeTraits, size, std::size_t);
FIELD(TypeTraits, align, std::size_t);
FIELD(TypeTraits, isFloat, bool);
FIELD(TypeTraits, isIntegral, bool);
FIELD(TypeTraits, isSigned, bool);
GIVES(TypeTraits, TypeTraits::make<float>());
static_assert(TypeTraits::isSimpleType<float>() && TypeTraits::isSimpleType<bool>() &&
                  !TypeTraits::isSimpleType<std::string>(),
              "a constant expression");

// ArrayRef.hpp
using Sizes = ArrayRef<std::size_t>;
VALUE(Sizes);
using SizeVector = std::vector<std::size_t>;
using SizeArray = std::array<std::size_t, 2>;
using SizeRow = const std::size_t (&)[3];
CONVERTS(const SizeVector &, Sizes);
CONVERTS(std::initializer_list<std::size_t>, Sizes);
CONVERTS(SizeRow, Sizes);
CONVERTS(const SizeArray &, Sizes);
CONVERTS(Sizes, SizeVector);
MADE_FROM(Sizes, const std::size_t *, std::size_t);
MADE_FROM(Sizes, const std::size_t *, const std::size_t *);
MEMBER(Sizes, begin, const std::size_t *() const);
MEMBER(Sizes, end, const std::size_t *() const);
MEMBER(Sizes, data, const std::size_t *() const);
MEMBER(Sizes, size, std::size_t() const);
MEMBER(Sizes, empty, bool() const);
MEMBER(Sizes, operator[], const std::size_t &(std::size_t) const);
MEMBER(Sizes, front, const std::size_t &() const);
MEMBER(Sizes, back, const std::size_t &() const);
MEMBER(Sizes, cloneAsVector, SizeVector() const);
GIVES(bool, Sizes() == Sizes());
GIVES(bool, Sizes() != Sizes());
constexpr Sizes kNoSizes;
static_assert(sizeof(kNoSizes) > 0, "");

// StringRef.hpp
VALUE(StringRef);
CONVERTS(const char *, StringRef);
CONVERTS(const std::string &, StringRef);
CONVERTS(StringRef, std::string);
MADE_FROM(StringRef, const char *, std::size_t);
MEMBER(StringRef, begin, const char *() const);
MEMBER(StringRef, end, const char *() const);
MEMBER(StringRef, data, const char *() const);
MEMBER(StringRef, size, std::size_t() const);
MEMBER(StringRef, empty, bool() const);
MEMBER(StringRef, operator[], char(std::size_t) const);
MEMBER(StringRef, cloneAsString, std::string() const);
extern const StringRef ref;
extern const std::string text;
GIVES(bool, ref == ref && ref == "x" && "x" == ref && ref == text && text == ref);
GIVES(bool, ref != ref || ref != "x" || "x" != ref || ref != text || text != ref);
GIVES(bool, ref < ref || ref < "x" || "x" < ref || ref < text || text < ref);
GIVES(std::string, ref + text);
GIVES(std::string, text + ref);
GIVES(std::string, ref + "x");
GIVES(std::ostream &, std::declval<std::ostream &>() << ref);
GIVES(std::size_t, std::hash<StringRef>()(ref));
constexpr StringRef kNoText;
static_assert(sizeof(kNoText) > 0, "");

// Interval.hpp
static_assert(std::is_same<Interval, GenericInterval<std::size_t>>::value, "Interval");
VALUE(Interval);
MADE_FROM(Interval, unsigned, unsigned);
MADE_FROM(Interval, std::size_t, int);
MEMBER(Interval, begin, const std::size_t &() const);
MEMBER(Interval, end, const std::size_t &() const);
MEMBER(Interval, size, std::size_t() const);
extern const Interval interval;
GIVES(bool, interval == interval && interval != interval && interval < interval);
GIVES(bool, interval <= interval && interval > interval && interval >= interval);
GIVES(std::ostream &, std::declval<std::ostream &>() << interval);
static_assert(Interval(2, 7).size() == 5, "a constant expression");
static_assert(Interval().size() == 0, "a constant expression");

// OptionFlags.hpp
VALUE(OptionFlags);
static_assert(
    std::is_same<OptionFlags::OptionFlag, std::pair<const std::string, std::string>>::value, "");
static_assert(std::is_same<OptionFlags::initializer_list,
                           std::initializer_list<OptionFlags::OptionFlag>>::value,
              "");
CONVERTS(OptionFlags::initializer_list, OptionFlags);
static_assert(std::is_assignable<OptionFlags &, OptionFlags::initializer_list>::value, "");
MEMBER(OptionFlags, set, void(StringRef, StringRef));
MEMBER(OptionFlags, set, void(OptionFlags::initializer_list));
MEMBER(OptionFlags, at, StringRef(StringRef) const);
MEMBER(OptionFlags, clear, void());
MEMBER(OptionFlags, begin, OptionFlags::iterator() const);
MEMBER(OptionFlags, end, OptionFlags::iterator() const);
CONVERTS(decltype((OptionFlags().begin()->first)), const std::string &);
CONVERTS(decltype((OptionFlags().begin()->second)), const std::string &);
GIVES(bool, OptionFlags() == OptionFlags());
GIVES(bool, OptionFlags() != OptionFlags());
GIVES(std::ostream &, std::declval<std::ostream &>() << OptionFlags());
FUNCTION(readJSON, void(StringRef, OptionFlags &));
FUNCTION(readJSON, void(std::istream &, OptionFlags &));
FUNCTION(getAsProfileValue, ProfileValue(const OptionFlags &));

// ProfileValue.hpp
VALUE(ProfileValue);
static_assert(std::is_same<ProfileValue::Boolean, bool>::value, "");
static_assert(std::is_same<ProfileValue::Number, double>::value, "");
static_assert(std::is_same<ProfileValue::String, std::string>::value, "");
static_assert(std::is_same<ProfileValue::Vector, std::vector<ProfileValue>>::value, "");
using ValueMap = std::map<std::string, ProfileValue>;
static_assert(std::is_same<ProfileValue::Map, ValueMap>::value, "");
CONVERTS(bool, ProfileValue);
CONVERTS(int, ProfileValue);
CONVERTS(unsigned, ProfileValue);
CONVERTS(unsigned long, ProfileValue);
CONVERTS(unsigned char, ProfileValue);
CONVERTS(long long, ProfileValue);
CONVERTS(float, ProfileValue);
CONVERTS(double, ProfileValue);
CONVERTS(const char *, ProfileValue);
CONVERTS(StringRef, ProfileValue);
CONVERTS(const std::string &, ProfileValue);
CONVERTS(ProfileValue::Vector &, ProfileValue);
CONVERTS(ProfileValue::Map &, ProfileValue);
MEMBER(ProfileValue, asBool, bool() const);
MEMBER(ProfileValue, asDouble, double() const);
MEMBER(ProfileValue, asInt, int() const);
MEMBER(ProfileValue, asUint, unsigned() const);
MEMBER(ProfileValue, asUint64, std::uint64_t() const);
MEMBER(ProfileValue, asString, const std::string &() const);
MEMBER(ProfileValue, asVector, const ProfileValue::Vector &() const);
MEMBER(ProfileValue, asMap, const ProfileValue::Map &() const);
MEMBER(ProfileValue, operator[], const ProfileValue &(StringRef) const);
MEMBER(ProfileValue, operator[], const ProfileValue &(std::size_t) const);
MEMBER(ProfileValue, size, std::size_t() const);
MEMBER(ProfileValue, sum, double() const);
GIVES(bool, ProfileValue() == ProfileValue());
GIVES(std::ostream &, std::declval<std::ostream &>() << ProfileValue());
GIVES(void, serializeToJSON(std::declval<std::ostream &>(), ProfileValue()));
FUNCTION(serializeToJSON, void(std::ostream &, const ProfileValue &, bool));

} // namespace declared
