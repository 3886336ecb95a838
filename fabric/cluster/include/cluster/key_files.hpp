#pragma once

#include "cluster/cluster.hpp"

#include "fabric/keys.hpp"
#include "wire/result.hpp"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

/// Keys on disk: in one directory, `public.json` with the public key of every node, and for each
/// node `NAME.key`, mode 0600, with its pair. A node needs the former and its own of the latter.
namespace copse::cluster {

/// Everybody who needs keys: the IPUs, the rbufd and the host programs of \p cluster.
std::vector<std::string> nodesOf(const Cluster &cluster);

/// Makes keys of \p names in \p directory; those that have some keep them.
/// \returns how many are new; InvalidOption if something cannot be read or written
wire::Result<std::size_t> writeKeys(const std::filesystem::path &directory,
                                    const std::vector<std::string> &names);

/// The keys of node \p self.
/// \returns null if the cluster has none; InvalidOption, with the file and what to do, if they
///   cannot be read, or if others may read the secret one
wire::Result<std::shared_ptr<const fabric::Keyring>> keysOf(const Cluster &cluster,
                                                            const std::string &self);

/// As keysOf() for a host program: the one that $COPSE_HOST names, else the first of
/// Cluster::hosts.
wire::Result<std::shared_ptr<const fabric::Keyring>> keysOfHost(const Cluster &cluster);

/// \returns InvalidOption for the first of \p endpoints that can be reached from beyond this
/// machine, so that a listener there needs keys; or that is none
wire::Status checkLoopback(const std::vector<std::string> &endpoints);

} // namespace copse::cluster
