#include "stream_server.hpp"

#include <algorithm>
#include <utility>

namespace copse::session {
namespace {

namespace message = wire::session;
using wire::Code;
using wire::Status;

constexpr std::uint64_t kSmallRows = 256 << 10; // [bytes]

/// Returns how many unused rows may be at an IPU, or on their way there: one travels while another
/// is unpacked. Rows that are cut into parts cost additional memory on the host. Small rows are
/// cheap, and waiting for each other takes longer than their transfer, so there may be more of
/// them.
std::size_t rowsUnderway(const wire::HostView &view) {
  const std::size_t least = isWholeRow(view) ? 2 : 1;
  return std::max<std::size_t>(least, kSmallRows / std::max<std::uint64_t>(view.bytes, 1));
}

/// Returns for how many rows a message with credits only is sent. At most two, because an IPU with
/// large rows waits when two are in flight.
std::uint32_t rowsPerCredit(const wire::HostView &view) { return view.bytes > kSmallRows ? 1 : 2; }

} // namespace

void StreamServer::load(const Partition &partition, bool prefetch, bool sideBySide) {
  partition_ = &partition;
  sideBySide_ = sideBySide;
  feeds_.clear();
  const std::uint32_t replicas = partition.replicas();
  const std::uint32_t ipus = replicas * partition.ipusPerReplica();
  for (std::uint32_t stream = 0; stream < partition.streams().size(); ++stream) {
    const StreamDescription &about = partition.streams()[stream];
    feeds_.emplace_back();
    if (!partition.isRead(stream))
      continue;
    const std::uint32_t depth = prefetch && about.prefetch ? std::max(1U, about.bufferingDepth) : 0;
    for (std::uint32_t replica = 0; replica < (about.broadcast ? 1 : replicas); ++replica)
      feeds_.back().emplace_back(stream, replica, about.rowBytes, depth,
                                 about.broadcast ? replicas : 1, ipus, start_,
                                 memoryOf(stream, replica));
  }
  replicas_ = std::vector<Replica>(replicas);
  taking_.clear();
  printing_.reset();
  owed_.assign(ipus, 0);
  owing_ = 0;
}

/// Returns the memory for rows of a stream. A row that goes unchanged to one IPU can be filled
/// where that IPU reads it, because it is never sent again, unlike rows of broadcast streams and
/// rows in parts.
Feed::Memory StreamServer::memoryOf(std::uint32_t stream, std::uint32_t replica) const {
  const auto reader = partition_->onlyReader(stream);
  if (!memory_ || !reader || partition_->streams()[stream].broadcast)
    return {};
  return [memory = memory_, ipu = partition_->ipuOf(replica, *reader)](std::size_t bytes) {
    return memory(ipu, bytes);
  };
}

void StreamServer::beginRun(std::uint32_t program) {
  moment_ = {};
  serving_.reset();
  printing_.reset();
  for (Replica &replica : replicas_)
    replica = {};
  std::fill(owed_.begin(), owed_.end(), 0); // an IPU begins each run with all its credits
  owing_ = 0;
  for (auto &ofStream : feeds_)
    for (Feed &feed : ofStream) {
      forgetMissed(feed);
      const bool used = partition_->isUsedBy(program, feed.stream());
      feed.beginRun(used);
      if (used)
        feed.fill();
      sendAhead(feed);
    }
}

Status StreamServer::serve(std::uint32_t ipu, const message::Body &body,
                           std::vector<fabric::Payload> payloads) {
  Status status = Status::success();
  if (const auto *request = std::get_if<message::StreamRequest>(&body))
    status = note(ipu, Kind::Read, *request,
                  [](Transfer &transfer, std::uint32_t number) { transfer.asked[number] = true; });
  else if (const auto *taken = std::get_if<message::StreamTaken>(&body))
    status = note(ipu, Kind::Read, *taken,
                  [](Transfer &transfer, std::uint32_t number) { transfer.taken[number] = true; });
  else if (const auto *write = std::get_if<message::StreamWrite>(&body))
    status = noteWrite(ipu, *write, std::move(payloads));
  else if (const auto *print = std::get_if<message::Print>(&body))
    status = notePart(ipu, Kind::Print, *print, std::move(payloads));
  if (status.ok())
    advanceAll();
  return status;
}

void StreamServer::finish(std::uint32_t replica) {
  for (auto &ofStream : feeds_)
    for (Feed &feed : ofStream)
      if (partition_->streams()[feed.stream()].broadcast && feed.finish(replica))
        sendAhead(feed);
  advanceAll();
}

void StreamServer::callEnded(const std::shared_ptr<StreamCall> &call) {
  moment_ = call->moment; // the calls that follow have its time
  if (call->kind == StreamCall::Kind::Take)
    return takeEnded(call);
  Feed *const feed = feedOf(call->stream, call->replica);
  if (call->kind == StreamCall::Kind::Print) {
    if (printing_ != call)
      return;
    printing_.reset();
    if (call->thrown)
      std::rethrow_exception(call->thrown);
  } else {
    if (feed == nullptr || feed->call() != call)
      return;
    feed->ended();
    sendAhead(*feed);
  }
  advanceAll();
}

void StreamServer::takeEnded(const std::shared_ptr<StreamCall> &call) {
  std::deque<Taking> &waiting = taking_[{call->stream, call->replica}];
  if (waiting.empty() || waiting.front().call != call)
    return;
  pay(waiting.front());
  waiting.pop_front();
  if (call->thrown)
    std::rethrow_exception(call->thrown);
  takeNext(waiting);
}

void StreamServer::prefetchEnded(const std::shared_ptr<StreamCall> &call) {
  Feed *const feed = feedOf(call->stream, call->replica);
  if (feed != nullptr && feed->call() == call)
    feed->endedBetweenRuns();
}

void StreamServer::callCancelled(const StreamCall &call) {
  Feed *const feed = feedOf(call.stream, call.replica);
  if (feed != nullptr && feed->call().get() == &call)
    feed->cancelled();
}

bool StreamServer::owesCalls() const {
  if (printing_)
    return true;
  for (const auto &[end, waiting] : taking_)
    if (!waiting.empty())
      return true;
  for (const auto &ofStream : feeds_)
    for (const Feed &feed : ofStream)
      if (feed.owesCalls())
        return true;
  return false;
}

bool StreamServer::hasCall(std::uint32_t stream) const {
  return stream < feeds_.size() &&
         std::any_of(feeds_[stream].begin(), feeds_[stream].end(),
                     [](const Feed &feed) { return feed.call() != nullptr; });
}

bool StreamServer::expectsRows() const {
  for (const auto &ofStream : feeds_)
    for (const Feed &feed : ofStream)
      if (feed.call() && !feed.isKnownToWait())
        return true;
  return false;
}

void StreamServer::invalidate(std::uint32_t stream, StreamHandler &handler) {
  if (stream >= feeds_.size())
    return;
  for (std::uint32_t replica = 0; replica < feeds_[stream].size(); ++replica)
    if (feeds_[stream][replica].drop())
      handler.invalidatePrefetched(stream, replica);
  for (std::uint32_t ipu = 0; ipu < partition_->replicas() * partition_->ipusPerReplica(); ++ipu)
    send_(ipu, message::StreamDrop{stream}, {});
}

void StreamServer::dropAllBut(const StreamCall &busy, StreamHandler &handler) {
  const auto isBusy = [&busy](const Feed &feed) {
    return busy.kind != StreamCall::Kind::Print && busy.stream == feed.stream() &&
           busy.replica == feed.replica();
  };
  for (auto &ofStream : feeds_)
    for (Feed &feed : ofStream)
      if (feed.drop() && !isBusy(feed))
        handler.invalidatePrefetched(feed.stream(), feed.replica());
}

std::string StreamServer::serving() const {
  if (!serving_)
    return "before the first host transfer";
  std::string text = "host transfer " + std::to_string(serving_->number) + " of the run";
  if (serving_->kind == Kind::Print)
    return text + " (a print)";
  const std::string &name = partition_->hostExchange(serving_->exchange).name;
  return name.empty() ? text : text + " (copy '" + name + "')";
}

const wire::HostView *StreamServer::viewOf(const Transfer &transfer, std::uint32_t number) const {
  if (transfer.kind == Kind::Print) {
    const wire::Print *print = partition_->print(number, transfer.index);
    return print != nullptr ? &print->view : nullptr;
  }
  const wire::StreamTransfer *site =
      partition_->transfer(number, transfer.exchange, transfer.index);
  const bool reads = transfer.kind == Kind::Read;
  if (site == nullptr || (site->direction == wire::Direction::ToDevice) != reads)
    return nullptr;
  return &site->view;
}

bool StreamServer::allTakePart(const Transfer &transfer, const std::vector<bool> &done) const {
  for (std::uint32_t number = 0; number < done.size(); ++number)
    if (!done[number] && takesPart(*viewOf(transfer, number), number))
      return false;
  return true;
}

Status StreamServer::note(std::uint32_t ipu, Kind kind, const message::Transfer &which,
                          const std::function<void(Transfer &, std::uint32_t)> &change) {
  const auto bad = [ipu](const char *why) {
    return Status{Code::BadFrame,
                  "ipu " + std::to_string(ipu) + " sent a host transfer that " + why};
  };
  Replica &replica = replicas_[partition_->replicaOf(ipu)];
  const std::uint32_t number = partition_->numberOf(ipu);
  const std::size_t ipus = partition_->ipusPerReplica();
  Transfer fresh{kind,
                 which.exchange,
                 which.index,
                 std::vector<bool>(ipus),
                 std::vector<bool>(ipus),
                 {},
                 std::vector<bool>(ipus),
                 {},
                 false,
                 {}};
  const wire::HostView *view = viewOf(fresh, number);
  if (view == nullptr || !takesPart(*view, number))
    return bad("the program does not have");
  if (which.number < replica.next)
    return bad("is over");
  Transfer &transfer = replica.transfers.try_emplace(which.number, std::move(fresh)).first->second;
  if (transfer.kind != kind || transfer.exchange != which.exchange || transfer.index != which.index)
    return bad(
        "is not the one of the other IPUs: the control programs of the replica have diverged");
  transfer.moment = std::max(transfer.moment, which.at);
  change(transfer, number);
  return Status::success();
}

Status StreamServer::noteWrite(std::uint32_t ipu, const message::StreamWrite &write,
                               std::vector<fabric::Payload> payloads) {
  if (write.takenBefore) { // an underflow gives a number that no program has
    const message::Transfer before{write.number - 1, write.exchange, write.index - 1, write.at};
    if (Status status =
            note(ipu, Kind::Read, before,
                 [](Transfer &transfer, std::uint32_t number) { transfer.taken[number] = true; });
        !status.ok())
      return status;
  }
  return notePart(ipu, Kind::Write, write, std::move(payloads));
}

Status StreamServer::notePart(std::uint32_t ipu, Kind kind, const message::Transfer &which,
                              std::vector<fabric::Payload> payloads) {
  bool fits = payloads.size() == 1;
  Status status = note(ipu, kind, which, [&](Transfer &transfer, std::uint32_t number) {
    const wire::HostView &view = *viewOf(transfer, number);
    fits = fits && payloads[0].size() == view.bytes && !transfer.arrived[number] &&
           which.number >= partition_->partOfRow(which.exchange, which.index).number;
    if (!fits)
      return;
    fabric::Payload &row = rowOf(replicas_[partition_->replicaOf(ipu)], which.number, transfer);
    if (isWholeRow(view)) {
      row = std::move(payloads[0]);
    } else { // at once, so that a row and its parts are not in memory together
      if (row.size() == 0)
        row = fabric::Payload(view.rowBytes);
      putIn(view, payloads[0].data(), {row.data(), row.size()});
    }
    transfer.arrived[number] = true;
  });
  if (status.ok() && !fits)
    return {Code::BadFrame,
            "ipu " + std::to_string(ipu) + " sent a part of a row that is not of the row's size"};
  return status;
}

void StreamServer::advanceAll() {
  // Replicas wait for each other only at rows of broadcast streams. There are few replicas, so
  // check all.
  bool moved = true;
  while (moved) {
    moved = false;
    for (std::uint32_t replica = 0; replica < replicas_.size(); ++replica)
      moved = advance(replica) || moved;
  }
}

/// Starts the transfers of a replica in order; a print waits until all earlier transfers are done.
bool StreamServer::advance(std::uint32_t replica) {
  Replica &state = replicas_[replica];
  bool moved = false;
  std::vector<std::uint32_t> called; ///< streams with a running callback
  for (auto found = state.transfers.find(state.next); found != state.transfers.end();
       found = state.transfers.find(found->first + 1)) {
    Transfer &transfer = found->second;
    if (transfer.done)
      continue;
    if (transfer.kind == Kind::Print && !called.empty())
      break;
    if (transfer.kind == Kind::Read &&
        std::find(called.begin(), called.end(), streamOf(transfer)) != called.end())
      continue;
    const Progress progress = serve(replica, found->first, transfer);
    if (progress == Progress::Waits)
      break;
    if (progress == Progress::Calls)
      called.push_back(streamOf(transfer));
    else
      moved = transfer.done = true;
  }
  while (!state.transfers.empty() && state.transfers.begin()->second.done) {
    state.transfers.erase(state.transfers.begin());
    ++state.next;
  }
  return moved;
}

StreamServer::Progress StreamServer::serve(std::uint32_t replica, std::uint64_t number,
                                           Transfer &transfer) {
  serving_ = {number, transfer.kind, transfer.exchange};
  moment_ = transfer.moment;
  return transfer.kind == Kind::Read ? serveRead(replica, transfer)
                                     : serveRow(replica, number, transfer);
}

StreamServer::Progress StreamServer::serveRead(std::uint32_t replica, const Transfer &transfer) {
  const std::uint32_t stream = streamOf(transfer);
  Feed &feed = *feedOf(stream, replica);
  const std::uint32_t reader = readerOf(stream, replica);
  if (feed.current(reader) == nullptr) {
    if (!feed.call())
      return Progress::Waits;
    if (!feed.call()->neededSince)
      feed.need(serving());
    if (sideBySide_ || feed.call()->yields)
      beginReadsAfter(replica, transfer);
    return Progress::Calls;
  }
  for (std::uint32_t number = 0; number < transfer.asked.size(); ++number)
    if (transfer.asked[number])
      sendPart(feed, reader, feed.position(reader), partition_->ipuOf(replica, number),
               *viewOf(transfer, number));
  if (!allTakePart(transfer, transfer.taken))
    return Progress::Waits;
  if (!partition_->partOfRow(transfer.exchange, transfer.index).last) {
    for (std::uint32_t number = 0; number < transfer.asked.size(); ++number)
      feed.rows()[feed.position(reader)].sent[partition_->ipuOf(replica, number)] = false;
    feed.partRead(reader);
    return Progress::Done;
  }
  feed.advance(reader);
  sendAhead(feed);
  return Progress::Done;
}

/// Starts the callbacks of later reads. IPUs request one row after another, but the other rows of a
/// host exchange are certain to follow, so their callbacks need not wait for each other.
void StreamServer::beginReadsAfter(std::uint32_t replica, const Transfer &transfer) {
  std::vector<std::uint32_t> begun{streamOf(transfer)};
  const auto &transfers = partition_->hostExchange(transfer.exchange).transfers;
  for (std::uint32_t index = transfer.index + 1; index < transfers.size(); ++index) {
    const std::uint32_t stream = transfers[index].stream;
    if (transfers[index].direction != wire::Direction::ToDevice)
      return; // its callback comes first
    if (std::find(begun.begin(), begun.end(), stream) == begun.end())
      feedOf(stream, replica)->current(readerOf(stream, replica));
    begun.push_back(stream);
  }
}

StreamServer::Progress StreamServer::serveRow(std::uint32_t replica, std::uint64_t number,
                                              Transfer &transfer) {
  if (!allTakePart(transfer, transfer.arrived))
    return Progress::Waits;
  if (transfer.kind == Kind::Print)
    return servePrint(replica, transfer);
  if (!partition_->partOfRow(transfer.exchange, transfer.index).last) {
    pay({nullptr, owedFor(replica, transfer)});
  } else {
    take(replica, number, transfer);
  }
  return Progress::Done;
}

/// Serves a print. One print runs at a time, and nothing that follows it in its replica.
StreamServer::Progress StreamServer::servePrint(std::uint32_t replica, Transfer &transfer) {
  if (transfer.print && printing_ != transfer.print) {
    pay({nullptr, owedFor(replica, transfer)});
    return Progress::Done;
  }
  if (!printing_) {
    printing_ = callOf(StreamCall::Kind::Print, transfer.index, replica, std::move(transfer.row));
    transfer.print = printing_;
    printing_->neededSince = StreamCall::Clock::now();
    start_(printing_);
  }
  return Progress::Waits;
}

/// Creates a call with a row for the current host transfer.
std::shared_ptr<StreamCall> StreamServer::callOf(StreamCall::Kind kind, std::uint32_t stream,
                                                 std::uint32_t replica, fabric::Payload row) const {
  auto call = std::make_shared<StreamCall>();
  call->kind = kind;
  call->stream = stream;
  call->replica = replica;
  call->row = std::move(row);
  call->place = serving();
  call->moment = moment_;
  return call;
}

std::vector<std::pair<std::uint32_t, std::uint32_t>>
StreamServer::owedFor(std::uint32_t replica, const Transfer &transfer) const {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> owed;
  for (std::uint32_t ipu = 0; ipu < transfer.arrived.size(); ++ipu)
    if (transfer.arrived[ipu])
      owed.emplace_back(partition_->ipuOf(replica, ipu), rowsPerCredit(*viewOf(transfer, ipu)));
  return owed;
}

/// Returns the row of a transfer to the host; the transfers of its parts share it.
fabric::Payload &StreamServer::rowOf(Replica &replica, std::uint64_t number,
                                     Transfer &transfer) const {
  const auto part = partition_->partOfRow(transfer.exchange, transfer.index);
  if (transfer.kind != Kind::Write || part.isWhole())
    return transfer.row;
  return replica.rowsInParts[number - part.number];
}

/// Passes a row to its callback. IPUs may send more as soon as few rows wait for a callback, even
/// if one callback waits long.
void StreamServer::take(std::uint32_t replica, std::uint64_t number, Transfer &transfer) {
  constexpr std::size_t kRowsThatMayWait = 2;
  auto call = callOf(StreamCall::Kind::Take, streamOf(transfer), replica,
                     std::move(rowOf(replicas_[replica], number, transfer)));
  const auto part = partition_->partOfRow(transfer.exchange, transfer.index);
  replicas_[replica].rowsInParts.erase(number - part.number);
  std::deque<Taking> &waiting = taking_[{call->stream, replica}];
  waiting.push_back({std::move(call), owedFor(replica, transfer)});
  if (waiting.size() == 1)
    takeNext(waiting);
  if (waiting.size() <= kRowsThatMayWait) {
    pay(waiting.back());
    waiting.back().owed.clear();
  }
}

void StreamServer::takeNext(std::deque<Taking> &waiting) {
  if (waiting.empty())
    return;
  waiting.front().call->neededSince = StreamCall::Clock::now();
  start_(waiting.front().call);
}

void StreamServer::pay(const Taking &taken) {
  for (const auto &[ipu, rowsPerCredit] : taken.owed)
    owe(ipu, rowsPerCredit);
}

void StreamServer::owe(std::uint32_t ipu, std::uint32_t atMost) {
  ++owing_;
  if (++owed_[ipu] >= atMost)
    send_(ipu, message::TransferTaken{takeOwed(ipu)}, {});
}

std::uint32_t StreamServer::takeOwed(std::uint32_t ipu) {
  owing_ -= owed_[ipu];
  return std::exchange(owed_[ipu], 0);
}

void StreamServer::payCredits() {
  for (std::uint32_t ipu = 0; ipu < owed_.size(); ++ipu)
    if (owed_[ipu] > 0)
      send_(ipu, message::TransferTaken{takeOwed(ipu)}, {});
}

void StreamServer::sendPart(Feed &feed, std::uint32_t reader, std::size_t index, std::uint32_t ipu,
                            const wire::HostView &view) {
  Feed::Row &row = feed.rows()[index];
  if (row.sent[ipu])
    return;
  row.sent[ipu] = true;
  send_(ipu,
        message::StreamRow{feed.stream(), feed.sequence(reader, index), row.prefetched,
                           takeOwed(ipu)},
        fabric::listOf(partOf(feed, row, partition_->numberOf(ipu), view)));
}

/// Returns a part of a row. If all replicas read a row at one place, its parts are cut once and
/// shared; once all are cut they replace the row, so they need no additional memory.
fabric::Payload StreamServer::partOf(const Feed &feed, Feed::Row &row, std::uint32_t number,
                                     const wire::HostView &view) const {
  if (isWholeRow(view))
    return row.bytes.share();
  const auto cut = [&] {
    fabric::Payload part(view.bytes);
    cutOut(view, row.bytes.bytes(), part.data());
    return part;
  };
  const auto site = partition_->onlySite(feed.stream());
  if (!partition_->streams()[feed.stream()].broadcast || partition_->replicas() == 1 || !site)
    return cut();
  row.parts.resize(partition_->ipusPerReplica());
  if (row.parts[number].size() == 0)
    row.parts[number] = cut();
  fabric::Payload part = row.parts[number].share();
  bool allCut = true;
  for (std::uint32_t other = 0; other < row.parts.size(); ++other)
    allCut = allCut && (row.parts[other].size() > 0 ||
                        partition_->transfer(other, site->exchange, site->index)->view.bytes == 0);
  if (allCut)
    row.bytes = {};
  return part;
}

void StreamServer::sendAhead(Feed &feed) {
  const auto site = partition_->onlySite(feed.stream());
  if (!site)
    return;
  const bool broadcast = partition_->streams()[feed.stream()].broadcast;
  const std::uint32_t ipus = partition_->ipusPerReplica();
  const std::uint32_t first = broadcast ? 0 : feed.replica() * ipus;
  const std::uint32_t last = broadcast ? partition_->replicas() * ipus : first + ipus;
  for (std::uint32_t ipu = first; ipu < last; ++ipu) {
    const std::uint32_t replica = partition_->replicaOf(ipu), number = partition_->numberOf(ipu);
    const wire::HostView &view = partition_->transfer(number, site->exchange, site->index)->view;
    if (!takesPart(view, number))
      continue;
    const std::uint32_t reader = readerOf(feed.stream(), replica);
    const std::size_t next = feed.position(reader);
    const std::size_t end = std::min(feed.rows().size(), next + rowsUnderway(view));
    for (std::size_t row = next; row < end; ++row)
      sendPart(feed, reader, row, ipu, view);
  }
}

void StreamServer::forgetMissed(Feed &feed) {
  for (std::uint32_t ipu = 0; ipu < partition_->replicas() * partition_->ipusPerReplica(); ++ipu) {
    const std::uint32_t replica = partition_->replicaOf(ipu);
    if (!partition_->streams()[feed.stream()].broadcast || !feed.missed(replica))
      continue;
    send_(ipu, message::StreamDrop{feed.stream()}, {});
    for (Feed::Row &row : feed.rows())
      row.sent[ipu] = false;
  }
}

std::uint32_t StreamServer::streamOf(const Transfer &transfer) const {
  return partition_->transfer(0, transfer.exchange, transfer.index)->stream;
}

Feed *StreamServer::feedOf(std::uint32_t stream, std::uint32_t replica) {
  if (stream >= feeds_.size())
    return nullptr;
  const std::uint32_t index = partition_->streams()[stream].broadcast ? 0 : replica;
  return index < feeds_[stream].size() ? &feeds_[stream][index] : nullptr;
}

std::uint32_t StreamServer::readerOf(std::uint32_t stream, std::uint32_t replica) const {
  return partition_->streams()[stream].broadcast ? replica : 0;
}

} // namespace copse::session
