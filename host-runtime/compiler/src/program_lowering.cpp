#include "compiler/program_lowering.hpp"

#include "hazards.hpp"
#include "program_tree.hpp"
#include "region_set.hpp"

#include "compiler/host_views.hpp"
#include "poplar/SyncType.hpp"
#include "poplar/exceptions.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace copse::compiler {

using graph::ProgramPtr;
using graph::TypedView;
using sync::Purpose;
using wire::HostView;
using wire::Op;
using wire::Region;
using wire::Step;
using wire::StepRange;
namespace kind = graph::kind;

namespace {

// The limit of one transfer: the IPU's address translation table covers this much host memory
// (guide, 2.6.3).
constexpr std::uint64_t kMaxTransferBytes = 128ull << 20;

std::string describe(const std::string &name, const char *kind) {
  return name.empty() ? std::string("a ") + kind : std::string(kind) + " '" + name + "'";
}
std::string describe(const graph::ProgramNode &node, const char *kind) {
  return describe(node.name, kind);
}

/// Returns the name of an auxiliary part of a program.
/// \param name  name of the program; may be empty
std::string partOf(const std::string &name, const char *part) {
  return name.empty() ? part : name + "/" + part;
}

/// Ends a name that stands for others, too.
constexpr std::string_view kAndOthers = ", ...";

/// Returns the variables of a view for messages: "weights", or "weights, ..." if there are several.
std::string variablesOf(const graph::Model &model, const graph::View &view) {
  const auto runs = view.runs();
  if (runs.empty())
    return "nothing";
  const graph::VariableId first = runs.front().variable;
  const bool isOne =
      std::ranges::all_of(runs, [&](const auto &run) { return run.variable == first; });
  const std::string &name = model.variables[first].name;
  return (name.empty() ? "a variable" : name) + (isOne ? "" : std::string(kAndOthers));
}

/// Returns the name of a copy's exchange: the program's name, or else what is copied.
std::string nameOfCopy(const graph::Model &model, const graph::ProgramNode &node,
                       const graph::View &source, const graph::View &destination) {
  return node.name.empty() ? variablesOf(model, source) + " to " + variablesOf(model, destination)
                           : node.name;
}

} // namespace

std::uint32_t maxRemoteRows(std::span<const ProgramPtr> programs, const graph::Model &model) {
  std::uint64_t rows = 0;
  const auto look = [&](const graph::ProgramNode &node) {
    if (const auto *copy = graph::as<kind::RemoteCopy>(node); copy && copy->offsets)
      rows = std::max<std::uint64_t>(rows, copy->offsets->view.numElements());
  };
  for (const ProgramPtr &program : programs)
    visitNodes(program, look);
  for (const ProgramPtr &function : model.functions)
    visitNodes(function, look);
  return static_cast<std::uint32_t>(rows);
}

ProgramLowering::ProgramLowering(const graph::Model &model, const Placement &placement,
                                 ControlCells cells, std::vector<LoweredComputeSet> computeSets,
                                 const sync::Scheme &scheme, std::vector<wire::Image> &images)
    : model_(model), placement_(placement), cells_(cells), computeSets_(std::move(computeSets)),
      scheme_(scheme), images_(images) {}

void ProgramLowering::lower(std::span<const ProgramPtr> programs) {
  std::vector<StepRange> ranges, calls;
  for (const ProgramPtr &program : programs)
    ranges.push_back(lowerRange(program));
  for (const ProgramPtr &function : model_.functions)
    calls.push_back(lowerRange(function));
  for (wire::Image &image : images_) {
    image.steps = steps_;
    image.programs = ranges;
    image.calls = calls;
    image.messages = messages_;
  }
}

StepRange ProgramLowering::lowerRange(const ProgramPtr &program) {
  const auto first = static_cast<std::uint32_t>(steps_.size());
  return {first, lowerBody(program)};
}

std::uint32_t ProgramLowering::lowerBody(const ProgramPtr &program) {
  const std::size_t first = steps_.size();
  if (program)
    lowerNode(*program);
  return static_cast<std::uint32_t>(steps_.size() - first);
}

