#pragma once

#include "session/machine.hpp"

#include "remote_buffers/store.hpp"

namespace copse::session {

/// The remote buffers of \p program: in memory of this process, all zeroes; or, when $COPSE_RBUFD
/// is the endpoint of an rbufd, there, with what an earlier program of this name left in them. The
/// name is $COPSE_RBUFD_NAME, else the file name of this process's program.
/// \returns as RemoteBufferStore::create() or remote_buffers::openRemote()
wire::Result<remote_buffers::RemoteBufferStore> makeRowStore(const Program &program);

} // namespace copse::session
