#include "poplar/DebugContext.hpp"
#include "poplar/Error.hpp"
#include "poplar/exceptions.hpp"

#include <gtest/gtest.h>

namespace {

using namespace poplar;

template <class E> void expectMakes(const char *name) {
  const E fromText(std::string("what"));
  const E fromLiteral("what");
  EXPECT_EQ(fromText.type, name);
  EXPECT_EQ(fromLiteral.type, name);
  EXPECT_STREQ(fromText.what(), "what");
  EXPECT_STREQ(fromLiteral.what(), "what");
  static_assert(std::is_base_of_v<poplar_error, E>);
  static_assert(std::is_base_of_v<std::runtime_error, E>);
}

TEST(Exceptions, KnowTheirNamesAndTexts) {
#define EXPECT_MAKES(E) expectMakes<E>(#E)
  EXPECT_MAKES(poplar_error);
  EXPECT_MAKES(graph_program_compilation_error);
  EXPECT_MAKES(graph_object_creation_error);
  EXPECT_MAKES(graph_object_load_error);
  EXPECT_MAKES(no_environment);
  EXPECT_MAKES(unknown_vertex_type);
  EXPECT_MAKES(unknown_field);
  EXPECT_MAKES(control_program_error);
  EXPECT_MAKES(type_error);
  EXPECT_MAKES(index_error);
  EXPECT_MAKES(no_size_specified);
  EXPECT_MAKES(graph_connection_error);
  EXPECT_MAKES(graph_cycle_error);
  EXPECT_MAKES(graph_recursion_error);
  EXPECT_MAKES(graph_replication_error);
  EXPECT_MAKES(profiling_disabled);
  EXPECT_MAKES(missing_profile_data);
  EXPECT_MAKES(missing_graph_profile);
  EXPECT_MAKES(missing_perf_estimate);
  EXPECT_MAKES(invalid_tile_mapping);
  EXPECT_MAKES(tensor_creation_error);
  EXPECT_MAKES(tensor_io_state_error);
  EXPECT_MAKES(tensor_metadata_error);
  EXPECT_MAKES(stream_connection_error);
  EXPECT_MAKES(overflow_error);
  EXPECT_MAKES(memory_elem_constraints_error);
  EXPECT_MAKES(graph_memory_allocation_error);
  EXPECT_MAKES(stream_memory_allocation_error);
  EXPECT_MAKES(invalid_machine_model);
  EXPECT_MAKES(invalid_option);
  EXPECT_MAKES(link_error);
  EXPECT_MAKES(symbol_error);
  EXPECT_MAKES(file_load_error);
  EXPECT_MAKES(parse_error);
  EXPECT_MAKES(runtime_error);
  EXPECT_MAKES(application_runtime_error);
  EXPECT_MAKES(system_runtime_error);
  EXPECT_MAKES(recoverable_runtime_error);
  EXPECT_MAKES(unrecoverable_runtime_error);
  EXPECT_MAKES(unknown_runtime_error);
#undef EXPECT_MAKES
}

template <class Derived, class Base> constexpr bool kIsA = std::is_base_of_v<Base, Derived>;

TEST(Exceptions, FormPoplarsTree) {
  static_assert(kIsA<application_runtime_error, poplar::runtime_error>);
  static_assert(kIsA<recoverable_runtime_error, system_runtime_error>);
  static_assert(kIsA<unrecoverable_runtime_error, system_runtime_error>);
  static_assert(kIsA<unknown_runtime_error, system_runtime_error>);
  static_assert(kIsA<system_runtime_error, poplar::runtime_error>);
  static_assert(!kIsA<application_runtime_error, system_runtime_error>);
  static_assert(!kIsA<graph_connection_error, poplar::runtime_error>);
  try {
    throw recoverable_runtime_error(RecoveryAction::PARTITION_RESET, "link 0-1 is down");
  } catch (const poplar_error &e) {
    EXPECT_EQ(e.type, "recoverable_runtime_error");
  }
}

TEST(Exceptions, CarryTheirDetails) {
  EXPECT_EQ(graph_memory_allocation_error("x").profilePath, "");
  EXPECT_EQ(graph_memory_allocation_error("x", "dir/profile.pop").profilePath, "dir/profile.pop");
  EXPECT_EQ(link_error("x", "ld: no").output, "ld: no");
  const recoverable_runtime_error reset(RecoveryAction::FULL_RESET, "x");
  EXPECT_EQ(reset.getRecoveryAction(), RecoveryAction::FULL_RESET);
  EXPECT_EQ(toString(reset.getRecoveryAction()), "FULL_RESET");
  EXPECT_EQ(toString(RecoveryAction::LINK_RESET), "LINK_RESET");
}

TEST(Exceptions, ShowTheirParts) {
  const std::string path = "a.gp", field = "in", type = "Vertex";
  EXPECT_STREQ(graph_object_load_error(path, "no such file").what(),
               "'a.gp' cannot be loaded: no such file");
  EXPECT_STREQ(unknown_field(type, field).what(), "vertex type 'Vertex' has no field 'in'");
  EXPECT_STREQ(index_error(field, 7).what(), "in: index 7 is out of range");
  EXPECT_STREQ(no_size_specified(type, field).what(),
               "field 'in' of vertex type 'Vertex' has no size; call Graph::setFieldSize");
  EXPECT_STREQ(symbol_error(field, 3).what(), "tile 3 has no symbol 'in'");
  EXPECT_EQ(index_error(field, 7).type, "index_error");
}

TEST(Exceptions, NameTheOriginOfTheirContext) {
  index_error error("row 7");
  error.attachSourceLocation(DebugContext("t", SourceLocation("main", "main.cpp", 12)));
  EXPECT_STREQ(error.what(), "row 7 (main.cpp:12)");
  const poplar_error copy = error;
  EXPECT_STREQ(copy.what(), "row 7 (main.cpp:12)");
  error.attachSourceLocation(DebugContext("t", SourceLocation()));
  EXPECT_STREQ(error.what(), "row 7 (main.cpp:12)");
}

TEST(ErrorCodes, HaveNames) {
  EXPECT_EQ(toString(ErrorCode::HOST_SYNC_TIMEOUT), "HOST_SYNC_TIMEOUT");
  EXPECT_EQ(errorCodeToString(ErrorCode::FLOATING_POINT_OVERFLOW), "FLOATING_POINT_OVERFLOW");
}

TEST(ErrorCodes, AreFoundByTheirNames) {
  for (int code = 0; code <= static_cast<int>(ErrorCode::IPU_MEMORY_FAILURE); ++code)
    EXPECT_EQ(static_cast<int>(errorCodeFromString(toString(static_cast<ErrorCode>(code)))), code);
  EXPECT_THROW(errorCodeFromString("OVERFLOW"), poplar_error);
}

} // namespace
