#include "session_environment.hpp"

#include "log.hpp"

#include "ipud/step_names.hpp"

#include <algorithm>
#include <utility>

namespace copse::ipud {
namespace {

namespace session = wire::session;
using wire::Code;
using wire::Status;

// The limits for rows and prints in flight to the host: many small ones, or two large ones, of
// which one is packed while the other travels. A large row that arrives in parts is limited to one,
// because the host holds its parts and the assembled row at once.
constexpr std::uint32_t kLargestWindow = 8;
constexpr std::uint64_t kWindowBytes = std::uint64_t{1} << 20;
// How long to wait for a prefetched row before requesting it: the callback may not have had data.
constexpr std::chrono::milliseconds kOnItsWay{1};
// [bytes] Packing and sending a row up to this size is faster than sending another message.
constexpr std::uint64_t kSmallRow = 256 << 10;

std::uint32_t windowOf(const wire::HostView &view) {
  const std::uint64_t rows = kWindowBytes / std::max<std::uint64_t>(view.bytes, 1);
  const std::uint64_t least = view.bytes == view.rowBytes ? 2 : 1;
  return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(rows, least, kLargestWindow));
}

Status wrongSize(const char *what, std::uint64_t got, std::uint64_t wanted) {
  return {Code::BadFrame, std::string(what) + ": the host sent " + std::to_string(got) +
                              " bytes instead of " + std::to_string(wanted)};
}

} // namespace

SessionEnvironment::SessionEnvironment(const wire::Image &image, ControlSocket &host,
                                       HostMailbox &mailbox, fabric::LinkNode &links,
                                       const Barriers &barriers, std::chrono::milliseconds timeout,
                                       RunCounters &counters, RemoteRows *rows)
    : image_(image), host_(host), mailbox_(mailbox), links_(links), barriers_(barriers),
      timeout_(timeout), counters_(counters), rows_(rows) {}

void SessionEnvironment::beginRun() { nextTransfer_ = 0; }

wire::Result<wire::Cycles> SessionEnvironment::sync(wire::SyncGroup group, std::uint32_t step,
                                                    wire::Cycles now) {
  const auto found = barriers_.find(group);
  if (found == barriers_.end())
    return Status{Code::InvalidImage, "the program syncs in a group that this IPU is not in"};
  sync::Barrier &barrier = *found->second;
  const std::uint64_t point = barrier.passed();
  noteStepForLog(step);
  const auto begin = std::chrono::steady_clock::now();
  barrier.arrive(now, step);
  auto left = barrier.wait([&] {
    host_.post({0, {}, session::Waiting{group, point, describeStep(image_, step)}});
  });
  const std::chrono::nanoseconds waited = std::chrono::steady_clock::now() - begin;
  counters_.syncWaitNanoseconds += static_cast<std::uint64_t>(waited.count());
  counters_.supersteps += left.ok() ? 1 : 0;
  return left;
}

Status SessionEnvironment::send(wire::IpuId to, std::uint32_t tag, fabric::Payload payload) {
  return links_.send(to, tag, std::move(payload));
}

wire::Result<fabric::Payload> SessionEnvironment::receive(wire::IpuId from, std::uint32_t tag) {
  return links_.receive(from, tag, fabric::LinkNode::Clock::now() + timeout_);
}

wire::Result<bool> SessionEnvironment::readStream(std::uint32_t exchange, std::uint32_t transfer,
                                                  const Use &use) {
  const wire::StreamTransfer &site = image_.hostExchanges[exchange].transfers[transfer];
  const session::Transfer number{nextTransfer_++, exchange, transfer, now_};
  Stream &stream = streams_[site.stream];
  sayTaken();
  if (!wire::takesPart(site.view, image_.ipu)) {
    ++stream.nextRow;
    return true;
  }
  auto row = nextRow(site.stream, stream, number);
  if (!row)
    return row.status();
  if (row->payload.size() != site.view.bytes)
    return wrongSize("a stream's row", row->payload.size(), site.view.bytes);
  ++counters_.rowsFromHost;
  counters_.bytesFromHost += row->payload.size();
  if (Status status = use(row->payload.bytes()); !status.ok())
    return status;
  // Frees the buffer before the host learns of it.
  row->payload = {};
  taken_ = number;
  if (!isWrittenNext(number))
    sayTaken();
  return row->prefetched;
}

