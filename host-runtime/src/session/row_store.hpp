#pragma once

#include "session/machine.hpp"

#include "remote_buffers/store.hpp"
#include "wire/session.hpp"

#include <memory>

namespace copse::session {

/// The remote buffers of \p program, where the environment says:
///   - $COPSE_RBUFD is the endpoint of an rbufd: there;
///   - $COPSE_ROWS_DIRECTORY is a directory: in its files, which this process locks for as long as
///     any machine of it has a store there;
///   - neither, but \p rbufd, the endpoint of a cluster's rbufd, is not empty: there;
///   - else in memory of this process, all zeroes.
/// An rbufd and files have what an earlier program of the same name left in them. The name is
/// $COPSE_RBUFD_NAME, else the file name of this process's program.
///
/// Thread: any.
/// \param keys  of the cluster that \p rbufd is of; null: there are none
/// \returns as RemoteBufferStore::create(), openRemote() or Storage::inDirectory(); InvalidOption
/// when the environment names both places
wire::Result<std::shared_ptr<remote_buffers::RemoteBufferStore>>
makeRowStore(const Program &program, const std::string &rbufd = {},
             std::shared_ptr<const fabric::Keyring> keys = {});

/// The same for IPUs that can go there themselves: an rbufd that all of them reach by the same
/// name. Without an endpoint: they ask this process.
wire::session::RowStore rowStoreForIpus(const Program &program, const MachineOptions &machine);

} // namespace copse::session
