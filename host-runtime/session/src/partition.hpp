#pragma once

#include "session/machine.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace copse::session {

/// What the host keeps of a loaded program: who holds which part of which row.
///
/// Immutable.
class Partition {
public:
  Partition() = default;
  /// \param program  its images are not kept, but what serving its rows needs is copied
  explicit Partition(const Program &program);

  std::uint32_t replicas() const { return replicas_; }
  /// Numbers of replicas and IPUs are those of this host program; for people, and at an rbufd, they
  /// are those of all host programs.
  std::uint32_t allReplicas() const { return allReplicas_; }
  std::uint32_t replicaAmongAll(std::uint32_t replica) const { return firstReplica_ + replica; }
  std::uint32_t ipuAmongAll(std::uint32_t ipu) const {
    return firstReplica_ * ipusPerReplica() + ipu;
  }
  /// Whether a run of \p program syncs with IPUs of other host programs.
  bool meets(std::uint32_t program) const { return program < meets_.size() && meets_[program]; }
  std::uint32_t ipusPerReplica() const { return static_cast<std::uint32_t>(parts_.size()); }
  std::uint32_t replicaOf(std::uint32_t ipu) const { return ipu / ipusPerReplica(); }
  std::uint32_t numberOf(std::uint32_t ipu) const { return ipu % ipusPerReplica(); }
  std::uint32_t ipuOf(std::uint32_t replica, std::uint32_t number) const {
    return replica * ipusPerReplica() + number;
  }

  const std::vector<StreamDescription> &streams() const { return streams_; }
  const std::vector<RemoteBufferDescription> &remoteBuffers() const { return remoteBuffers_; }

  /// A transfer's place in the program, over all IPUs of a replica. Null when there is none of that
  /// number.
  const wire::StreamTransfer *transfer(std::uint32_t number, std::uint32_t exchange,
                                       std::uint32_t index) const;
  /// \p exchange must exist; its name is the same on all IPUs.
  const wire::HostExchange &hostExchange(std::uint32_t exchange) const {
    return parts_.front().hostExchanges[exchange];
  }
  const wire::Print *print(std::uint32_t number, std::uint32_t index) const;
  const wire::RemoteCopy *remoteCopy(std::uint32_t number, std::uint32_t index) const;
  const wire::HostView *hostView(std::uint32_t number, std::uint32_t index) const;

  struct Site {
    std::uint32_t exchange = 0, index = 0;
  };
  /// Where the program copies from \p stream, if it does so in one place only: then it is known
  /// beforehand who needs which part of its next row.
  std::optional<Site> onlySite(std::uint32_t stream) const;
  /// The one IPU of a replica that reads the rows of \p stream, each at once and as it is; none if
  /// there are several, or they read parts.
  std::optional<std::uint32_t> onlyReader(std::uint32_t stream) const;
  bool isRead(std::uint32_t stream) const; ///< the program has a copy from it
  /// Whether a run of \p program uses the stream, as far as it is known.
  bool isUsedBy(std::uint32_t program, std::uint32_t stream) const;

  /// Of each compute set of the image, how many vertices it has there.
  const std::vector<std::size_t> &verticesOf(std::uint32_t number) const {
    return parts_[number].vertices;
  }
  /// Steps of its control programs.
  std::size_t stepsOf(std::uint32_t number) const { return parts_[number].steps; }

  /// A copy whose views are not the whole row moves it in parts: its host exchanges follow one
  /// another, one part each.
  struct PartOfRow {
    std::uint32_t number = 0; ///< of the part
    bool last = true;
    bool isWhole() const { return number == 0 && last; }
  };
  PartOfRow partOfRow(std::uint32_t exchange, std::uint32_t index) const;

private:
  struct Part {
    std::vector<wire::HostExchange> hostExchanges;
    std::vector<wire::RemoteCopy> remoteCopies;
    std::vector<wire::Print> prints;
    std::vector<wire::HostView> hostViews;
    std::vector<std::size_t> vertices; ///< by compute set
    std::size_t steps = 0;
  };
  std::uint32_t replicas_ = 0, firstReplica_ = 0, allReplicas_ = 0;
  std::vector<bool> meets_; ///< by program; empty if there are no other host programs
  std::vector<Part> parts_; ///< by number within the replica
  std::vector<StreamDescription> streams_;
  std::vector<RemoteBufferDescription> remoteBuffers_;
  std::vector<std::vector<Site>> sites_; ///< by stream: where it is read
  std::map<std::pair<std::uint32_t, std::uint32_t>, PartOfRow> partsOfRows_; ///< by site; not whole
  std::vector<std::vector<bool>> usedBy_; ///< shape [programs][streams], or empty
};

/// Whether the view is the whole row as it is.
bool isWholeRow(const wire::HostView &view);
/// Copies the IPU's part out of a whole row, and into it.
void cutOut(const wire::HostView &view, std::span<const std::byte> row, std::byte *part);
void putIn(const wire::HostView &view, const std::byte *part, std::span<std::byte> row);

/// \returns InvalidImage when the images cannot be of one program, or when a row's pieces do not
/// fit into the row
wire::Status checkProgram(const Program &program, std::uint32_t ipus);

} // namespace copse::session
