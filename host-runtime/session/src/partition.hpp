#pragma once

#include "session/machine.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace copse::session {

/// The host's view of a loaded program: which IPU holds which part of which row.
///
/// Immutable.
class Partition {
public:
  Partition() = default;
  /// \param program  whose images are not kept; the data needed to serve rows are copied
  explicit Partition(const Program &program);

  std::uint32_t replicas() const { return replicas_; }
  /// The numbers of replicas and IPUs are local to this host program. Messages for people and
  /// requests to an rbufd use the numbers over all host programs.
  std::uint32_t allReplicas() const { return allReplicas_; }
  std::uint32_t replicaAmongAll(std::uint32_t replica) const { return firstReplica_ + replica; }
  std::uint32_t ipuAmongAll(std::uint32_t ipu) const {
    return firstReplica_ * ipusPerReplica() + ipu;
  }
  /// Returns true if a run of \p program syncs with IPUs of other host programs.
  bool meets(std::uint32_t program) const { return program < meets_.size() && meets_[program]; }
  std::uint32_t ipusPerReplica() const { return static_cast<std::uint32_t>(parts_.size()); }
  std::uint32_t replicaOf(std::uint32_t ipu) const { return ipu / ipusPerReplica(); }
  std::uint32_t numberOf(std::uint32_t ipu) const { return ipu % ipusPerReplica(); }
  std::uint32_t ipuOf(std::uint32_t replica, std::uint32_t number) const {
    return replica * ipusPerReplica() + number;
  }

  const std::vector<StreamDescription> &streams() const { return streams_; }
  const std::vector<RemoteBufferDescription> &remoteBuffers() const { return remoteBuffers_; }

  /// Returns a transfer of the program on IPU \p number of a replica; null if there is none.
  const wire::StreamTransfer *transfer(std::uint32_t number, std::uint32_t exchange,
                                       std::uint32_t index) const;
  /// Returns \p exchange, which must exist; its name is equal on all IPUs.
  const wire::HostExchange &hostExchange(std::uint32_t exchange) const {
    return parts_.front().hostExchanges[exchange];
  }
  const wire::Print *print(std::uint32_t number, std::uint32_t index) const;
  const wire::RemoteCopy *remoteCopy(std::uint32_t number, std::uint32_t index) const;
  const wire::HostView *hostView(std::uint32_t number, std::uint32_t index) const;

  struct Site {
    std::uint32_t exchange = 0, index = 0;
  };
  /// Returns where the program copies from \p stream, if there is only one such place; the parts of
  /// the next row are then known in advance.
  std::optional<Site> onlySite(std::uint32_t stream) const;
  /// Returns the only IPU of a replica that reads the rows of \p stream, each at once and
  /// unchanged; nothing if there are several, or if they read parts.
  std::optional<std::uint32_t> onlyReader(std::uint32_t stream) const;
  bool isRead(std::uint32_t stream) const; ///< returns true if the program copies from the stream
  /// Returns true if a run of \p program uses the stream, as far as known.
  bool isUsedBy(std::uint32_t program, std::uint32_t stream) const;

  /// Returns the number of vertices of each compute set in the image of IPU \p number.
  const std::vector<std::size_t> &verticesOf(std::uint32_t number) const {
    return parts_[number].vertices;
  }
  /// Returns the number of steps in the control programs of IPU \p number.
  std::size_t stepsOf(std::uint32_t number) const { return parts_[number].steps; }

  /// A part of a row. A copy whose views do not cover the whole row moves it in parts, with one
  /// host exchange for each part, one after another.
  struct PartOfRow {
    std::uint32_t number = 0; ///< number of the part
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
  /// By site; rows that are moved in parts.
  std::map<std::pair<std::uint32_t, std::uint32_t>, PartOfRow> partsOfRows_;
  std::vector<std::vector<bool>> usedBy_; ///< shape [programs][streams], or empty
};

/// Returns true if the view is the whole row, unchanged.
bool isWholeRow(const wire::HostView &view);
/// Copy an IPU's part out of a whole row, and into it.
void cutOut(const wire::HostView &view, std::span<const std::byte> row, std::byte *part);
void putIn(const wire::HostView &view, const std::byte *part, std::span<std::byte> row);

/// \returns InvalidImage if the images cannot belong to one program, or if a row's pieces do not
///   fit into the row
wire::Status checkProgram(const Program &program, std::uint32_t ipus);

} // namespace copse::session
