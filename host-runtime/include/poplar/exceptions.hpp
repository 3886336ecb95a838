#pragma once

#include <cstddef>
#include <iosfwd>
#include <stdexcept>
#include <string>

/// What Poplar throws. Every class can be caught as std::exception and made from a text; `type`
/// holds its name.
namespace poplar {

class DebugContext;

/// Root of what Poplar throws.
struct poplar_error : public std::runtime_error {
  explicit poplar_error(const std::string &s);
  explicit poplar_error(const char *s);

  /// Adds to the text where the program made \p debugContext: " (main.cpp:12)".
  void attachSourceLocation(const DebugContext &debugContext);
  const char *what() const noexcept override { return text_.c_str(); }

  std::string type; ///< name of the class that was thrown

private:
  std::string text_;
};

/// Codelets did not compile.
struct graph_program_compilation_error : public poplar_error {
  explicit graph_program_compilation_error(const std::string &s);
  explicit graph_program_compilation_error(const char *s);
};

/// A codelet module could not be made.
struct graph_object_creation_error : public poplar_error {
  explicit graph_object_creation_error(const std::string &s);
  explicit graph_object_creation_error(const char *s);
};

/// A codelet module could not be loaded.
struct graph_object_load_error : public poplar_error {
  explicit graph_object_load_error(const std::string &s);
  explicit graph_object_load_error(const char *s);
  graph_object_load_error(const std::string &path, const std::string &reason);
};

/// The installation around the library is not complete.
struct no_environment : public poplar_error {
  explicit no_environment(const std::string &s);
  explicit no_environment(const char *s);
};

/// No codelet of this name was added to the graph.
struct unknown_vertex_type : public poplar_error {
  explicit unknown_vertex_type(const std::string &s);
  explicit unknown_vertex_type(const char *s);
};

/// The vertex type has no field of this name.
struct unknown_field : public poplar_error {
  explicit unknown_field(const std::string &s);
  explicit unknown_field(const char *s);
  unknown_field(const std::string &vertexType, const std::string &field);
};

/// A control program was put together wrongly.
struct control_program_error : public poplar_error {
  explicit control_program_error(const std::string &s);
  explicit control_program_error(const char *s);
};

/// A type does not fit.
struct type_error : public poplar_error {
  explicit type_error(const std::string &s);
  explicit type_error(const char *s);
};

/// An index is out of range.
struct index_error : public poplar_error {
  explicit index_error(const std::string &s);
  explicit index_error(const char *s);
  index_error(const std::string &what, std::size_t index);
};

/// A field's size was never given.
struct no_size_specified : public poplar_error {
  explicit no_size_specified(const std::string &s);
  explicit no_size_specified(const char *s);
  no_size_specified(const std::string &vertexType, const std::string &field);
};

/// A field is not connected, connected twice, or to something that does not fit it.
struct graph_connection_error : public poplar_error {
  explicit graph_connection_error(const std::string &s);
  explicit graph_connection_error(const char *s);
};

/// Vertices of one compute set depend on each other.
struct graph_cycle_error : public poplar_error {
  explicit graph_cycle_error(const std::string &s);
  explicit graph_cycle_error(const char *s);
};

/// A function calls itself.
struct graph_recursion_error : public poplar_error {
  explicit graph_recursion_error(const std::string &s);
  explicit graph_recursion_error(const char *s);
};

/// Replication does not fit the target, or the operation does not fit replication.
struct graph_replication_error : public poplar_error {
  explicit graph_replication_error(const std::string &s);
  explicit graph_replication_error(const char *s);
};

/// A profile was asked for that was not recorded.
struct profiling_disabled : public poplar_error {
  explicit profiling_disabled(const std::string &s);
  explicit profiling_disabled(const char *s);
};

/// A profile lacks a part.
struct missing_profile_data : public poplar_error {
  explicit missing_profile_data(const std::string &s);
  explicit missing_profile_data(const char *s);
};

/// An execution profile without its graph profile.
struct missing_graph_profile : public poplar_error {
  explicit missing_graph_profile(const std::string &s);
  explicit missing_graph_profile(const char *s);
};

/// A vertex has no performance estimate.
struct missing_perf_estimate : public poplar_error {
  explicit missing_perf_estimate(const std::string &s);
  explicit missing_perf_estimate(const char *s);
};

/// Elements or vertices are on no tile, or on a tile that does not exist.
struct invalid_tile_mapping : public poplar_error {
  explicit invalid_tile_mapping(const std::string &s);
  explicit invalid_tile_mapping(const char *s);
};

/// A tensor cannot be made like this.
struct tensor_creation_error : public poplar_error {
  explicit tensor_creation_error(const std::string &s);
  explicit tensor_creation_error(const char *s);
};

/// Tensors could not be written or read.
struct tensor_io_state_error : public poplar_error {
  explicit tensor_io_state_error(const std::string &s);
  explicit tensor_io_state_error(const char *s);
};

/// A tensor's metadata is missing or does not fit.
struct tensor_metadata_error : public poplar_error {
  explicit tensor_metadata_error(const std::string &s);
  explicit tensor_metadata_error(const char *s);
};

/// A stream is unknown, not connected, or connected to something that does not fit it.
struct stream_connection_error : public poplar_error {
  explicit stream_connection_error(const std::string &s);
  explicit stream_connection_error(const char *s);
};

/// A number does not fit where it goes.
struct overflow_error : public poplar_error {
  explicit overflow_error(const std::string &s);
  explicit overflow_error(const char *s);
};

/// Constraints on memory elements contradict each other.
struct memory_elem_constraints_error : public poplar_error {
  explicit memory_elem_constraints_error(const std::string &s);
  explicit memory_elem_constraints_error(const char *s);
};

/// The program does not fit into tile memory.
struct graph_memory_allocation_error : public poplar_error {
  explicit graph_memory_allocation_error(const std::string &s);
  explicit graph_memory_allocation_error(const char *s);
  graph_memory_allocation_error(const std::string &s, const std::string &profilePath);

