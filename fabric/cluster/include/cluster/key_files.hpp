#pragma once

#include "cluster/cluster.hpp"

#include "fabric/keys.hpp"
#include "wire/result.hpp"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

/// Key files: one directory has `public.json` with the public key of every node, and for each node
/// `NAME.key`, mode 0600, with its pair. A node needs `public.json` and its own `NAME.key`.
namespace copse::cluster {

/// Returns the names of all nodes that need keys: the IPUs, the rbufd and the host programs of \p
/// cluster.
std::vector<std::string> nodesOf(const Cluster &cluster);

/// Creates keys for \p names in \p directory; existing keys are kept.
/// \returns how many keys are new; InvalidOption if a file cannot be read or written
wire::Result<std::size_t> writeKeys(const std::filesystem::path &directory,
                                    const std::vector<std::string> &names);

/// Returns the keys of node \p self.
/// \returns null if the cluster has no keys; InvalidOption, with the file and what to do, if they
///   cannot be read, or if other users may read the secret key
wire::Result<std::shared_ptr<const fabric::Keyring>> keysOf(const Cluster &cluster,
                                                            const std::string &self);

/// Returns the keys of this host program, as keysOf() does. Its node is the one that $COPSE_HOST
/// names, else the first of Cluster::hosts.
wire::Result<std::shared_ptr<const fabric::Keyring>> keysOfHost(const Cluster &cluster);

/// Checks whether a listener needs keys.
/// \returns InvalidOption for the first of \p endpoints that can be reached from other machines, or
///   that is not valid
wire::Status checkLoopback(const std::vector<std::string> &endpoints);

} // namespace copse::cluster