void ProgramLowering::lowerNode(const Node &node) {
  const Node *const outer = std::exchange(node_, &node);
  std::visit([&](const auto &what) { lowerKind(node, what); }, node.kind);
  node_ = outer;
}

template <class Kind>
std::vector<ProgramLowering::CopyNode<Kind>>
ProgramLowering::copiesInFront(std::span<const Node *const> leaves) {
  std::vector<CopyNode<Kind>> copies;
  for (const Node *leaf : leaves) {
    const auto *const copy = graph::as<Kind>(*leaf);
    if (copy == nullptr)
      break;
    copies.push_back({leaf, copy});
  }
  return copies;
}

void ProgramLowering::lowerKind(const Node &node, const kind::Sequence &sequence) {
  const auto first = static_cast<std::uint32_t>(steps_.size());
  const std::size_t number = blocks_.size(); // outer blocks precede nested ones
  if (sequence.isBlock)
    blocks_.push_back({node.name, {first, 0}});
  lowerSequence(sequence);
  if (sequence.isBlock)
    blocks_[number].steps.count = static_cast<std::uint32_t>(steps_.size()) - first;
}

void ProgramLowering::lowerSequence(const kind::Sequence &sequence) {
  std::vector<const Node *> leaves;
  flatten(sequence, leaves);
  for (std::span<const Node *const> rest(leaves); !rest.empty();) {
    std::size_t lowered = 1;
    if (const auto streams = copiesInFront<kind::StreamCopy>(rest); !streams.empty()) {
      lowerStreams(streams);
      lowered = streams.size();
    } else if (const auto copies = copiesInFront<kind::CrossReplicaCopy>(rest); !copies.empty()) {
      lowerCrossReplicaCopies(copies);
      lowered = copies.size();
    } else if (const auto local = copiesInFront<kind::Copy>(rest); !local.empty()) {
      lowerCopies(local);
      lowered = local.size();
    } else {
      lowerNode(*rest.front());
    }
    rest = rest.subspan(lowered);
  }
}

void ProgramLowering::lowerKind(const Node &node, const kind::StreamCopy &copy) {
  const StreamNode one{&node, &copy};
  lowerStreams({&one, 1});
}

void ProgramLowering::lowerKind(const Node &, const kind::Call &call) {
  emit({.op = Op::Call, .index = call.function});
}

/// Marks contents as undefined. Only checked programs need a step for that, which does nothing
/// else.
void ProgramLowering::lowerKind(const Node &node, const kind::WriteUndef &undefined) {
  if (!images_.front().checks.present)
    return;
  const auto step = static_cast<std::uint32_t>(emit({.op = Op::Repeat}));
  std::vector<Region> regions;
  try {
    regions = locate(undefined.tensor.view, describe(node, "WriteUndef"));
  } catch (const poplar::invalid_tile_mapping &) {
    return; // no step uses the tensor, or that step reports the error
  }
  for (const Region &region : regions)
    images_[region.tile / model_.tilesPerIpu].checks.undefined.push_back(
        {step, region.tile % model_.tilesPerIpu, region.address, region.bytes, region.count,
         region.stride});
}

/// Ignores the assumption, which has no effect at run time.
void ProgramLowering::lowerKind(const Node &, const kind::AssumeEqual &) {}

std::size_t ProgramLowering::emit(Step step) {
  steps_.push_back(step);
  stepNodes_.push_back(node_);
  return steps_.size() - 1;
}

void ProgramLowering::emitSync(Purpose purpose) {
  if (const auto group = sync::groupFor(purpose, scheme_))
    emit({.op = Op::Sync, .index = static_cast<std::uint32_t>(*group)});
}

std::vector<Region> ProgramLowering::locate(const graph::View &view,
                                            const std::string &user) const {
  std::vector<Region> regions;
  placement_.locate(view.runs(), user, regions);
  return regions;
}

