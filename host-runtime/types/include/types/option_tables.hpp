#pragma once

#include "types/option_reader.hpp"

#include <span>
#include <string_view>
#include <vector>

namespace copse::types {

/// The options of one kind: what a user may set, and its effect.
struct OptionTable {
  std::string_view kind;  ///< name of the kind in errors: "engine option"
  std::string_view where; ///< where a program or the environment sets such options
  std::span<const OptionSpec> options;
};

/// Returns the tables of all kinds.
std::vector<OptionTable> optionTables();

// Each table is defined beside the code that reads it.
std::span<const OptionSpec> deviceOptionTable();
std::span<const OptionSpec> simulatorOptionTable();
std::span<const OptionSpec> streamOptionTable();
std::span<const OptionSpec> targetOptionTable();

} // namespace copse::types
