#include "poplar/exceptions.hpp"

#include "poplar/DebugContext.hpp"

#include <ostream>

namespace poplar {

poplar_error::poplar_error(const std::string &s)
    : std::runtime_error(s), type("poplar_error"), text_(s) {}
poplar_error::poplar_error(const char *s) : std::runtime_error(s), type("poplar_error"), text_(s) {}

void poplar_error::attachSourceLocation(const DebugContext &debugContext) {
  const SourceLocation location = debugContext.getLocation();
  if (location.isValid())
    text_ += std::string(" (") + location.getFileName() + ":" +
             std::to_string(location.getLineNumber()) + ")";
}

graph_program_compilation_error::graph_program_compilation_error(const std::string &s)
    : poplar_error(s) {
  type = "graph_program_compilation_error";
}
graph_program_compilation_error::graph_program_compilation_error(const char *s) : poplar_error(s) {
  type = "graph_program_compilation_error";
}

graph_object_creation_error::graph_object_creation_error(const std::string &s) : poplar_error(s) {
  type = "graph_object_creation_error";
}
graph_object_creation_error::graph_object_creation_error(const char *s) : poplar_error(s) {
  type = "graph_object_creation_error";
}

graph_object_load_error::graph_object_load_error(const std::string &s) : poplar_error(s) {
  type = "graph_object_load_error";
}
graph_object_load_error::graph_object_load_error(const char *s) : poplar_error(s) {
  type = "graph_object_load_error";
}
graph_object_load_error::graph_object_load_error(const std::string &path, const std::string &reason)
    : graph_object_load_error("'" + path + "' cannot be loaded: " + reason) {}

no_environment::no_environment(const std::string &s) : poplar_error(s) { type = "no_environment"; }
no_environment::no_environment(const char *s) : poplar_error(s) { type = "no_environment"; }

unknown_vertex_type::unknown_vertex_type(const std::string &s) : poplar_error(s) {
  type = "unknown_vertex_type";
}
unknown_vertex_type::unknown_vertex_type(const char *s) : poplar_error(s) {
  type = "unknown_vertex_type";
}

unknown_field::unknown_field(const std::string &s) : poplar_error(s) { type = "unknown_field"; }
unknown_field::unknown_field(const char *s) : poplar_error(s) { type = "unknown_field"; }
unknown_field::unknown_field(const std::string &vertexType, const std::string &field)
    : unknown_field("vertex type '" + vertexType + "' has no field '" + field + "'") {}

control_program_error::control_program_error(const std::string &s) : poplar_error(s) {
  type = "control_program_error";
}
control_program_error::control_program_error(const char *s) : poplar_error(s) {
  type = "control_program_error";
}

type_error::type_error(const std::string &s) : poplar_error(s) { type = "type_error"; }
type_error::type_error(const char *s) : poplar_error(s) { type = "type_error"; }

index_error::index_error(const std::string &s) : poplar_error(s) { type = "index_error"; }
index_error::index_error(const char *s) : poplar_error(s) { type = "index_error"; }
index_error::index_error(const std::string &what, std::size_t index)
    : index_error(what + ": index " + std::to_string(index) + " is out of range") {}

no_size_specified::no_size_specified(const std::string &s) : poplar_error(s) {
  type = "no_size_specified";
}
no_size_specified::no_size_specified(const char *s) : poplar_error(s) {
  type = "no_size_specified";
}
no_size_specified::no_size_specified(const std::string &vertexType, const std::string &field)
    : no_size_specified("field '" + field + "' of vertex type '" + vertexType +
                        "' has no size; call Graph::setFieldSize") {}

graph_connection_error::graph_connection_error(const std::string &s) : poplar_error(s) {
  type = "graph_connection_error";
}
graph_connection_error::graph_connection_error(const char *s) : poplar_error(s) {
  type = "graph_connection_error";
}

graph_cycle_error::graph_cycle_error(const std::string &s) : poplar_error(s) {
  type = "graph_cycle_error";
}
graph_cycle_error::graph_cycle_error(const char *s) : poplar_error(s) {
  type = "graph_cycle_error";
}

graph_recursion_error::graph_recursion_error(const std::string &s) : poplar_error(s) {
  type = "graph_recursion_error";
}
graph_recursion_error::graph_recursion_error(const char *s) : poplar_error(s) {
  type = "graph_recursion_error";
}

graph_replication_error::graph_replication_error(const std::string &s) : poplar_error(s) {
  type = "graph_replication_error";
}
graph_replication_error::graph_replication_error(const char *s) : poplar_error(s) {
  type = "graph_replication_error";
}

profiling_disabled::profiling_disabled(const std::string &s) : poplar_error(s) {
  type = "profiling_disabled";
}
profiling_disabled::profiling_disabled(const char *s) : poplar_error(s) {
  type = "profiling_disabled";
}

missing_profile_data::missing_profile_data(const std::string &s) : poplar_error(s) {
  type = "missing_profile_data";
}
missing_profile_data::missing_profile_data(const char *s) : poplar_error(s) {
  type = "missing_profile_data";
}

missing_graph_profile::missing_graph_profile(const std::string &s) : poplar_error(s) {
  type = "missing_graph_profile";
}
missing_graph_profile::missing_graph_profile(const char *s) : poplar_error(s) {
  type = "missing_graph_profile";
}

missing_perf_estimate::missing_perf_estimate(const std::string &s) : poplar_error(s) {
  type = "missing_perf_estimate";
}
missing_perf_estimate::missing_perf_estimate(const char *s) : poplar_error(s) {
  type = "missing_perf_estimate";
}

invalid_tile_mapping::invalid_tile_mapping(const std::string &s) : poplar_error(s) {
  type = "invalid_tile_mapping";
}
invalid_tile_mapping::invalid_tile_mapping(const char *s) : poplar_error(s) {
  type = "invalid_tile_mapping";
}

tensor_creation_error::tensor_creation_error(const std::string &s) : poplar_error(s) {
  type = "tensor_creation_error";
}
tensor_creation_error::tensor_creation_error(const char *s) : poplar_error(s) {
  type = "tensor_creation_error";
}

tensor_io_state_error::tensor_io_state_error(const std::string &s) : poplar_error(s) {
  type = "tensor_io_state_error";
}
tensor_io_state_error::tensor_io_state_error(const char *s) : poplar_error(s) {
  type = "tensor_io_state_error";
}

tensor_metadata_error::tensor_metadata_error(const std::string &s) : poplar_error(s) {
  type = "tensor_metadata_error";
}
tensor_metadata_error::tensor_metadata_error(const char *s) : poplar_error(s) {
  type = "tensor_metadata_error";
}

stream_connection_error::stream_connection_error(const std::string &s) : poplar_error(s) {
  type = "stream_connection_error";
}
stream_connection_error::stream_connection_error(const char *s) : poplar_error(s) {
  type = "stream_connection_error";
}

overflow_error::overflow_error(const std::string &s) : poplar_error(s) { type = "overflow_error"; }
overflow_error::overflow_error(const char *s) : poplar_error(s) { type = "overflow_error"; }

memory_elem_constraints_error::memory_elem_constraints_error(const std::string &s)
    : poplar_error(s) {
  type = "memory_elem_constraints_error";
}
memory_elem_constraints_error::memory_elem_constraints_error(const char *s) : poplar_error(s) {
  type = "memory_elem_constraints_error";
}

graph_memory_allocation_error::graph_memory_allocation_error(const std::string &s)
    : poplar_error(s) {
  type = "graph_memory_allocation_error";
}
graph_memory_allocation_error::graph_memory_allocation_error(const char *s)
    : graph_memory_allocation_error(std::string(s)) {}
graph_memory_allocation_error::graph_memory_allocation_error(const std::string &s,
                                                             const std::string &path)
    : graph_memory_allocation_error(s) {
  profilePath = path;
}

stream_memory_allocation_error::stream_memory_allocation_error(const std::string &s)
    : poplar_error(s) {
  type = "stream_memory_allocation_error";
}
stream_memory_allocation_error::stream_memory_allocation_error(const char *s) : poplar_error(s) {
  type = "stream_memory_allocation_error";
}

invalid_machine_model::invalid_machine_model(const std::string &s) : poplar_error(s) {
  type = "invalid_machine_model";
}
invalid_machine_model::invalid_machine_model(const char *s) : poplar_error(s) {
  type = "invalid_machine_model";
}

invalid_option::invalid_option(const std::string &s) : poplar_error(s) { type = "invalid_option"; }
invalid_option::invalid_option(const char *s) : poplar_error(s) { type = "invalid_option"; }

link_error::link_error(const std::string &s, const std::string &text)
    : poplar_error(s), output(text) {
  type = "link_error";
}
link_error::link_error(const char *s, const std::string &text) : link_error(std::string(s), text) {}

symbol_error::symbol_error(const std::string &s) : poplar_error(s) { type = "symbol_error"; }
symbol_error::symbol_error(const char *s) : poplar_error(s) { type = "symbol_error"; }
symbol_error::symbol_error(const std::string &symbol, unsigned tile)
    : symbol_error("tile " + std::to_string(tile) + " has no symbol '" + symbol + "'") {}

file_load_error::file_load_error(const std::string &s) : poplar_error(s) {
  type = "file_load_error";
}
file_load_error::file_load_error(const char *s) : poplar_error(s) { type = "file_load_error"; }

parse_error::parse_error(const std::string &s) : poplar_error(s) { type = "parse_error"; }
parse_error::parse_error(const char *s) : poplar_error(s) { type = "parse_error"; }

runtime_error::runtime_error(const std::string &s) : poplar_error(s) { type = "runtime_error"; }
runtime_error::runtime_error(const char *s) : poplar_error(s) { type = "runtime_error"; }

application_runtime_error::application_runtime_error(const std::string &s) : runtime_error(s) {
  type = "application_runtime_error";
}
application_runtime_error::application_runtime_error(const char *s) : runtime_error(s) {
  type = "application_runtime_error";
}

system_runtime_error::system_runtime_error(const std::string &s) : runtime_error(s) {
  type = "system_runtime_error";
}
system_runtime_error::system_runtime_error(const char *s) : runtime_error(s) {
  type = "system_runtime_error";
}

std::string toString(RecoveryAction action) {
  switch (action) {
  case RecoveryAction::IPU_RESET:
    return "IPU_RESET";
  case RecoveryAction::LINK_RESET:
    return "LINK_RESET";
  case RecoveryAction::PARTITION_RESET:
    return "PARTITION_RESET";
  case RecoveryAction::FULL_RESET:
    return "FULL_RESET";
  }
  return "unknown recovery action";
}

std::ostream &operator<<(std::ostream &out, RecoveryAction action) {
  return out << toString(action);
}

recoverable_runtime_error::recoverable_runtime_error(const std::string &s)
    : recoverable_runtime_error(RecoveryAction::IPU_RESET, s) {}
recoverable_runtime_error::recoverable_runtime_error(const char *s)
    : recoverable_runtime_error(RecoveryAction::IPU_RESET, s) {}
recoverable_runtime_error::recoverable_runtime_error(RecoveryAction action, const std::string &s)
    : system_runtime_error(s), recoveryAction_(action) {
  type = "recoverable_runtime_error";
}
recoverable_runtime_error::recoverable_runtime_error(RecoveryAction action, const char *s)
    : recoverable_runtime_error(action, std::string(s)) {}

unrecoverable_runtime_error::unrecoverable_runtime_error(const std::string &s)
    : system_runtime_error(s) {
  type = "unrecoverable_runtime_error";
}
unrecoverable_runtime_error::unrecoverable_runtime_error(const char *s) : system_runtime_error(s) {
  type = "unrecoverable_runtime_error";
}

unknown_runtime_error::unknown_runtime_error(const std::string &s) : system_runtime_error(s) {
  type = "unknown_runtime_error";
}
unknown_runtime_error::unknown_runtime_error(const char *s) : system_runtime_error(s) {
  type = "unknown_runtime_error";
}

} // namespace poplar
