#pragma once

#include "wire/result.hpp"

#include <cstddef>
#include <string>

namespace copse::fabric {

/// Lets this process have as many files open as the system allows it.
void raiseFileLimit();

/// Checks that this process can open more files, sockets among them. ZeroMQ ends a process that has
/// none left, and what else fails then names anything but the limit: so who opens many asks before.
/// \param files  how many at most
/// \param what   the user of the files, as in "the 4 IPUs of a program"
/// \returns OutOfMemory, which names the limit and how to raise it
wire::Status checkFileLimit(std::size_t files, const std::string &what);

/// Checks that for a process that this one starts, and which raises its limit.
wire::Status checkFileLimitOfChild(std::size_t files, const std::string &what);

/// Checks that this process can see itself in /proc, without which no peer's memory is trusted.
wire::Status checkProc();

} // namespace copse::fabric
