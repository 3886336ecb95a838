#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace copse::tools {

/// The fields of /proc/PID/stat, by their numbers in proc(5); 0 to 2 are empty, as the name may
/// have spaces and parentheses in it.
///
/// \param process  the folder /proc/PID
/// \returns empty if there is no such process
std::vector<std::string> statFields(const std::filesystem::path &process);

/// The words of its command line; empty if there is no such process, or if it is a kernel's.
std::vector<std::string> argumentsOf(const std::filesystem::path &process);

/// The numbers of all processes.
/// \param proc  the folder /proc
std::vector<int> processNumbers(const std::filesystem::path &proc);

} // namespace copse::tools
