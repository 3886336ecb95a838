#pragma once

#include "divergence_watch.hpp"
#include "partition_endpoints.hpp"
#include "requests.hpp"

#include "fabric/payload.hpp"
#include "session/machine.hpp"
#include "wire/session.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace copse::session {

/// Loads one program on the IPUs: each gets its place in the partition, then the modules that it
/// lacks, and then its image.
///
/// Thread: the thread of the requests.
class ProgramLoading {
public:
  /// Encodes the images.
  /// \param program, options, requests  must outlive this object
  static wire::Result<ProgramLoading> of(const Program &program, const MachineOptions &options,
                                         Requests &requests);

  /// \param endpoints  endpoints of all IPUs of the partition, also of the IPUs of other host
  ///   programs
  wire::Status configure(const wire::session::RowStore &rows, PartitionEndpoints endpoints,
                         std::uint32_t epoch);
  /// \param loaded  receives how many bytes of the images have arrived, out of how many; may be
  ///   empty
  wire::Status send(const std::function<void(std::uint64_t, std::uint64_t)> &loaded);

  /// Returns the members of the sync groups of each IPU of this host program, once configured.
  const DivergenceWatch::Groups &groups() const { return groups_; }
  /// Returns the hashes of a replica's images, by IPU; equal bytes give equal text.
  std::vector<std::string> hashes() const;

private:
  struct EncodedImage {
    fabric::Payload frame, data;
  };

  ProgramLoading(const Program &program, const MachineOptions &options, Requests &requests)
      : program_(&program), options_(&options), requests_(&requests) {}
  wire::Status encode();
  unsigned threadsOfAnIpu() const;
  wire::Status askForModules();
  wire::Status sendModules();
  wire::Status sendImages(const std::function<void(std::uint64_t, std::uint64_t)> &loaded);
  /// Returns the part of a replica that \p ipu runs.
  std::size_t partOf(std::uint32_t ipu) const { return ipu % images_.size(); }

  const Program *program_;
  const MachineOptions *options_;
  Requests *requests_;
  std::vector<EncodedImage> images_; ///< by IPU of a replica
  DivergenceWatch::Groups groups_;
};

} // namespace copse::session