  std::string
      profilePath; ///< the profile that shows what took the memory; empty if none was written
};

/// A stream needs more memory than there is.
struct stream_memory_allocation_error : public poplar_error {
  explicit stream_memory_allocation_error(const std::string &s);
  explicit stream_memory_allocation_error(const char *s);
};

/// A model's numbers make no machine.
struct invalid_machine_model : public poplar_error {
  explicit invalid_machine_model(const std::string &s);
  explicit invalid_machine_model(const char *s);
};

/// An option is unknown or its value does not fit.
struct invalid_option : public poplar_error {
  explicit invalid_option(const std::string &s);
  explicit invalid_option(const char *s);
};

/// Linking codelets failed.
struct link_error : public poplar_error {
  explicit link_error(const std::string &s, const std::string &output = "");
  explicit link_error(const char *s, const std::string &output = "");

  std::string output; ///< what the failed step printed
};

/// A symbol is missing or defined twice.
struct symbol_error : public poplar_error {
  explicit symbol_error(const std::string &s);
  explicit symbol_error(const char *s);
  symbol_error(const std::string &symbol, unsigned tile);
};

/// A file is missing, unreadable or not what it says it is.
struct file_load_error : public poplar_error {
  explicit file_load_error(const std::string &s);
  explicit file_load_error(const char *s);
};

/// A text is not well-formed.
struct parse_error : public poplar_error {
  explicit parse_error(const std::string &s);
  explicit parse_error(const char *s);
};

/// Something went wrong while a program ran.
struct runtime_error : public poplar_error {
  explicit runtime_error(const std::string &s);
  explicit runtime_error(const char *s);
};

/// The program is at fault: a codelet's exception, an abort, a misuse found while running.
struct application_runtime_error : public runtime_error {
  explicit application_runtime_error(const std::string &s);
  explicit application_runtime_error(const char *s);
};

/// The system is at fault.
struct system_runtime_error : public runtime_error {
  explicit system_runtime_error(const std::string &s);
  explicit system_runtime_error(const char *s);
};

/// What makes the system usable again.
enum class RecoveryAction {
  IPU_RESET,       ///< reset the device and load again
  LINK_RESET,      ///< establish the IPU-Links again
  PARTITION_RESET, ///< reset the partition: all its IPUs and links
  FULL_RESET       ///< start everything again
};

/// The enumerator's name.
std::string toString(RecoveryAction action);
std::ostream &operator<<(std::ostream &out, RecoveryAction action);

/// Likely to pass once the action was taken. Made from a text alone, the action is IPU_RESET.
struct recoverable_runtime_error : public system_runtime_error {
  explicit recoverable_runtime_error(const std::string &s);
  explicit recoverable_runtime_error(const char *s);
  recoverable_runtime_error(RecoveryAction action, const std::string &s);
  recoverable_runtime_error(RecoveryAction action, const char *s);

  RecoveryAction getRecoveryAction() const { return recoveryAction_; }

private:
  RecoveryAction recoveryAction_;
};

/// Nothing that the program can do will help.
struct unrecoverable_runtime_error : public system_runtime_error {
  explicit unrecoverable_runtime_error(const std::string &s);
  explicit unrecoverable_runtime_error(const char *s);
};

/// The cause is not known.
struct unknown_runtime_error : public system_runtime_error {
  explicit unknown_runtime_error(const std::string &s);
  explicit unknown_runtime_error(const char *s);
};

} // namespace poplar
