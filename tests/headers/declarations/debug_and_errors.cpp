// DebugContext, DebugNameAndId, DebugInfo, SourceLocation; exceptions.
#include "declares.hpp"

#include <exception>
#include <iosfwd>
#include <poplar/DebugContext.hpp>
#include <poplar/ProfileValue.hpp>
#include <poplar/exceptions.hpp>
#include <stdexcept>
#include <string>

using namespace poplar;

namespace declared {

// SourceLocation.hpp
static_assert(std::is_same<DebugId, std::uint64_t>::value, "DebugId");
VALUE(SourceLocation);
MADE_FROM(SourceLocation, const char *, const char *, unsigned);
MEMBER(SourceLocation, getFunctionName, const char *() const);
MEMBER(SourceLocation, getFileName, const char *() const);
MEMBER(SourceLocation, getLineNumber, unsigned() const);
MEMBER(SourceLocation, isValid, bool() const);
FUNCTION(SourceLocation::Current, SourceLocation(const char *, const char *, unsigned));
GIVES(SourceLocation, SourceLocation::Current());

// DebugNameAndId.hpp
VALUE(DebugNameAndId);
MADE_FROM(DebugNameAndId, std::string, DebugId, std::string);
CONVERTS(std::string, DebugNameAndId);
CONVERTS(const char *, DebugNameAndId);
CONVERTS(DebugId, DebugNameAndId);
CONVERTS(const DebugInfo &, DebugNameAndId);
MADE_FROM(DebugNameAndId, const DebugInfo &, std::string);
MADE_FROM(DebugNameAndId, const DebugNameAndId &, std::string);
MEMBER(DebugNameAndId, getName, std::string() const);
MEMBER(DebugNameAndId, getPathName, std::string() const);
MEMBER(DebugNameAndId, getParentPath, std::string() const);
MEMBER(DebugNameAndId, getParentId, DebugId() const);

// DebugContext.hpp
VALUE(DebugContext);
CONVERTS(SourceLocation, DebugContext);
CONVERTS(const char *, DebugContext);
CONVERTS(StringRef, DebugContext);
CONVERTS(std::string, DebugContext);
CONVERTS(const DebugInfo &, DebugContext);
CONVERTS(const DebugNameAndId &, DebugContext);
MADE_FROM(DebugContext, const char *, SourceLocation);
MADE_FROM(DebugContext, StringRef, SourceLocation);
MADE_FROM(DebugContext, std::string, SourceLocation);
MADE_FROM(DebugContext, const DebugInfo &, std::string, SourceLocation);
MADE_FROM(DebugContext, const DebugNameAndId &, std::string, SourceLocation);
MEMBER(DebugContext, getPathName, std::string() const);

// DebugInfo
MADE_FROM(DebugInfo, const DebugContext &, std::string);
static_assert(!std::is_copy_constructible<DebugInfo>::value, "");
static_assert(std::has_virtual_destructor<DebugInfo>::value, "");
MEMBER(DebugInfo, getId, DebugId() const);
MEMBER(DebugInfo, getPathName, std::string() const);
MEMBER(DebugInfo, setValue, bool(std::string, const ProfileValue &));
FUNCTION(DebugInfo::initializeStreamer,
         void(const std::string &, const DebugSerializationFormat &));
GIVES(void, DebugInfo::initializeStreamer("file"));
FUNCTION(DebugInfo::closeStreamer, void());
static_assert(DebugSerializationFormat::JSON != DebugSerializationFormat::CBOR, "");

// exceptions.hpp: all are thrown by clients, too.
#define ERROR(Class, Base)                                                                         \
  BELOW(Class, Base);                                                                              \
  MADE_FROM(Class, const std::string &);                                                           \
  MADE_FROM(Class, const char *)

ERROR(poplar_error, std::runtime_error);
FIELD(poplar_error, type, std::string);
ERROR(poplar::runtime_error, poplar_error);
ERROR(application_runtime_error, poplar::runtime_error);
ERROR(system_runtime_error, poplar::runtime_error);
ERROR(recoverable_runtime_error, system_runtime_error);
MADE_FROM(recoverable_runtime_error, RecoveryAction, const std::string &);
MEMBER(recoverable_runtime_error, getRecoveryAction, RecoveryAction() const);
ERROR(unrecoverable_runtime_error, system_runtime_error);
ERROR(unknown_runtime_error, system_runtime_error);
ERROR(graph_memory_allocation_error, poplar_error);
FIELD(graph_memory_allocation_error, profilePath, std::string);
ERROR(graph_connection_error, poplar_error);
ERROR(graph_cycle_error, poplar_error);
ERROR(graph_program_compilation_error, poplar_error);
ERROR(control_program_error, poplar_error);
ERROR(file_load_error, poplar_error);
ERROR(invalid_option, poplar_error);
ERROR(link_error, poplar_error);
FIELD(link_error, output, std::string);
ERROR(graph_replication_error, poplar_error);
ERROR(graph_recursion_error, poplar_error);
ERROR(invalid_machine_model, poplar_error);
ERROR(invalid_tile_mapping, poplar_error);
ERROR(index_error, poplar_error);
ERROR(poplar::overflow_error, poplar_error);
ERROR(memory_elem_constraints_error, poplar_error);
ERROR(stream_connection_error, poplar_error);
ERROR(stream_memory_allocation_error, poplar_error);
ERROR(tensor_creation_error, poplar_error);
ERROR(tensor_io_state_error, poplar_error);
ERROR(type_error, poplar_error);
ERROR(parse_error, poplar_error);
ERROR(unknown_field, poplar_error);
ERROR(unknown_vertex_type, poplar_error);
ERROR(symbol_error, poplar_error);
static_assert(RecoveryAction::IPU_RESET != RecoveryAction::PARTITION_RESET &&
                  RecoveryAction::FULL_RESET != RecoveryAction::LINK_RESET,
              "");
FUNCTION(toString, std::string(RecoveryAction));
GIVES(std::ostream &, std::declval<std::ostream &>() << RecoveryAction::IPU_RESET);

} // namespace declared