void ProgramLowering::emitExchange(ExchangeBuilder builder, const std::string &name) {
  if (builder.empty())
    return;
  const auto index = static_cast<std::uint32_t>(images_[0].exchanges.size());
  if (builder.external())
    emitSync(Purpose::WithinReplica);
  auto exchanges = std::move(builder).finish(name);
  for (std::uint32_t ipu = 0; ipu < model_.ipus; ++ipu)
    images_[ipu].exchanges.push_back(std::move(exchanges[ipu]));
  emit({.op = Op::Exchange, .index = index});
}

void ProgramLowering::lowerKind(const Node &node, const kind::Execute &execute) {
  const LoweredComputeSet &lowered = computeSets_[execute.computeSet];
  const auto exchange = [&](const std::optional<std::uint32_t> &index, bool external) {
    if (!index)
      return;
    if (external)
      emitSync(Purpose::WithinReplica);
    emit({.op = Op::Exchange, .index = *index});
  };
  exchange(lowered.before, lowered.beforeExternal);
  emit({.op = Op::ComputeSet, .index = execute.computeSet});
  exchange(lowered.after, lowered.afterExternal);
  if (execute.result)
    emitResult(node.name, execute.computeSet, *execute.result);
}

/// Emits the result of a compute set: each IPU puts the AND of its own vertices into its predicate
/// word, and the IPU with the tensor collects them.
void ProgramLowering::emitResult(const std::string &name, std::uint32_t computeSet,
                                 const TypedView &tensor) {
  const std::string user = describe(name, "Execute");
  checkWritable(model_, tensor.view.runs(), user);
  const auto target = locate(tensor.view, user);
  for (wire::Image &image : images_) {
    image.computeSets[computeSet].hasResult = true;
    image.computeSets[computeSet].result = {0, cells_.address};
  }
  const std::uint32_t home = target[0].tile / model_.tilesPerIpu;
  Region result{home * model_.tilesPerIpu, cells_.address, 1, 1, 0};
  if (model_.ipus > 1) {
    ExchangeBuilder gather(model_.ipus, model_.tilesPerIpu);
    for (std::uint32_t ipu = 0; ipu < model_.ipus; ++ipu) {
      const Region from{ipu * model_.tilesPerIpu, cells_.address, 1, 1, 0};
      const Region to{result.tile, cells_.resultsAddress() + ipu, 1, 1, 0};
      gather.add({&from, 1}, {&to, 1});
    }
    emitExchange(std::move(gather), partOf(name, "results"));
    result.address = cells_.resultsAddress();
    emit(
        {.op = Op::AllTrue, .index = home, .count = model_.ipus, .predicate = {0, result.address}});
  }
  ExchangeBuilder builder(model_.ipus, model_.tilesPerIpu);
  builder.add({&result, 1}, target);
  emitExchange(std::move(builder), partOf(name, "result"));
}

void ProgramLowering::lowerKind(const Node &node, const kind::Copy &copy) {
  const LocalCopyNode one{&node, &copy};
  lowerCopies({&one, 1});
}

/// Lowers adjacent copies to one exchange, up to a copy that depends on an earlier one: exchange
/// code sends while it receives, so the copies of an exchange have no order.
void ProgramLowering::lowerCopies(std::span<const LocalCopyNode> nodes) {
  const Node *const outer = node_;
  RegionSet read, written;
  const ExchangeBuilder nothing(model_.ipus, model_.tilesPerIpu);
  ExchangeBuilder builder = nothing;
  std::string name;
  const auto emitTogether = [&] {
    emitExchange(std::exchange(builder, nothing), name);
    read = written = {};
    name.clear();
  };
  for (const auto &[node, copy] : nodes) {
    const std::string what = describe(*node, "Copy");
    checkWritable(model_, copy->destination.view.runs(), what);
    const auto from = locate(copy->source.view, what), to = locate(copy->destination.view, what);
    if (!builder.empty() &&
        (written.mayContainAny(from) || written.mayContainAny(to) || read.mayContainAny(to)))
      emitTogether();
    if (builder.empty()) {
      node_ = node;
      name = nameOfCopy(model_, *node, copy->source.view, copy->destination.view);
    } else if (!name.ends_with(kAndOthers)) {
      name += kAndOthers;
    }
    builder.add(from, to);
    if (nodes.size() > 1) {
      read.add(from);
      written.add(to);
    }
  }
  emitTogether();
  node_ = outer;
}

