#include "session_environment.hpp"

#include "ipud/step_names.hpp"

#include <algorithm>
#include <utility>

namespace copse::ipud {
namespace {

namespace session = wire::session;
using wire::Code;
using wire::Status;

// Rows and prints that may be on their way to the host at once: many small ones, or two large ones,
// of which one is made while the other travels.
constexpr std::uint32_t kSmallestWindow = 2, kLargestWindow = 8;
constexpr std::uint64_t kWindowBytes = std::uint64_t{1} << 20;

std::uint32_t windowOf(std::uint64_t rowBytes) {
  const std::uint64_t rows = kWindowBytes / std::max<std::uint64_t>(rowBytes, 1);
  return static_cast<std::uint32_t>(
      std::clamp<std::uint64_t>(rows, kSmallestWindow, kLargestWindow));
}

std::vector<fabric::Payload> only(fabric::Payload payload) {
  std::vector<fabric::Payload> all;
  all.push_back(std::move(payload));
  return all;
}

Status wrongSize(const char *what, std::uint64_t got, std::uint64_t wanted) {
  return {Code::BadFrame, std::string(what) + ": the host sent " + std::to_string(got) +
                              " bytes instead of " + std::to_string(wanted)};
}

} // namespace

SessionEnvironment::SessionEnvironment(const wire::Image &image, ControlSocket &host,
                                       HostMailbox &mailbox, fabric::LinkNode &links,
                                       const Barriers &barriers, std::chrono::milliseconds timeout)
    : image_(image), host_(host), mailbox_(mailbox), links_(links), barriers_(barriers),
      timeout_(timeout) {}

void SessionEnvironment::beginRun() { nextTransfer_ = 0; }

wire::Result<wire::Cycles> SessionEnvironment::sync(wire::SyncGroup group, std::uint32_t step,
                                                    wire::Cycles now) {
  const auto found = barriers_.find(group);
  if (found == barriers_.end())
    return Status{Code::InvalidImage, "the program syncs in a group that this IPU is not in"};
  sync::Barrier &barrier = *found->second;
  const std::uint64_t point = barrier.passed();
  barrier.arrive(now, step);
  return barrier.wait([&] {
    host_.post({0, {}, session::Waiting{group, point, describeStep(image_, step)}});
  });
}

Status SessionEnvironment::send(wire::IpuId to, std::uint32_t tag, fabric::Payload payload) {
  return links_.send(to, tag, std::move(payload));
}

wire::Result<fabric::Payload> SessionEnvironment::receive(wire::IpuId from, std::uint32_t tag) {
  return links_.receive(from, tag, fabric::LinkNode::Clock::now() + timeout_);
}

wire::Result<Environment::StreamData> SessionEnvironment::readStream(std::uint32_t exchange,
                                                                     std::uint32_t transfer) {
  const wire::StreamTransfer &site = image_.hostExchanges[exchange].transfers[transfer];
  const session::Transfer number{nextTransfer_++, exchange, transfer};
  const std::uint64_t sequence = nextRow_[site.stream]++;
  taken_.reset();
  if (!wire::takesPart(site.view, image_.ipu))
    return StreamData{{}, true};
  auto row = mailbox_.takeRow(site.stream, sequence);
  if (!row) {
    host_.post({0, {}, session::StreamRequest{number}});
    auto awaited = mailbox_.awaitRow(site.stream, sequence);
    if (!awaited)
      return awaited.status();
    row = std::move(*awaited);
  }
  if (row->payload.size() != site.view.bytes)
    return wrongSize("a stream's row", row->payload.size(), site.view.bytes);
  taken_ = number;
  return StreamData{std::move(row->payload), row->prefetched};
}

void SessionEnvironment::rowUsed() {
  if (taken_)
    host_.post({0, {}, session::StreamTaken{*taken_}});
}

Status SessionEnvironment::writeStream(std::uint32_t exchange, std::uint32_t transfer,
                                       fabric::Payload payload) {
  const session::Transfer number{nextTransfer_++, exchange, transfer};
  if (!wire::takesPart(image_.hostExchanges[exchange].transfers[transfer].view, image_.ipu))
    return Status::success();
  return toHost(session::StreamWrite{number}, std::move(payload));
}

Status SessionEnvironment::print(std::uint32_t print, fabric::Payload payload) {
  const session::Transfer number{nextTransfer_++, 0, print};
  if (!wire::takesPart(image_.prints[print].view, image_.ipu))
    return Status::success();
  return toHost(session::Print{number}, std::move(payload));
}

wire::Result<fabric::Payload> SessionEnvironment::readRows(std::uint32_t copy,
                                                           std::span<const std::uint32_t> rows) {
  const wire::HostView &view = image_.remoteCopies[copy].view;
  if (view.bytes == 0)
    return fabric::Payload{};
  const std::uint64_t request = nextRequest_++;
  host_.post({request, {}, session::RowsRead{copy, {rows.begin(), rows.end()}}});
  auto answer = mailbox_.awaitAnswer(request);
  if (answer && answer->size() != view.bytes)
    return wrongSize("rows of a remote buffer", answer->size(), view.bytes);
  return answer;
}

Status SessionEnvironment::writeRows(std::uint32_t copy, std::span<const std::uint32_t> rows,
                                     fabric::Payload payload) {
  if (image_.remoteCopies[copy].view.bytes == 0)
    return Status::success();
  const std::uint64_t request = nextRequest_++;
  host_.post({request, {}, session::RowsWrite{copy, {rows.begin(), rows.end()}}},
             only(std::move(payload)));
  return mailbox_.awaitAnswer(request).status();
}

Status SessionEnvironment::toHost(session::Body body, fabric::Payload payload) {
  if (Status status = mailbox_.awaitCredit(windowOf(payload.size())); !status.ok())
    return status;
  host_.post({0, {}, std::move(body)}, only(std::move(payload)));
  return Status::success();
}

} // namespace copse::ipud
