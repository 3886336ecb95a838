#pragma once

#include <cstddef>
#include <iosfwd>
#include <stdexcept>
#include <string>

/// Exceptions: every class can be caught as std::exception and made from a text; `type` holds its
/// name.
namespace poplar {

class DebugContext;

/// Root of all exceptions of Poplar: catches every error that the library reports. The text says
/// what is wrong, where, and what to do.
struct poplar_error : public std::runtime_error {
  ///@{

  /// Makes the exception with its text.
  explicit poplar_error(const std::string &s);
  explicit poplar_error(const char *s);
  ///@}

  /// Adds to the text where the program made \p debugContext: " (main.cpp:12)".
  void attachSourceLocation(const DebugContext &debugContext);
  /// Returns the text, valid as long as the exception.
  const char *what() const noexcept override { return text_.c_str(); }

  /// The name of the class that was thrown.
  std::string type;

private:
  std::string text_;
};

/// Reports that codelets did not compile; the text has the compiler's messages. See User guide,
/// 2.8.
struct graph_program_compilation_error : public poplar_error {
  ///@{

  /// Makes the exception with its text.
  explicit graph_program_compilation_error(const std::string &s);
  explicit graph_program_compilation_error(const char *s);
  ///@}
};

/// Reports that a codelet module could not be made.
struct graph_object_creation_error : public poplar_error {
  ///@{

  /// Makes the exception with its text.
  explicit graph_object_creation_error(const std::string &s);
  explicit graph_object_creation_error(const char *s);
  ///@}
};

/// Reports that a codelet module could not be loaded. Copse throws file_load_error instead.
struct graph_object_load_error : public poplar_error {
  ///@{

  /// Makes the exception with its text.
  explicit graph_object_load_error(const std::string &s);
  explicit graph_object_load_error(const char *s);
  graph_object_load_error(const std::string &path, const std::string &reason);
  ///@}
};

/// Reports that the installation or the environment is not complete: a variable, a cluster file, a
/// server.
struct no_environment : public poplar_error {
  ///@{

  /// Makes the exception with its text.
  explicit no_environment(const std::string &s);
  explicit no_environment(const char *s);
  ///@}
};

/// Reports that no codelet of this name was added to the graph.
struct unknown_vertex_type : public poplar_error {
  ///@{

  /// Makes the exception with its text.
  explicit unknown_vertex_type(const std::string &s);
  explicit unknown_vertex_type(const char *s);
  ///@}
};

/// Reports that the vertex type has no field of this name.
struct unknown_field : public poplar_error {
  ///@{

  /// Makes the exception with its text.
  explicit unknown_field(const std::string &s);
  explicit unknown_field(const char *s);
  unknown_field(const std::string &vertexType, const std::string &field);
  ///@}
};

/// Reports a control program with parts that do not fit together. See User guide, 2.2.1.
struct control_program_error : public poplar_error {
  ///@{

  /// Makes the exception with its text.
  explicit control_program_error(const std::string &s);
  explicit control_program_error(const char *s);
  ///@}
};

/// Reports a type that does not fit.
struct type_error : public poplar_error {
  ///@{

  /// Makes the exception with its text.
  explicit type_error(const std::string &s);
  explicit type_error(const char *s);
  ///@}
};

/// Reports an index that is out of range.
struct index_error : public poplar_error {
  ///@{

  /// Makes the exception with its text.
  explicit index_error(const std::string &s);
  explicit index_error(const char *s);
  index_error(const std::string &what, std::size_t index);
  ///@}
};

/// Reports a field whose size was never given. Copse throws graph_connection_error instead.
struct no_size_specified : public poplar_error {
  ///@{

  /// Makes the exception with its text.
  explicit no_size_specified(const std::string &s);
  explicit no_size_specified(const char *s);
  no_size_specified(const std::string &vertexType, const std::string &field);
  ///@}
};

/// Reports a field that is not connected, connected twice, or to something that does not fit it.
struct graph_connection_error : public poplar_error {
  ///@{

  /// Makes the exception with its text.
  explicit graph_connection_error(const std::string &s);
  explicit graph_connection_error(const char *s);
  ///@}
};

/// Reports that vertices of one compute set depend on each other.
struct graph_cycle_error : public poplar_error {
  ///@{

  /// Makes the exception with its text.
  explicit graph_cycle_error(const std::string &s);
  explicit graph_cycle_error(const char *s);
  ///@}
};

/// Reports a function that calls itself. Copse does not throw it: a function cannot name itself.
struct graph_recursion_error : public poplar_error {
  ///@{

