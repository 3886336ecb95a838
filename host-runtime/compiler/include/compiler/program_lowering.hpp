#pragma once

#include "compiler/compute_set_lowering.hpp"
#include "compiler/exchange_builder.hpp"
#include "compiler/placement.hpp"
#include "graph/model.hpp"
#include "sync/groups.hpp"
#include "wire/image.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace copse::compiler {

/// A few words at the start of tile 0 of every IPU, where a step finds what it decides by: a
/// predicate, or the row numbers of a remote-buffer copy, or what the IPUs say of a compute set's
/// result. The addresses are the same on all IPUs, so one list of steps serves all.
struct ControlCells {
  std::uint32_t address = 0; ///< of the predicate; the others share what follows 8 bytes later
  std::uint32_t maxRows = 0;
  std::uint32_t ipus = 1; ///< of one replica: a result of one byte from each

  std::uint32_t bytes() const { return 8 + std::max(4 * maxRows, ipus); }
  std::uint32_t rowsAddress() const { return address + 8; }
  std::uint32_t resultsAddress() const { return address + 8; }
};

/// What programs print, and what the host needs to know of it.
struct PrintedTensor {
  std::string title;
  graph::ElementType type = graph::ElementType::Float;
  std::vector<std::size_t> shape;
  bool metadata = false; ///< of quarters: their metadata stand before the first element
  poplar::PrintTensorFmt format;
};

/// Most rows that one remote-buffer copy of \p programs names by offsets.
std::uint32_t maxRemoteRows(std::span<const graph::ProgramPtr> programs, const graph::Model &model);

/// A cross-replica copy, and the memory that it reads and writes on all IPUs of a replica.
struct CrossReplicaExchange {
  ExchangeBuilder builder;
  std::string name;
  std::vector<wire::Region> from, to;
};

/// Lowers program trees to steps. All IPUs of a replica get the same steps; what differs is in the
/// exchanges and transfers that the steps name.
class ProgramLowering {
public:
  ProgramLowering(const graph::Model &model, const Placement &placement, ControlCells cells,
                  std::vector<LoweredComputeSet> computeSets, const sync::Scheme &scheme,
                  std::vector<wire::Image> &images);

  /// Adds \p programs, and all functions of the model, to the images.
  void lower(std::span<const graph::ProgramPtr> programs);

  std::vector<PrintedTensor> takePrintedTensors() { return std::move(printed_); }

private:
  using Node = graph::ProgramNode;

  wire::StepRange lowerRange(const graph::ProgramPtr &program);
  void lowerNode(const Node &node);
  void lowerSequence(const Node &node);
  void lowerExecute(const Node &node);
  void emitResult(const Node &node);
  void lowerCopy(const Node &node);
  void lowerCrossReplicaCopies(std::span<const Node *const> nodes);
  CrossReplicaExchange crossReplicaExchange(const Node &node) const;
  void lowerStreams(std::span<const Node *const> nodes);
  std::string describeStreamCopy(const Node &node) const;
  void lowerLargeStream(const Node &node, std::span<const wire::HostView> views,
                        std::uint64_t limit);
  std::vector<wire::HostView> viewsOf(const Node &node) const;
  void addTransfer(const Node &node, std::vector<wire::HostView> views,
                   std::vector<wire::HostExchange> &exchange) const;
  void emitHostExchange(std::vector<wire::HostExchange> exchange);
  void lowerRemote(const Node &node);
  void lowerRepeat(const Node &node);
  void lowerWhile(const Node &node);
  void lowerIf(const Node &node);
  void lowerSwitch(const Node &node);
  void lowerPrint(const Node &node);
  void lowerSync(const Node &node);
  void lowerAbort(const Node &node);
  void lowerReadClock(const Node &node);

  std::uint32_t lowerBody(const graph::ProgramPtr &program); ///< \returns its length [steps]
  std::size_t emit(wire::Step step);
  /// A sync point of the group that this is for, if there is one.
  void emitSync(sync::Purpose purpose);
  void emitExchange(ExchangeBuilder builder, const std::string &name);
  void emitPredicate(const graph::TypedView &predicate, wire::Step &step, const std::string &name);
  std::vector<wire::Region> locate(const graph::View &view, const std::string &user) const;

  const graph::Model &model_;
  const Placement &placement_;
  ControlCells cells_;
  std::vector<LoweredComputeSet> computeSets_;
  sync::Scheme scheme_;
  std::vector<wire::Image> &images_;
  std::vector<wire::Step> steps_;
  std::vector<std::string> messages_;
  std::vector<PrintedTensor> printed_;
};

} // namespace copse::compiler