void ProgramLowering::lowerKind(const Node &node, const kind::CrossReplicaCopy &copy) {
  const CrossReplicaNode one{&node, &copy};
  lowerCrossReplicaCopies(std::span(&one, 1));
}

CrossReplicaExchange ProgramLowering::crossReplicaExchange(CrossReplicaNode node) const {
  const kind::CrossReplicaCopy &copy = *node.copy;
  const std::string what = describe(*node.node, "CrossReplicaCopy");
  if (model_.replicas < 2)
    throw poplar::graph_replication_error(
        what + ": the graph is not replicated; give the Graph a replication_factor");
  if (copy.replicaMap.size() != model_.replicas)
    throw poplar::control_program_error(
        what + ": the map names " + std::to_string(copy.replicaMap.size()) + " of " +
        std::to_string(model_.replicas) + " replicas; each must send and receive once");
  std::vector<std::uint32_t> map(model_.replicas);
  for (const auto &[from, to] : copy.replicaMap) {
    if (from >= model_.replicas || to >= model_.replicas)
      throw poplar::control_program_error(what + ": the map names replica " +
                                          std::to_string(std::max(from, to)) + ", but there are " +
                                          std::to_string(model_.replicas));
    map[from] = to;
  }
  checkWritable(model_, copy.destination.view.runs(), what);
  CrossReplicaExchange exchange{
      ExchangeBuilder(model_.ipus, model_.tilesPerIpu, std::move(map)),
      nameOfCopy(model_, *node.node, copy.source.view, copy.destination.view),
      locate(copy.source.view, what), locate(copy.destination.view, what)};
  exchange.builder.add(exchange.from, exchange.to);
  return exchange;
}

/// Lowers adjacent copies to one exchange, up to a copy that reads or writes what an earlier one
/// writes.
void ProgramLowering::lowerCrossReplicaCopies(std::span<const CrossReplicaNode> nodes) {
  const Node *const outer = std::exchange(node_, nodes.front().node);
  std::vector<CrossReplicaExchange> together;
  RegionSet written;
  const auto emitTogether = [&] {
    if (together.empty())
      return;
    emitSync(Purpose::BetweenReplicas);
    const auto index = static_cast<std::uint32_t>(images_[0].exchanges.size());
    for (CrossReplicaExchange &exchange : together) {
      auto exchanges = std::move(exchange.builder).finish(exchange.name);
      for (std::uint32_t ipu = 0; ipu < model_.ipus; ++ipu)
        images_[ipu].exchanges.push_back(std::move(exchanges[ipu]));
    }
    emit({.op = Op::Exchange,
          .index = index,
          .count = static_cast<std::uint32_t>(together.size() - 1)});
    together.clear();
    written = {};
  };
  for (const CrossReplicaNode &node : nodes) {
    CrossReplicaExchange next = crossReplicaExchange(node);
    if (next.builder.empty())
      continue;
    if (written.mayContainAny(next.from) || written.mayContainAny(next.to))
      emitTogether();
    written.add(next.to);
    together.push_back(std::move(next));
  }
  emitTogether();
  node_ = outer;
}

std::string ProgramLowering::describeStreamCopy(StreamNode node) const {
  return describe(*node.node, "Copy") + " of stream '" + model_.streams[node.copy->stream].handle +
         "'";
}

/// Lowers a copy that exceeds its stream's split limit on an IPU to several host exchanges.
void ProgramLowering::lowerLargeStream(StreamNode node, std::span<const HostView> views,
                                       std::uint64_t limit) {
  const graph::StreamDef &stream = model_.streams[node.copy->stream];
  if (stream.splitLimit == 0)
    throw poplar::stream_memory_allocation_error(
        describeStreamCopy(node) + " moves more than " + std::to_string(kMaxTransferBytes) +
        " bytes on an IPU, the most of one host exchange, and the stream option splitLimit is 0; "
        "give it another value, or use a sequence of copies");
  for (auto &part : cutViews(views, limit, views.front().rowBytes / stream.elements)) {
    std::vector<wire::HostExchange> exchange(model_.ipus);
    addTransfer(node, std::move(part), exchange);
    emitHostExchange(std::move(exchange));
  }
}