  /// Makes the exception with its text.
  explicit graph_recursion_error(const std::string &s);
  explicit graph_recursion_error(const char *s);
  ///@}
};

/// Reports replication that does not fit the target, or an operation that does not fit replication.
/// See User guide, 2.5.
struct graph_replication_error : public poplar_error {
  ///@{

  /// Makes the exception with its text.
  explicit graph_replication_error(const std::string &s);
  explicit graph_replication_error(const char *s);
  ///@}
};

/// Reports a request for a profile that was not recorded. Copse returns an empty profile instead.
struct profiling_disabled : public poplar_error {
  ///@{

  /// Makes the exception with its text.
  explicit profiling_disabled(const std::string &s);
  explicit profiling_disabled(const char *s);
  ///@}
};

/// Reports a profile that lacks a part.
struct missing_profile_data : public poplar_error {
  ///@{

  /// Makes the exception with its text.
  explicit missing_profile_data(const std::string &s);
  explicit missing_profile_data(const char *s);
  ///@}
};

/// Reports an execution profile without its graph profile. Copse does not throw it.
struct missing_graph_profile : public poplar_error {
  ///@{

  /// Makes the exception with its text.
  explicit missing_graph_profile(const std::string &s);
  explicit missing_graph_profile(const char *s);
  ///@}
};

/// Reports that a vertex has no performance estimate.
struct missing_perf_estimate : public poplar_error {
  ///@{

  /// Makes the exception with its text.
  explicit missing_perf_estimate(const std::string &s);
  explicit missing_perf_estimate(const char *s);
  ///@}
};

/// Reports elements or vertices that are on no tile, or on a tile that does not exist.
struct invalid_tile_mapping : public poplar_error {
  ///@{

  /// Makes the exception with its text.
  explicit invalid_tile_mapping(const std::string &s);
  explicit invalid_tile_mapping(const char *s);
  ///@}
};

/// Reports a shape of more elements than can be counted.
struct tensor_creation_error : public poplar_error {
  ///@{

  /// Makes the exception with its text.
  explicit tensor_creation_error(const std::string &s);
  explicit tensor_creation_error(const char *s);
  ///@}
};

/// Reports that tensors could not be written or read. Copse does not throw it.
struct tensor_io_state_error : public poplar_error {
  ///@{

  /// Makes the exception with its text.
  explicit tensor_io_state_error(const std::string &s);
  explicit tensor_io_state_error(const char *s);
  ///@}
};

/// Reports metadata of quarters that are missing or do not fit.
struct tensor_metadata_error : public poplar_error {
  ///@{

  /// Makes the exception with its text.
  explicit tensor_metadata_error(const std::string &s);
  explicit tensor_metadata_error(const char *s);
  ///@}
};

/// Reports a stream that is unknown, not connected, or connected to something that does not fit it.
/// See User guide, 2.6.1.
struct stream_connection_error : public poplar_error {
  ///@{

  /// Makes the exception with its text.
  explicit stream_connection_error(const std::string &s);
  explicit stream_connection_error(const char *s);
  ///@}
};

/// Reports a number that does not fit its destination.
struct overflow_error : public poplar_error {
  ///@{

  /// Makes the exception with its text.
  explicit overflow_error(const std::string &s);
  explicit overflow_error(const char *s);
  ///@}
};

/// Reports constraints on memory elements that contradict each other. Copse does not throw it.
struct memory_elem_constraints_error : public poplar_error {
  ///@{

  /// Makes the exception with its text.
  explicit memory_elem_constraints_error(const std::string &s);
  explicit memory_elem_constraints_error(const char *s);
  ///@}
};

/// Reports a program that does not fit into tile memory; the text says what takes the memory.
struct graph_memory_allocation_error : public poplar_error {
  ///@{

  /// Makes the exception with its text.
  explicit graph_memory_allocation_error(const std::string &s);
  explicit graph_memory_allocation_error(const char *s);
  graph_memory_allocation_error(const std::string &s, const std::string &profilePath);
  ///@}

  /// The path of the profile that shows what took the memory; empty if none was written.
  std::string profilePath;
};

/// Reports a stream copy that moves more data than one exchange with the host can, where its stream
/// must not be split. See User guide, 2.6.3.
struct stream_memory_allocation_error : public poplar_error {
  ///@{

