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

/// How one program gets onto the IPUs: each hears of its part in the partition, then gets the
/// modules that it lacks, then its image.
///
/// Thread: that of the requests.
class ProgramLoading {
public:
  /// Encodes the images.
  /// \param program, options, requests  outlive this
  static wire::Result<ProgramLoading> of(const Program &program, const MachineOptions &options,
                                         Requests &requests);

  /// \param endpoints  of all IPUs of the partition, those of other host programs too
  wire::Status configure(const wire::session::RowStore &rows, PartitionEndpoints endpoints,
                         std::uint32_t epoch);
  /// \param loaded  told how many bytes of the images have arrived, of how many; may be empty
  wire::Status send(const std::function<void(std::uint64_t, std::uint64_t)> &loaded);

  /// Members of the sync groups of each IPU of this host program, once it is configured.
  const DivergenceWatch::Groups &groups() const { return groups_; }
  /// Of the images of a replica, in the order of its IPUs: the same text for the same bytes.
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
  /// The part of a replica that \p ipu runs.
  std::size_t partOf(std::uint32_t ipu) const { return ipu % images_.size(); }

  const Program *program_;
  const MachineOptions *options_;
  Requests *requests_;
  std::vector<EncodedImage> images_; ///< by IPU of a replica
  DivergenceWatch::Groups groups_;
};

} // namespace copse::session