/// Merges adjacent stream copies into host exchanges, as far as the buffers on each IPU allow
/// (guide, 2.6.1 and 2.6.3).
void ProgramLowering::lowerStreams(std::span<const StreamNode> nodes) {
  const Node *const outer = std::exchange(node_, nodes.front().node);
  std::vector<wire::HostExchange> exchange(model_.ipus);
  std::vector<std::uint64_t> bytes(model_.ipus);
  std::uint64_t limit = kMaxTransferBytes;
  for (const StreamNode node : nodes) {
    auto views = viewsOf(node);
    const std::uint64_t split = model_.streams[node.copy->stream].splitLimit;
    const std::uint64_t own = split == 0 ? kMaxTransferBytes : std::min(split, kMaxTransferBytes);
    bool fits = true, isLarge = false;
    for (std::uint32_t ipu = 0; ipu < model_.ipus; ++ipu) {
      fits = fits && bytes[ipu] + views[ipu].bytes <= std::min(limit, own);
      isLarge = isLarge || views[ipu].bytes > own;
    }
    if (!fits && !exchange.front().transfers.empty()) {
      emitHostExchange(std::exchange(exchange, std::vector<wire::HostExchange>(model_.ipus)));
      std::fill(bytes.begin(), bytes.end(), 0);
      limit = kMaxTransferBytes;
    }
    if (isLarge) {
      lowerLargeStream(node, views, own);
      continue;
    }
    limit = std::min(limit, own);
    for (std::uint32_t ipu = 0; ipu < model_.ipus; ++ipu)
      bytes[ipu] += views[ipu].bytes;
    addTransfer(node, std::move(views), exchange);
  }
  if (!exchange.front().transfers.empty())
    emitHostExchange(std::move(exchange));
  node_ = outer;
}

/// Returns each IPU's part of a stream copy.
std::vector<HostView> ProgramLowering::viewsOf(StreamNode node) const {
  const graph::View &view = node.copy->tensor.view;
  const std::string what = describeStreamCopy(node);
  if (!node.copy->toHost)
    checkNotConstant(model_, view.runs(), what);
  return splitRow(locate(view, what), model_.ipus, model_.tilesPerIpu,
                  node.copy->optimiseMemory ? Rearrange::OnHost : Rearrange::OnDevice);
}

void ProgramLowering::addTransfer(StreamNode node, std::vector<HostView> views,
                                  std::vector<wire::HostExchange> &exchange) const {
  const bool toHost = node.copy->toHost;
  std::uint64_t replicaBytes = 0;
  for (const HostView &view : views)
    replicaBytes += view.bytes;
  for (std::uint32_t ipu = 0; ipu < model_.ipus; ++ipu) {
    wire::HostExchange &on = exchange[ipu];
    if (on.name.empty())
      on.name =
          node.node->name.empty() ? model_.streams[node.copy->stream].handle : node.node->name;
    (toHost ? on.replicaBytesToHost : on.replicaBytesToDevice) += replicaBytes;
    on.transfers.push_back({node.copy->stream,
                            toHost ? wire::Direction::ToHost : wire::Direction::ToDevice,
                            std::move(views[ipu])});
  }
}

void ProgramLowering::emitHostExchange(std::vector<wire::HostExchange> exchange) {
  const auto index = static_cast<std::uint32_t>(images_[0].hostExchanges.size());
  for (std::uint32_t ipu = 0; ipu < model_.ipus; ++ipu)
    images_[ipu].hostExchanges.push_back(std::move(exchange[ipu]));
  // A hardware sync precedes and follows host communication (guide, 2.7.2).
  emitSync(Purpose::Host);
  emit({.op = Op::HostExchange, .index = index});
  emitSync(Purpose::Host);
}

