#pragma once

#include "remote_buffers/store.hpp"
#include "session/machine.hpp"
#include "wire/session.hpp"

#include <memory>

namespace copse::session {

/// The location of a program's remote buffers, chosen by the environment:
///   - if $COPSE_RBUFD is the endpoint of an rbufd: there;
///   - if $COPSE_ROWS_DIRECTORY is a directory: in its files, which this process locks while any
///     machine of the process has a store there;
///   - else if the machine's cluster has an rbufd: there;
///   - else in memory of this process, initially zero.
///
/// An rbufd and files keep rows for later programs with the same name. The name is
/// $COPSE_RBUFD_NAME, else the name in the cluster file. Without either, files use the file name of
/// this process's program, and rows at an rbufd are temporary.
///
/// Thread: any.
/// \returns the errors of RemoteBufferStore::create(), openRemote() or Storage::inDirectory();
///   InvalidOption if the environment names both places
class RowPlace {
public:
  /// \param temporary  unique to this program; part of the name of a temporary store
  RowPlace(const MachineOptions &machine, const std::string &temporary);

  /// Returns true if rows at an rbufd live only as long as the store that open() returned.
  bool isTemporary() const;

  wire::Result<std::shared_ptr<remote_buffers::RemoteBufferStore>>
  open(const Program &program) const;

  /// Returns the store for IPUs that can reach it themselves: an rbufd that all of them reach by
  /// one name. Without an endpoint, IPUs ask this process.
  wire::session::RowStore forIpus(const Program &program) const;

private:
  const MachineOptions &machine_;
  std::string nameAtRbufd_;
};

} // namespace copse::session
