#include "partition.hpp"

#include "wire/step_bodies.hpp"

#include <algorithm>
#include <string>

namespace copse::session {
namespace {

using wire::Code;
using wire::Status;

Status invalid(std::string why) {
  return {Code::InvalidImage, "cannot load the program: " + std::move(why)};
}

Status checkView(const wire::HostView &view, std::uint64_t rowBytes, const std::string &what) {
  std::uint64_t bytes = 0;
  for (const wire::HostPiece &piece : view.pieces) {
    if (piece.offset > rowBytes || piece.bytes > rowBytes - piece.offset)
      return invalid(what + " has a piece beyond its row of " + std::to_string(rowBytes) +
                     " bytes");
    bytes += piece.bytes;
  }
  if (bytes != view.bytes || view.rowBytes != rowBytes)
    return invalid(what + " is of another size than it says");
  return Status::success();
}

Status checkStreams(const Program &program, const wire::Image &image) {
  for (const auto &exchange : image.hostExchanges)
    for (const auto &transfer : exchange.transfers) {
      if (transfer.stream >= program.streams.size())
        return invalid("host exchange '" + exchange.name + "' uses a stream that does not exist");
      const auto &stream = program.streams[transfer.stream];
      if (transfer.direction != stream.direction)
        return invalid("stream '" + stream.handle + "' is used in the wrong direction");
      if (Status status =
              checkView(transfer.view, stream.rowBytes, "stream '" + stream.handle + "'");
          !status.ok())
        return status;
    }
  return Status::success();
}

Status checkRemoteCopies(const Program &program, const wire::Image &image) {
  for (const auto &copy : image.remoteCopies) {
    if (copy.buffer >= program.remoteBuffers.size())
      return invalid("copy '" + copy.name + "' uses a remote buffer that does not exist");
    const auto &buffer = program.remoteBuffers[copy.buffer];
    if (copy.rowBytes != buffer.rowBytes)
      return invalid("remote buffer '" + buffer.handle + "' is used with rows of another size");
    if (Status status = checkView(copy.view, copy.rowBytes * copy.rows,
                                  "remote buffer '" + buffer.handle + "'");
        !status.ok())
      return status;
  }
  return Status::success();
}

Status checkLikeFirst(const wire::Image &first, const wire::Image &image) {
  const auto transfers = [](const wire::Image &of) {
    std::vector<std::vector<std::uint32_t>> all;
    for (const auto &exchange : of.hostExchanges) {
      all.emplace_back();
      for (const auto &transfer : exchange.transfers)
        all.back().push_back(transfer.stream);
    }
    return all;
  };
  if (transfers(first) != transfers(image) || first.prints.size() != image.prints.size() ||
      first.hostViews.size() != image.hostViews.size() ||
      first.programs.size() != image.programs.size())
    return invalid(
        "the images of its IPUs differ in their host exchanges, prints, host views or programs");
  return Status::success();
}

std::uint64_t bytesOfAll(const Program &program, std::uint32_t exchange, std::uint32_t index) {
  std::uint64_t bytes = 0;
  for (const auto &image : program.images)
    bytes += image->hostExchanges[exchange].transfers[index].view.bytes;
  return bytes;
}

/// Checks that the parts of each row follow one another, because the host assembles rows in that
/// order.
Status checkParts(const Program &program) {
  const auto &exchanges = program.images.front()->hostExchanges;
  std::optional<std::uint32_t> open; ///< stream with an incomplete row
  std::uint64_t bytes = 0;
  for (std::uint32_t e = 0; e < exchanges.size(); ++e)
    for (std::uint32_t i = 0; i < exchanges[e].transfers.size(); ++i) {
      const wire::StreamTransfer &transfer = exchanges[e].transfers[i];
      const std::uint64_t own = bytesOfAll(program, e, i), row = transfer.view.rowBytes;
      if (!open && own >= row)
        continue;
      const bool isNext = !open || *open == transfer.stream;
      bytes = open ? bytes + own : own;
      if (!isNext || own == 0 || bytes > row || exchanges[e].transfers.size() != 1)
        return invalid("host exchange '" + exchanges[e].name +
                       "' moves a part of a row that does not follow the one before it");
      open = bytes < row ? std::optional(transfer.stream) : std::nullopt;
    }
  return open ? invalid("the last part of a row is missing") : Status::success();
}

/// Returns for each program whether it syncs in a group with IPUs of several replicas.
std::vector<bool> programsThatMeet(const wire::Image &image) {
  std::vector<bool> meets;
  for (const wire::StepRange &program : image.programs) {
    bool any = false;
    wire::visitReachable(image, {&program, 1}, [&](std::uint32_t at) {
      const wire::Step &step = image.steps[at];
      any = any || (step.op == wire::Op::Sync &&
                    static_cast<wire::SyncGroup>(step.index) != wire::SyncGroup::GS1);
    });
    meets.push_back(any);
  }
  return meets;
}

} // namespace

Status checkProgram(const Program &program, std::uint32_t ipus) {
  if (program.images.empty() || program.images.size() * program.replicas != ipus)
    return {Code::InvalidOption, "the program is for " + std::to_string(program.replicas) +
                                     " replicas of " + std::to_string(program.images.size()) +
                                     " IPUs, the device has " + std::to_string(ipus)};
  for (const auto &image : program.images) {
    for (const Status &status : {checkLikeFirst(*program.images.front(), *image),
                                 checkStreams(program, *image), checkRemoteCopies(program, *image)})
      if (!status.ok())
        return status;
    for (const auto &print : image->prints)
      if (Status status = checkView(print.view, print.view.rowBytes, "a printed tensor");
          !status.ok())
        return status;
    for (const auto &view : image->hostViews)
      if (Status status = checkView(view, view.rowBytes, "a host view"); !status.ok())
        return status;
  }
  return checkParts(program);
}

Partition::Partition(const Program &program)
    : replicas_(program.replicas), firstReplica_(program.firstReplica),
      allReplicas_(std::max(program.replicas, program.allReplicas)), streams_(program.streams),
      remoteBuffers_(program.remoteBuffers), sites_(program.streams.size()) {
  if (program.isShared())
    meets_ = programsThatMeet(*program.images.front());
  for (const auto &image : program.images) {
    parts_.push_back(
        {image->hostExchanges, image->remoteCopies, image->prints, image->hostViews, {}});
    for (const auto &set : image->computeSets)
      parts_.back().vertices.push_back(set.vertices.size());
    parts_.back().steps = image->steps.size();
  }
  for (const auto &used : program.streamsOfPrograms) {
    usedBy_.emplace_back(streams_.size(), false);
    for (const std::uint32_t stream : used)
      usedBy_.back()[stream] = true;
  }
  const auto &exchanges = parts_.front().hostExchanges;
  std::uint32_t number = 0; ///< number of the next part
  std::uint64_t moved = 0;  ///< bytes of its row so far
  for (std::uint32_t exchange = 0; exchange < exchanges.size(); ++exchange)
    for (std::uint32_t index = 0; index < exchanges[exchange].transfers.size(); ++index) {
      const auto &transfer = exchanges[exchange].transfers[index];
      moved += bytesOfAll(program, exchange, index);
      const bool last = moved >= transfer.view.rowBytes;
      if (number > 0 || !last)
        partsOfRows_[{exchange, index}] = {number, last};
      number = last ? 0 : number + 1;
      moved = last ? 0 : moved;
      if (transfer.direction == wire::Direction::ToDevice)
        sites_[transfer.stream].push_back({exchange, index});
    }
}

const wire::StreamTransfer *Partition::transfer(std::uint32_t number, std::uint32_t exchange,
                                                std::uint32_t index) const {
  const auto &exchanges = parts_[number].hostExchanges;
  if (exchange >= exchanges.size() || index >= exchanges[exchange].transfers.size())
    return nullptr;
  return &exchanges[exchange].transfers[index];
}

const wire::Print *Partition::print(std::uint32_t number, std::uint32_t index) const {
  const auto &prints = parts_[number].prints;
  return index < prints.size() ? &prints[index] : nullptr;
}

const wire::RemoteCopy *Partition::remoteCopy(std::uint32_t number, std::uint32_t index) const {
  const auto &copies = parts_[number].remoteCopies;
  return index < copies.size() ? &copies[index] : nullptr;
}

const wire::HostView *Partition::hostView(std::uint32_t number, std::uint32_t index) const {
  const auto &views = parts_[number].hostViews;
  return index < views.size() ? &views[index] : nullptr;
}

std::optional<Partition::Site> Partition::onlySite(std::uint32_t stream) const {
  if (sites_[stream].size() != 1)
    return {};
  return sites_[stream].front();
}

std::optional<std::uint32_t> Partition::onlyReader(std::uint32_t stream) const {
  std::optional<std::uint32_t> reader;
  for (const auto &[exchange, index] : sites_[stream])
    for (std::uint32_t number = 0; number < parts_.size(); ++number) {
      const wire::HostView &view = transfer(number, exchange, index)->view;
      if (!wire::takesPart(view, number))
        continue;
      if (!isWholeRow(view) || reader.value_or(number) != number)
        return {};
      reader = number;
    }
  return reader;
}

bool Partition::isRead(std::uint32_t stream) const { return !sites_[stream].empty(); }

bool Partition::isUsedBy(std::uint32_t program, std::uint32_t stream) const {
  return program >= usedBy_.size() || usedBy_[program][stream];
}

Partition::PartOfRow Partition::partOfRow(std::uint32_t exchange, std::uint32_t index) const {
  const auto found = partsOfRows_.find({exchange, index});
  return found == partsOfRows_.end() ? PartOfRow{} : found->second;
}

bool isWholeRow(const wire::HostView &view) {
  return view.bytes == view.rowBytes &&
         (view.pieces.empty() || (view.pieces.size() == 1 && view.pieces.front().offset == 0));
}

void cutOut(const wire::HostView &view, std::span<const std::byte> row, std::byte *part) {
  for (const wire::HostPiece &piece : view.pieces)
    part = std::copy_n(row.data() + piece.offset, piece.bytes, part);
}

void putIn(const wire::HostView &view, const std::byte *part, std::span<std::byte> row) {
  for (const wire::HostPiece &piece : view.pieces) {
    std::copy_n(part, piece.bytes, row.data() + piece.offset);
    part += piece.bytes;
  }
}

} // namespace copse::session
