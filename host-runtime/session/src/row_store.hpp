#pragma once

#include "remote_buffers/store.hpp"
#include "session/machine.hpp"
#include "wire/session.hpp"

#include <memory>

namespace copse::session {

/// Where the remote buffers of one load of a program are, as the environment says:
///   - $COPSE_RBUFD is the endpoint of an rbufd: there;
///   - $COPSE_ROWS_DIRECTORY is a directory: in its files, which this process locks for as long as
///     any machine of it has a store there;
///   - neither, but the machine is of a cluster that has an rbufd: there;
///   - else in memory of this process, all zeroes.
/// An rbufd and files have what an earlier program of the same name left in them. The name is
/// $COPSE_RBUFD_NAME, else that of the cluster file. Without either, files have the file name of
/// this process's program, and rows at an rbufd are temporary.
///
/// Thread: any.
/// \returns as RemoteBufferStore::create(), openRemote() or Storage::inDirectory(); InvalidOption
/// when the environment names both places
class RowPlace {
public:
  /// \param temporary  of this program and no other: part of the name of a temporary store
  RowPlace(const MachineOptions &machine, const std::string &temporary);

  /// Whether rows at an rbufd live only as long as what open() has returned.
  bool isTemporary() const;

  wire::Result<std::shared_ptr<remote_buffers::RemoteBufferStore>>
  open(const Program &program) const;

  /// The same for IPUs that can go there themselves: an rbufd that all of them reach by the same
  /// name. Without an endpoint: they ask this process.
  wire::session::RowStore forIpus(const Program &program) const;

private:
  const MachineOptions &machine_;
  std::string nameAtRbufd_;
};

} // namespace copse::session