void ProgramLowering::lowerKind(const Node &node, const kind::RemoteCopy &remote) {
  const graph::RemoteBufferDef &buffer = model_.remoteBuffers[remote.buffer];
  const std::string what = describe(node, "Copy") + " of remote buffer '" + buffer.handle + "'";
  const TypedView &tensor = remote.tensor;
  const std::uint64_t rows = remote.offsets ? remote.offsets->view.numElements() : 1;
  if (tensor.view.numElements() != rows * buffer.elements)
    throw poplar::control_program_error(
        what + ": the tensor has " + std::to_string(tensor.view.numElements()) + " elements, but " +
        std::to_string(rows) + " row(s) of " + std::to_string(buffer.elements) + " are copied");
  if (!remote.toBuffer)
    checkNotConstant(model_, tensor.view.runs(), what);
  if (remote.offsets) {
    ExchangeBuilder offsets(model_.ipus, model_.tilesPerIpu);
    const auto from = locate(remote.offsets->view, what);
    for (std::uint32_t ipu = 0; ipu < model_.ipus; ++ipu) {
      const Region cell{ipu * model_.tilesPerIpu, cells_.rowsAddress(),
                        static_cast<std::uint32_t>(4 * rows), 1, 0};
      offsets.add(from, {&cell, 1});
    }
    emitExchange(std::move(offsets),
                 partOf(node.name.empty() ? buffer.handle : node.name, "offsets"));
  }
  auto views = splitRow(locate(tensor.view, what), model_.ipus, model_.tilesPerIpu);
  const auto index = static_cast<std::uint32_t>(images_[0].remoteCopies.size());
  for (std::uint32_t ipu = 0; ipu < model_.ipus; ++ipu) {
    wire::RemoteCopy copy;
    copy.name = node.name.empty() ? buffer.handle : node.name;
    copy.buffer = remote.buffer;
    copy.direction = remote.toBuffer ? wire::Direction::ToHost : wire::Direction::ToDevice;
    copy.rows = static_cast<std::uint32_t>(rows);
    copy.rowBytes = views[ipu].rowBytes / std::max<std::uint64_t>(rows, 1);
    copy.hasOffsets = remote.offsets.has_value();
    if (remote.offsets)
      copy.offsets = {0, cells_.rowsAddress(), static_cast<std::uint32_t>(4 * rows), 1, 0};
    copy.replicaBytes = views[ipu].rowBytes;
    copy.view = std::move(views[ipu]);
    images_[ipu].remoteCopies.push_back(std::move(copy));
  }
  emitSync(Purpose::RemoteBuffer);
  emit({.op = Op::RemoteCopy, .index = index});
  emitSync(Purpose::RemoteBuffer);
}

void ProgramLowering::emitPredicate(const TypedView &predicate, Step &step,
                                    const std::string &name) {
  step.predicate = {0, cells_.address};
  step.predicateBytes = static_cast<std::uint8_t>(graph::elementBytes(model_, predicate.type));
  ExchangeBuilder builder(model_.ipus, model_.tilesPerIpu);
  const auto from = locate(predicate.view, "a predicate");
  for (std::uint32_t ipu = 0; ipu < model_.ipus; ++ipu) {
    const Region cell{ipu * model_.tilesPerIpu, cells_.address, step.predicateBytes, 1, 0};
    builder.add(from, {&cell, 1});
  }
  emitExchange(std::move(builder), partOf(name, "predicate"));
}

void ProgramLowering::lowerKind(const Node &, const kind::Repeat &repeat) {
  const std::size_t at = emit({.op = Op::Repeat, .count = repeat.count});
  const std::uint32_t length = lowerBody(repeat.body);
  steps_[at].body = length;
}

/// Returns Step::index for a step that data decide.
std::uint32_t ProgramLowering::nameForStep(const Node &node) {
  if (node.name.empty())
    return 0;
  messages_.push_back(node.name);
  return static_cast<std::uint32_t>(messages_.size());
}

