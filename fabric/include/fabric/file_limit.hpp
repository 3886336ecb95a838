#pragma once

#include "wire/result.hpp"

#include <cstddef>
#include <string>

namespace copse::fabric {

/// Raises this process's limit of open files to the system's maximum.
void raiseFileLimit();

/// Checks that this process can open more files, sockets included. ZeroMQ ends a process that runs
/// out of them, and other errors do not name the limit, so code that opens many files checks first.
/// \param files  how many at most
/// \param what  the user of the files, as in "the 4 IPUs of a program"
/// \returns OutOfMemory, which names the limit and how to raise it
wire::Status checkFileLimit(std::size_t files, const std::string &what);

/// Checks the limit as checkFileLimit() does, but for a child process, which raises its own limit.
wire::Status checkFileLimitOfChild(std::size_t files, const std::string &what);

/// Checks that /proc is mounted. A process needs it to identify the shared memory that a peer
/// passes.
wire::Status checkProc();

} // namespace copse::fabric
