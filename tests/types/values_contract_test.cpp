// Tests what the headers of values document, one row for each behaviour. (Signatures:
// tests/headers/declarations.)
#include "poplar/ArrayRef.hpp"
#include "poplar/DebugContext.hpp"
#include "poplar/IeeeHalf.hpp"
#include "poplar/Interval.hpp"
#include "poplar/OptionFlags.hpp"
#include "poplar/ProfileValue.hpp"
#include "poplar/StringRef.hpp"
#include "poplar/Target.hpp"
#include "poplar/Type.hpp"
#include "poplar/VariableRef.hpp"
#include "poplar/exceptions.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>
#include <unordered_map>
#include <unordered_set>

namespace {

using namespace poplar;

struct Row {
  const char *behaviour;
  bool (*holds)();
};

template <class T> std::string printed(const T &value) {
  std::ostringstream out;
  out << value;
  return out.str();
}

template <class Error, class F> bool throws(F f) {
  try {
    f();
  } catch (const Error &) {
    return true;
  } catch (...) {
  }
  return false;
}

std::string asString(StringRef ref) { return ref; }
std::vector<int> asVector(ArrayRef<int> list) { return list; }

const Row kRows[] = {
    // Type.hpp
    {"Type_prints_its_name", [] { return printed(UNSIGNED_LONGLONG) == "unsigned long long"; }},
    {"Type_names_stand_in_vertex_names",
     [] {
       return "V<" + HALF.toString() + "," + UNSIGNED_INT.toString() + ">" ==
              "V<half,unsigned int>";
     }},
    {"Type_CHAR_is_not_SIGNED_CHAR", [] { return CHAR != SIGNED_CHAR && CHAR != UNSIGNED_CHAR; }},
    {"Type_is_a_key_of_ordered_maps",
     [] {
       const std::map<Type, int> m{{FLOAT, 1}, {HALF, 2}, {INT, 3}};
       return m.size() == 3 && m.at(HALF) == 2;
     }},
    {"Type_is_a_key_of_hashed_maps",
     [] {
       const std::unordered_map<Type, int> m{{FLOAT, 1}, {HALF, 2}};
       return m.at(FLOAT) == 1;
     }},
    {"Type_of_uint32_t_is_UNSIGNED_INT",
     [] { return equivalent_device_type<std::uint32_t>().value == UNSIGNED_INT; }},
    {"Type_of_uint16_t_is_UNSIGNED_SHORT",
     [] { return equivalent_device_type<std::uint16_t>().value == UNSIGNED_SHORT; }},
    {"Type_of_int8_t_is_SIGNED_CHAR",
     [] { return equivalent_device_type<std::int8_t>().value == SIGNED_CHAR; }},
    {"Type_of_uint8_t_is_UNSIGNED_CHAR",
     [] { return equivalent_device_type<std::uint8_t>().value == UNSIGNED_CHAR; }},
    {"Type_of_a_half_of_the_host_is_HALF",
     [] { return equivalent_device_type<IeeeHalf>().value == HALF; }},

    // StringRef.hpp
    {"StringRef_returns_as_a_string", [] { return asString("text") == "text"; }},
    {"StringRef_needs_no_end", [] { return asString(StringRef("text", 2)) == "te"; }},
    {"StringRef_keeps_zero_bytes",
     [] { return StringRef("a\0b", 3).cloneAsString() == std::string("a\0b", 3); }},
    {"StringRef_without_text_is_empty",
     [] {
       return StringRef().empty() && asString(StringRef()).empty() && StringRef().size() == 0;
     }},
    {"StringRef_a_beginning_is_less",
     [] { return StringRef("ab") < StringRef("abc") && !(StringRef("abc") < "ab"); }},
    {"StringRef_orders_by_unsigned_bytes", [] { return StringRef("a") < StringRef("\xC3"); }},
    {"StringRef_finds_in_maps_of_strings",
     [] {
       const std::map<std::string, int> m{{"k", 5}};
       return m.find(StringRef("k"))->second == 5;
     }},
    {"StringRef_indexes_its_characters", [] { return StringRef("abc")[1] == 'b'; }},
    {"StringRef_iterates",
     [] { return std::string(StringRef("abc").begin(), StringRef("abc").end()).size() == 3; }},

    // ArrayRef.hpp
    {"ArrayRef_becomes_a_vector",
     [] {
       return asVector({1, 2}) == std::vector<int>{1, 2};
     }},
    {"ArrayRef_without_elements_is_empty",
     [] { return ArrayRef<int>().empty() && asVector({}).empty(); }},
    {"ArrayRef_of_different_lengths_differ",
     [] {
       const std::vector<int> a{1, 2}, b{1};
       return ArrayRef<int>(a) != ArrayRef<int>(b);
     }},
    {"ArrayRef_compares_elements",
     [] {
       const std::vector<int> a{1, 2};
       const std::array<int, 2> b{1, 2};
       return ArrayRef<int>(a) == ArrayRef<int>(b);
     }},
    {"ArrayRef_knows_its_ends",
     [] {
       const int a[] = {4, 5, 6};
       const ArrayRef<int> ref(a);
       return ref.front() == 4 && ref.back() == 6 && ref[1] == 5 && ref.data() == a;
     }},
    {"ArrayRef_of_two_pointers",
     [] {
       const int a[] = {4, 5, 6};
       return ArrayRef<int>(a, a + 2).size() == 2;
     }},
    {"ArrayRef_takes_a_part",
     [] {
       const std::vector<int> a{1, 2, 3};
       return ArrayRef<int>(a.data() + 1, 2).cloneAsVector() == std::vector<int>{2, 3};
     }},

    // Interval.hpp
    {"Interval_is_empty_at_first",
     [] { return Interval().size() == 0 && Interval().begin() == 0; }},
    {"Interval_takes_any_integers",
     [] {
       const unsigned b = 1;
       const int e = 4;
       return Interval{b, e} == Interval(1, 4);
     }},
    {"Interval_keeps_large_numbers",
     [] { return Interval(1ul << 40, (1ul << 40) + 2).size() == 2; }},
    {"Interval_sorts_in_sets",
     [] {
       const std::set<Interval> s{{2, 3}, {1, 9}, {1, 2}};
       return *s.begin() == Interval(1, 2) && *s.rbegin() == Interval(2, 3);
     }},
    {"Interval_of_other_types", [] { return GenericInterval<int>(-2, 3).size() == 5; }},

    // OptionFlags.hpp
    {"OptionFlags_replace_a_value",
     [] {
       OptionFlags o{{"a", "1"}};
       o.set("a", "2");
       return o.at("a") == "2";
     }},
    {"OptionFlags_set_many",
     [] {
       OptionFlags o{{"a", "1"}};
       o.set({{"a", "2"}, {"b", "3"}});
       return o.at("a") == "2" && o.at("b") == "3";
     }},
    {"OptionFlags_name_what_is_not_there",
     [] {
       try {
         OptionFlags().at("missing");
       } catch (const std::out_of_range &e) {
         return std::string(e.what()).find("missing") != std::string::npos;
       }
       return false;
     }},
    {"OptionFlags_clear",
     [] {
       OptionFlags o{{"a", "1"}};
       o.clear();
       return o == OptionFlags() && o.begin() == o.end();
     }},
    {"OptionFlags_do_not_depend_on_the_order_of_setting",
     [] {
       return OptionFlags{{"a", "1"}, {"b", "2"}} == OptionFlags{{"b", "2"}, {"a", "1"}};
     }},
    {"OptionFlags_keep_an_empty_value",
     [] {
       return OptionFlags{{"a", ""}}.at("a").empty();
     }},

    // ProfileValue.hpp
    {"ProfileValue_keeps_64_bits",
     [] {
       return ProfileValue(std::numeric_limits<std::uint64_t>::max()).asUint64() ==
              ~std::uint64_t{0};
     }},
    {"ProfileValue_bool_is_no_number",
     [] { return throws<type_error>([] { ProfileValue(true).asDouble(); }); }},
    {"ProfileValue_text_is_no_list",
     [] { return throws<type_error>([] { ProfileValue("x").asVector(); }); }},
    {"ProfileValue_refuses_an_index_beyond",
     [] {
       return throws<index_error>([] { ProfileValue(ProfileValue::Vector{1})[std::size_t(1)]; });
     }},
    {"ProfileValue_refuses_a_key_that_is_not_there",
     [] { return throws<index_error>([] {
            ProfileValue(ProfileValue::Map{{"a", 1}})["b"];
          }); }},
    {"ProfileValue_refuses_what_does_not_fit",
     [] { return throws<poplar::overflow_error>([] { ProfileValue(1ull << 40).asInt(); }); }},
    {"ProfileValue_sums_all_numbers",
     [] {
       return ProfileValue(ProfileValue::Map{{"a", 1}, {"b", ProfileValue::Vector{2, 3.5}}})
                  .sum() == 6.5;
     }},
    {"ProfileValue_is_a_value",
     [] {
       ProfileValue a = ProfileValue::Vector{1, "x"};
       const ProfileValue b = a;
       a = 3;
       return b[std::size_t(1)].asString() == "x" && a != b;
     }},
    {"ProfileValue_prints_as_JSON",
     [] {
       std::ostringstream out;
       serializeToJSON(out, ProfileValue::Map{{"a", "q\"q"}, {"b", ProfileValue::Vector{true, 1}}});
       return out.str() == R"({"a":"q\"q","b":[true,1]})";
     }},

    // DebugContext.hpp
    {"DebugContext_names_are_paths",
     [] {
       const DebugNameAndId parent("p");
       return DebugContext(parent, "a/b").getPathName() == "p/a/b";
     }},
    {"DebugContext_of_a_library_is_below_the_caller",
     [] {
       const DebugInfo op("user", "lib");
       return DebugContext(op, "tmp").getPathName() == "user/tmp" &&
              DebugContext(op, "tmp").getParentId() == op.getId();
     }},
    {"DebugInfo_has_an_id_of_its_own",
     [] {
       const DebugInfo a("x", "l"), b("x", "l");
       return a.getId() != 0 && a.getId() != b.getId();
     }},
    {"DebugInfo_records_nothing_without_a_streamer",
     [] { return !DebugInfo("x", "l").setValue("a", 1); }},
    {"SourceLocation_without_a_place_is_not_valid",
     [] { return !SourceLocation().isValid() && SourceLocation::Current().isValid(); }},

    // VariableRef.hpp
    {"VariableRef_hashes_and_orders",
     [] {
       const std::unordered_set<VariableRef> s{{1, 1}, {1, 1}, {2, 1}};
       return s.size() == 2 && VariableRef(1, 1) < VariableRef(2, 1) &&
              VariableRef(1, 1) < VariableRef(1, 2);
     }},
    {"VariableInterval_compares_variable_and_elements",
     [] {
       const VariableInterval a({1, 1}, {0, 4});
       return a == VariableInterval({1, 1}, {0, 4}) && a != VariableInterval({1, 1}, {0, 5}) &&
              a != VariableInterval({2, 1}, {0, 4});
     }},

    // IeeeHalf.hpp
    {"IeeeHalf_rounds_ties_to_even",
     [] {
       return IeeeHalf(2049.0f).bit() == IeeeHalf(2048.0f).bit() &&
              IeeeHalf(2051.0f).bit() == IeeeHalf(2052.0f).bit();
     }},
    {"IeeeHalf_overflows_to_infinity",
     [] { return IeeeHalf(65520.0f).bit() == 0x7C00 && IeeeHalf(65519.0f).bit() == 0x7BFF; }},
    {"IeeeHalf_keeps_NaN", [] { return std::isnan(float(IeeeHalf(std::nanf("")))); }},
    {"IeeeHalf_has_denormals",
     [] { return float(IeeeHalf::fromBits(1)) == 0x1p-24f && IeeeHalf(0x1p-24f).bit() == 1; }},
    {"IeeeHalf_keeps_the_sign_of_zero", [] { return IeeeHalf(-0.0f).bit() == 0x8000; }},
    {"IeeeHalf_computes_as_float",
     [] {
       IeeeHalf h(1.5f);
       h *= 2;
       h += 0.25f;
       return h - 1 == 2.25f;
     }},

    // Target.hpp
    {"Target_copies_floats_where_halves_are_floats",
     [] {
       const float x = 1.0f / 3;
       float y = 0;
       copyFloatToDeviceHalf(Target::createCPUTarget(), &x, &y, 1);
       return x == y;
     }},
    {"Target_with_accurate_halves_has_2_bytes",
     [] { return Target::createCPUTarget(true).getTypeSize(HALF) == 2; }},
    {"Target_doubles_become_halves",
     [] {
       const double x[] = {0.5, 1e9};
       std::uint16_t bits[2];
       double back[2];
       const Target target = Target::createIPUTarget(1, "ipu2");
       copyDoubleToDeviceHalf(target, x, bits, 2);
       copyDeviceHalfToDouble(target, bits, back, 2);
       return back[0] == 0.5 && std::isinf(back[1]);
     }},
    {"Target_memory_elements_start_at_0_and_ascend",
     [] {
       const auto offsets = Target::createIPUTarget(1, "ipu2").getMemoryElementOffsets();
       return offsets.front() == 0 && std::is_sorted(offsets.begin(), offsets.end()) &&
              offsets.back() < Target::createIPUTarget(1, "ipu2").getBytesPerTile();
     }},
    {"Target_every_type_but_bool_fills_a_vector",
     [] {
       const Target target = Target::createIPUTarget(1, "ipu1");
       for (const Type &type : {CHAR, SHORT, UNSIGNED_INT, LONGLONG, HALF, FLOAT})
         if (target.getVectorWidth(type) != std::max<std::size_t>(1, 8 / target.getTypeSize(type)))
           return false;
       return true;
     }},
    {"Target_of_fewer_tiles_keeps_the_rest",
     [] {
       const Target target = Target::createIPUTarget(4, "IPU-POD4"),
                    some = target.createVirtualTarget(2, 10);
       return some.getNumTiles() == 20 && some.getTargetArchString() == "ipu2" &&
              some.getBytesPerTile() == target.getBytesPerTile();
     }},

    // TargetType.hpp, TensorCloneMethod.hpp and others of a word each
    {"TargetType_has_names",
     [] {
       return toString(TargetType::IPU_MODEL) == "IPU_MODEL" && toString(TargetType::CPU) == "CPU";
     }},
    {"RecoveryAction_has_names",
     [] {
       return toString(RecoveryAction::PARTITION_RESET) == "PARTITION_RESET" &&
              printed(RecoveryAction::FULL_RESET) == "FULL_RESET";
     }},

    // exceptions.hpp
    {"exceptions_thrown_by_clients_say_their_class",
     [] {
       return poplar_error("x").type == "poplar_error" &&
              invalid_option("x").type == "invalid_option";
     }},
    {"exceptions_of_memory_have_a_profile",
     [] { return graph_memory_allocation_error("x").profilePath.empty(); }},
    {"exceptions_of_linking_have_the_output",
     [] { return link_error("x", "ld: y").output == "ld: y"; }},
    {"exceptions_that_can_be_recovered_from_say_how",
     [] {
       return recoverable_runtime_error(RecoveryAction::FULL_RESET, "x").getRecoveryAction() ==
              RecoveryAction::FULL_RESET;
     }},
};

class ValueHeaders : public ::testing::TestWithParam<Row> {};
TEST_P(ValueHeaders, BehaveAsDocumented) {
  EXPECT_TRUE(GetParam().holds()) << GetParam().behaviour;
}
INSTANTIATE_TEST_SUITE_P(Rows, ValueHeaders, ::testing::ValuesIn(kRows),
                         [](const auto &row) { return row.param.behaviour; });

} // namespace
