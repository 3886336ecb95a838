#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace copse::tools {

/// Returns the fields of /proc/PID/stat, by their numbers in proc(5). Fields 0 to 2 are empty, as
/// the name may contain spaces and parentheses.
/// \param process  the folder /proc/PID
/// \returns an empty list if there is no such process
std::vector<std::string> statFields(const std::filesystem::path &process);

/// Returns the words of the command line; an empty list if there is no such process, or if it
/// belongs to the kernel.
std::vector<std::string> argumentsOf(const std::filesystem::path &process);

/// Returns the numbers of all processes.
/// \param proc  the folder /proc
std::vector<int> processNumbers(const std::filesystem::path &proc);

} // namespace copse::tools
