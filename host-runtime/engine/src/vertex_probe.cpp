#include "vertex_probe.hpp"

#include <algorithm>
#include <utility>

namespace copse::engine {

using session::StreamDescription;
using wire::Op;

namespace {

/// A host that supplies the rows of the program's buffers. Callbacks must not be called twice, so
/// their rows are zeros.
class RowsAtHand : public session::StreamHandler {
public:
  /// \param streams  number of the program's streams; others are remote buffers
  RowsAtHand(session::StreamHandler &host, std::size_t streams) : host_(host), streams_(streams) {}

  bool mayWait(Call /*call*/, std::uint32_t /*stream*/, std::uint32_t /*replica*/) const override {
    return false;
  }
  void fetch(std::uint32_t stream, std::uint32_t replica, std::span<std::byte> row) override {
    if (stream < streams_ && !host_.mayWait(Call::Fetch, stream, replica))
      host_.fetch(stream, replica, row);
    else
      std::ranges::fill(row, std::byte{0});
  }
  bool prefetch(std::uint32_t /*stream*/, std::uint32_t /*replica*/,
                std::span<std::byte> /*row*/) override {
    return false;
  }
  void complete(std::uint32_t /*stream*/, std::uint32_t /*replica*/) override {}
  void take(std::uint32_t /*stream*/, std::uint32_t /*replica*/,
            std::span<std::byte> /*row*/) override {}
  void invalidatePrefetched(std::uint32_t /*stream*/, std::uint32_t /*replica*/) override {}
  void print(std::uint32_t /*tensor*/, std::uint32_t /*replica*/,
             std::span<const std::byte> /*row*/) override {}

private:
  session::StreamHandler &host_;
  std::size_t streams_;
};

/// Returns the program's streams, and another one for the rows of each remote copy. Streams replace
/// the remote buffers because those may belong to another process, and outlive this one.
std::vector<StreamDescription> streamsOf(const session::Program &program) {
  std::vector<StreamDescription> streams = program.streams;
  for (const wire::RemoteCopy &copy : program.images.front()->remoteCopies)
    streams.push_back({copy.name, copy.direction, copy.view.rowBytes, false, 1, false});
  return streams;
}

void replaceRemoteCopies(wire::Image &image, std::size_t streams) {
  const auto first = static_cast<std::uint32_t>(image.hostExchanges.size());
  for (const wire::RemoteCopy &copy : image.remoteCopies) {
    wire::HostExchange &added = image.hostExchanges.emplace_back();
    added.name = copy.name;
    added.transfers = {{static_cast<std::uint32_t>(streams++), copy.direction, copy.view}};
    const bool toDevice = copy.direction == wire::Direction::ToDevice;
    (toDevice ? added.replicaBytesToDevice : added.replicaBytesToHost) = copy.replicaBytes;
  }
  image.remoteCopies.clear();
  for (wire::Step &step : image.steps)
    if (step.op == Op::RemoteCopy)
      step = {.op = Op::HostExchange, .index = first + step.index};
}

/// Makes a step run all its bodies once, so that each vertex counts its cycles: neither data nor
/// assumptions choose. A body with an assertion goes on.
void runAllBodies(wire::Step &step) {
  switch (step.op) {
  case Op::Repeat:
    step.count = std::min(step.count, 1U);
    break;
  case Op::While:
  case Op::If:
    step = {.op = Op::Repeat, .count = 1, .body = step.body + step.other};
    break;
  case Op::Switch: // its body has the cases and the default
  case Op::Case:
    step = {.op = Op::Repeat, .count = 1, .body = step.body};
    break;
  case Op::Abort:
    step = {.op = Op::Repeat};
    break;
  default: // a step without bodies
    break;
  }
}

/// Returns the image of a single replica that counts cycles.
wire::Image aloneFor(const wire::Image &image, std::size_t streams) {
  wire::Image alone = image;
  replaceRemoteCopies(alone, streams);
  for (wire::Exchange &exchange : alone.exchanges)
    if (!exchange.replicaMap.empty())
      exchange.replicaMap = {0};
  for (wire::Step &step : alone.steps)
    runAllBodies(step);
  alone.registers.raise = false; // the data are not the program's
  return alone;
}

session::Program aloneFor(const session::Program &program) {
  session::Program alone = program;
  alone.replicas = alone.allReplicas = 1;
  alone.streams = streamsOf(program);
  alone.remoteBuffers.clear();
  alone.prefetch = false;
  alone.callbacksSideBySide = 0;
  alone.streamsOfPrograms.clear();
  for (auto &image : alone.images)
    image = std::make_shared<const wire::Image>(aloneFor(*image, program.streams.size()));
  return alone;
}

} // namespace

wire::Result<std::unique_ptr<VertexProbe>> VertexProbe::start(session::MachineOptions options,
                                                              const session::Program &program) {
  options.ipus = static_cast<std::uint32_t>(program.images.size());
  options.transport = session::Transport::Inproc;
  auto machine = session::Machine::start(std::move(options));
  if (!machine)
    return machine.status();
  if (wire::Status status = (*machine)->load(aloneFor(program)); !status.ok())
    return status;
  return std::unique_ptr<VertexProbe>(new VertexProbe(std::move(*machine), program.streams.size()));
}

wire::Result<std::vector<wire::MeasuredCycles>> VertexProbe::run(std::uint32_t index,
                                                                 session::StreamHandler &host) {
  RowsAtHand rows(host, streams_);
  if (auto report = machine_->run(index, rows); !report)
    return report.status();
  return machine_->vertexCycles();
}

wire::Status VertexProbe::write(std::uint32_t view, std::span<const std::byte> row) {
  return machine_->write(view, row);
}

} // namespace copse::engine