void ProgramLowering::lowerKind(const Node &node, const kind::RepeatWhile &loop) {
  const std::size_t at =
      emit({.op = Op::While, .index = nameForStep(node), .count = loop.goesOn ? 1u : 0u});
  Step step = steps_[at];
  lowerBody(loop.condition);
  emitPredicate(loop.predicate, step, node.name);
  step.other = static_cast<std::uint32_t>(steps_.size() - at - 1);
  step.body = lowerBody(loop.body);
  steps_[at] = step;
}

void ProgramLowering::lowerKind(const Node &node, const kind::If &branch) {
  Step step{.op = Op::If, .index = nameForStep(node)};
  emitPredicate(branch.predicate, step, node.name);
  const std::size_t at = emit(step);
  step.body = lowerBody(branch.taken);
  step.other = lowerBody(branch.otherwise);
  steps_[at] = step;
}

void ProgramLowering::lowerKind(const Node &node, const kind::Switch &choice) {
  Step step{.op = Op::Switch,
            .index = nameForStep(node),
            .count = static_cast<std::uint32_t>(choice.cases.size())};
  emitPredicate(choice.control, step, node.name);
  const std::size_t at = emit(step);
  for (const auto &[value, body] : choice.cases) {
    const std::size_t one = emit({.op = Op::Case, .index = static_cast<std::uint32_t>(value)});
    const std::uint32_t length = lowerBody(body);
    steps_[one].body = length;
  }
  step.other = lowerBody(choice.otherwise);
  step.body = static_cast<std::uint32_t>(steps_.size() - at - 1);
  steps_[at] = step;
}

void ProgramLowering::lowerKind(const Node &node, const kind::PrintTensor &print) {
  const auto index = static_cast<std::uint32_t>(printed_.size());
  printed_.push_back({print.title, print.tensor.type, print.tensor.view.shape(),
                      print.metadata.has_value(), print.format});
  graph::View row = print.tensor.view;
  if (print.metadata)
    row = graph::View::concat(
        std::array{print.metadata->view.reshape({1}), row.reshape({row.numElements()})}, 0);
  auto views =
      splitRow(locate(row, describe(node, "PrintTensor")), model_.ipus, model_.tilesPerIpu);
  for (std::uint32_t ipu = 0; ipu < model_.ipus; ++ipu)
    images_[ipu].prints.push_back({index, std::move(views[ipu])});
  emitSync(Purpose::Host);
  emit({.op = Op::Print, .index = index});
}

/// Lowers a Sync. The tiles of one IPU are always in step, because each step takes as long as its
/// slowest tile.
void ProgramLowering::lowerKind(const Node &, const kind::Sync &sync) {
  switch (sync.type) {
  case poplar::SyncType::INTERNAL:
    return;
  case poplar::SyncType::EXTERNAL:
    return emitSync(Purpose::WithinReplica);
  case poplar::SyncType::GLOBAL:
    return emitSync(Purpose::BetweenReplicas);
  }
}

void ProgramLowering::lowerKind(const Node &node, const kind::ReadClock &clock) {
  const auto to = locate(clock.destination.view, describe(node, "cycleCount()"));
  if (to.size() != 1 || to[0].size() != 8)
    throw poplar::control_program_error(describe(node, "cycleCount()") +
                                        ": needs two words on one tile");
  emit({.op = Op::ReadClock,
        .index = to[0].tile / model_.tilesPerIpu,
        .count = clock.difference ? 1u : 0u,
        .predicate = {to[0].tile % model_.tilesPerIpu, to[0].address}});
}

void ProgramLowering::lowerKind(const Node &node, const kind::Abort &abort) {
  Step step{.op = Op::Abort, .index = static_cast<std::uint32_t>(messages_.size())};
  messages_.push_back(abort.message.empty() ? describe(node, "Abort") : abort.message);
  if (abort.predicate) {
    step.count = 1;
    emitPredicate(*abort.predicate, step, node.name);
  }
  emit(step);
}

} // namespace copse::compiler