wire::Result<HostMailbox::Row> SessionEnvironment::nextRow(std::uint32_t stream, Stream &state,
                                                           const session::Transfer &number) {
  using Clock = HostMailbox::Clock;
  const std::uint64_t sequence = state.nextRow++;
  auto row = mailbox_.takeRow(stream, sequence,
                              state.fedAhead ? Clock::now() + kOnItsWay : Clock::time_point::min());
  if (!row) {
    host_.post({0, {}, session::StreamRequest{number}});
    auto awaited = mailbox_.awaitRow(stream, sequence);
    if (!awaited)
      return awaited.status();
    row = std::move(*awaited);
  }
  state.fedAhead = row->prefetched;
  return std::move(*row);
}

/// Returns true if a small row goes to the host directly after the received one, and can report its
/// receipt.
bool SessionEnvironment::isWrittenNext(const session::Transfer &taken) const {
  const auto &transfers = image_.hostExchanges[taken.exchange].transfers;
  if (taken.index + 1 >= transfers.size())
    return false;
  const wire::StreamTransfer &next = transfers[taken.index + 1];
  return next.direction == wire::Direction::ToHost && wire::takesPart(next.view, image_.ipu) &&
         next.view.bytes <= kSmallRow;
}

void SessionEnvironment::sayTaken() {
  if (taken_)
    host_.post({0, {}, session::StreamTaken{*taken_}});
  taken_.reset();
}

/// Waits for a credit of the host, and packs a part.
wire::Result<fabric::Payload> SessionEnvironment::packed(const wire::HostView &view,
                                                         const Part &part) {
  const std::uint32_t window = windowOf(view);
  if (!mailbox_.takeCredit(window)) {
    // The wait may be long, so the host must learn this first.
    sayTaken();
    if (Status status = mailbox_.awaitCredit(window); !status.ok())
      return status;
  }
  fabric::Payload payload = host_.payload(view.bytes);
  part.pack(payload.data());
  return payload;
}

Status SessionEnvironment::writeStream(std::uint32_t exchange, std::uint32_t transfer,
                                       const Part &part) {
  const wire::HostView &view = image_.hostExchanges[exchange].transfers[transfer].view;
  const session::Transfer number{nextTransfer_++, exchange, transfer, now_};
  if (!wire::takesPart(view, image_.ipu))
    return Status::success();
  auto payload = packed(view, part);
  if (!payload)
    return payload.status();
  ++counters_.rowsToHost;
  counters_.bytesToHost += view.bytes;
  const bool takenBefore = taken_ && taken_->number + 1 == number.number;
  if (takenBefore)
    taken_.reset();
  host_.post({0, {}, session::StreamWrite{number, takenBefore}},
             fabric::listOf(std::move(*payload)));
  return Status::success();
}

Status SessionEnvironment::print(std::uint32_t print, const Part &part) {
  const wire::HostView &view = image_.prints[print].view;
  const session::Transfer number{nextTransfer_++, 0, print, now_};
  if (!wire::takesPart(view, image_.ipu))
    return Status::success();
  auto payload = packed(view, part);
  if (payload)
    host_.post({0, {}, session::Print{number}}, fabric::listOf(std::move(*payload)));
  return payload.status();
}

Status SessionEnvironment::readRows(std::uint32_t copy, std::span<const std::uint32_t> rows,
                                    const Use &use) {
  const wire::RemoteCopy &about = image_.remoteCopies[copy];
  if (about.view.bytes == 0)
    return Status::success();
  auto payload = rows_ != nullptr ? rows_->read(about, rows) : readRowsOfHost(copy, rows);
  return payload ? use(payload->bytes()) : payload.status();
}

wire::Result<fabric::Payload>
SessionEnvironment::readRowsOfHost(std::uint32_t copy, std::span<const std::uint32_t> rows) {
  const wire::HostView &view = image_.remoteCopies[copy].view;
  const std::uint64_t request = nextRequest_++;
  host_.post({request, {}, session::RowsRead{copy, {rows.begin(), rows.end()}}});
  auto answer = mailbox_.awaitAnswer(request);
  if (answer && answer->size() != view.bytes)
    return wrongSize("rows of a remote buffer", answer->size(), view.bytes);
  return answer;
}

Status SessionEnvironment::writeRows(std::uint32_t copy, std::span<const std::uint32_t> rows,
                                     const Part &part) {
  const wire::RemoteCopy &about = image_.remoteCopies[copy];
  if (about.view.bytes == 0)
    return Status::success();
  fabric::Payload payload = host_.payload(about.view.bytes);
  part.pack(payload.data());
  if (rows_ != nullptr)
    return rows_->write(about, rows, payload);
  const std::uint64_t request = nextRequest_++;
  host_.post({request, {}, session::RowsWrite{copy, {rows.begin(), rows.end()}}},
             fabric::listOf(std::move(payload)));
  return mailbox_.awaitAnswer(request).status();
}

} // namespace copse::ipud