  /// Makes the exception with its text.
  explicit stream_memory_allocation_error(const std::string &s);
  explicit stream_memory_allocation_error(const char *s);
  ///@}
};

/// Reports a model or a pod whose figures do not describe a possible machine.
struct invalid_machine_model : public poplar_error {
  ///@{

  /// Makes the exception with its text.
  explicit invalid_machine_model(const std::string &s);
  explicit invalid_machine_model(const char *s);
  ///@}
};

/// Reports an option that is unknown or has a value that does not fit.
struct invalid_option : public poplar_error {
  ///@{

  /// Makes the exception with its text.
  explicit invalid_option(const std::string &s);
  explicit invalid_option(const char *s);
  ///@}
};

/// Reports that linking codelets failed.
struct link_error : public poplar_error {
  ///@{

  /// Makes the exception with its text.
  explicit link_error(const std::string &s, const std::string &output = "");
  explicit link_error(const char *s, const std::string &output = "");
  ///@}

  /// The output of the step that failed.
  std::string output;
};

/// Reports a symbol that is missing or defined twice. Copse throws link_error instead.
struct symbol_error : public poplar_error {
  ///@{

  /// Makes the exception with its text.
  explicit symbol_error(const std::string &s);
  explicit symbol_error(const char *s);
  symbol_error(const std::string &symbol, unsigned tile);
  ///@}
};

/// Reports a file that is missing, unreadable, or not of the expected format.
struct file_load_error : public poplar_error {
  ///@{

  /// Makes the exception with its text.
  explicit file_load_error(const std::string &s);
  explicit file_load_error(const char *s);
  ///@}
};

/// Reports a text that is not well-formed.
struct parse_error : public poplar_error {
  ///@{

  /// Makes the exception with its text.
  explicit parse_error(const std::string &s);
  explicit parse_error(const char *s);
  ///@}
};

/// Root of all errors while a program runs.
struct runtime_error : public poplar_error {
  ///@{

  /// Makes the exception with its text.
  explicit runtime_error(const std::string &s);
  explicit runtime_error(const char *s);
  ///@}
};

/// Reports a fault of the program: a codelet's exception, an abort, a misuse found while running.
struct application_runtime_error : public runtime_error {
  ///@{

  /// Makes the exception with its text.
  explicit application_runtime_error(const std::string &s);
  explicit application_runtime_error(const char *s);
  ///@}
};

/// Root of faults of the system.
struct system_runtime_error : public runtime_error {
  ///@{

  /// Makes the exception with its text.
  explicit system_runtime_error(const std::string &s);
  explicit system_runtime_error(const char *s);
  ///@}
};

/// The action that makes the system usable again.
enum class RecoveryAction {
  IPU_RESET,       ///< reset the device and load again
  LINK_RESET,      ///< establish the IPU-Links again
  PARTITION_RESET, ///< reset the partition: all its IPUs and links
  FULL_RESET       ///< start everything again
};

/// Returns the enumerator's name.
std::string toString(RecoveryAction action);
/// Writes the enumerator's name.
std::ostream &operator<<(std::ostream &out, RecoveryAction action);

/// Reports a fault that is likely to pass once an action was taken, such as a lost link. Made from
/// a text alone, the action is IPU_RESET.
struct recoverable_runtime_error : public system_runtime_error {
  ///@{

  /// Makes the exception with its text.
  explicit recoverable_runtime_error(const std::string &s);
  explicit recoverable_runtime_error(const char *s);
  recoverable_runtime_error(RecoveryAction action, const std::string &s);
  recoverable_runtime_error(RecoveryAction action, const char *s);
  ///@}

  /// Returns the action to take before the program is loaded again.
  RecoveryAction getRecoveryAction() const { return recoveryAction_; }

private:
  RecoveryAction recoveryAction_;
};

/// Reports a fault that the program cannot recover from, such as too little memory for the system.
struct unrecoverable_runtime_error : public system_runtime_error {
  ///@{

  /// Makes the exception with its text.
  explicit unrecoverable_runtime_error(const std::string &s);
  explicit unrecoverable_runtime_error(const char *s);
  ///@}
};

/// Reports a fault whose cause is not known.
struct unknown_runtime_error : public system_runtime_error {
  ///@{

  /// Makes the exception with its text.
  explicit unknown_runtime_error(const std::string &s);
  explicit unknown_runtime_error(const char *s);
  ///@}
};

} // namespace poplar
