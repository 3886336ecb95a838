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

/// A few words at the start of tile 0 of every IPU that hold the data by which steps decide: a
/// predicate, and the row numbers of a remote-buffer copy or the IPUs' results of a compute set.
/// The addresses are equal on all IPUs, so that all share one list of steps.
struct ControlCells {
  std::uint32_t address = 0; ///< address of the predicate; the others follow 8 bytes later
  std::uint32_t maxRows = 0;
  std::uint32_t ipus = 1; ///< per replica; each contributes a result of one byte

  std::uint32_t bytes() const { return 8 + std::max(4 * maxRows, ipus); }
  std::uint32_t rowsAddress() const { return address + 8; }
  std::uint32_t resultsAddress() const { return address + 8; }
};

/// The steps of a program::Block.
struct ProgramBlock {
  std::string name; ///< debug path
  wire::StepRange steps;
};

/// A printed tensor, with what the host needs to know to print it.
struct PrintedTensor {
  std::string title;
  graph::ElementType type = graph::ElementType::Float;
  std::vector<std::size_t> shape;
  bool metadata = false; ///< quarters: their metadata precede the first element
  poplar::PrintTensorFmt format;
};

/// Returns the largest number of rows that a remote-buffer copy in \p programs names by offsets.
std::uint32_t maxRemoteRows(std::span<const graph::ProgramPtr> programs, const graph::Model &model);

/// A cross-replica copy, with the memory that it reads and writes on all IPUs of a replica.
struct CrossReplicaExchange {
  ExchangeBuilder builder;
  std::string name;
  std::vector<wire::Region> from, to;
};

/// Lowers program trees to steps. All IPUs of a replica get equal steps; only the exchanges and
/// transfers to which the steps refer differ.
class ProgramLowering {
public:
  ProgramLowering(const graph::Model &model, const Placement &placement, ControlCells cells,
                  std::vector<LoweredComputeSet> computeSets, const sync::Scheme &scheme,
                  std::vector<wire::Image> &images);

  /// Adds \p programs, and all functions of the model, to the images.
  void lower(std::span<const graph::ProgramPtr> programs);

  std::vector<PrintedTensor> takePrintedTensors() { return std::move(printed_); }
  std::vector<ProgramBlock> takeBlocks() { return std::move(blocks_); }
  /// Returns the program that each step was made from; if a step does several programs, the first.
  /// Shape [Image::steps]
  const std::vector<const graph::ProgramNode *> &stepNodes() const { return stepNodes_; }

private:
  using Node = graph::ProgramNode;

  wire::StepRange lowerRange(const graph::ProgramPtr &program);
  void lowerNode(const Node &node);
  std::uint32_t nameForStep(const Node &node);
  // One function for each kind of program.
  void lowerKind(const Node &node, const graph::kind::Sequence &sequence);
  void lowerSequence(const graph::kind::Sequence &sequence);
  void lowerKind(const Node &node, const graph::kind::Execute &execute);
  void lowerKind(const Node &node, const graph::kind::Copy &copy);
  void lowerKind(const Node &node, const graph::kind::StreamCopy &copy);
  void lowerKind(const Node &node, const graph::kind::RemoteCopy &copy);
  void lowerKind(const Node &node, const graph::kind::Repeat &repeat);
  void lowerKind(const Node &node, const graph::kind::RepeatWhile &loop);
  void lowerKind(const Node &node, const graph::kind::If &branch);
  void lowerKind(const Node &node, const graph::kind::Switch &choice);
  void lowerKind(const Node &node, const graph::kind::Call &call);
  void lowerKind(const Node &node, const graph::kind::PrintTensor &print);
  void lowerKind(const Node &node, const graph::kind::Sync &sync);
  void lowerKind(const Node &node, const graph::kind::WriteUndef &undefined);
  void lowerKind(const Node &node, const graph::kind::CrossReplicaCopy &copy);
  void lowerKind(const Node &node, const graph::kind::AssumeEqual &promise);
  void lowerKind(const Node &node, const graph::kind::Abort &abort);
  void lowerKind(const Node &node, const graph::kind::ReadClock &clock);

  void emitResult(const std::string &name, std::uint32_t computeSet,
                  const graph::TypedView &result);
  /// A copy of one kind: its node and its properties.
  template <class Kind> struct CopyNode {
    const Node *node;
    const Kind *copy;
  };
  using StreamNode = CopyNode<graph::kind::StreamCopy>;
  using LocalCopyNode = CopyNode<graph::kind::Copy>;
  using CrossReplicaNode = CopyNode<graph::kind::CrossReplicaCopy>;
  /// Returns the copies of this kind at the front of \p leaves.
  template <class Kind>
  static std::vector<CopyNode<Kind>> copiesInFront(std::span<const Node *const> leaves);
  void lowerStreams(std::span<const StreamNode> nodes);
  std::string describeStreamCopy(StreamNode node) const;
  void lowerLargeStream(StreamNode node, std::span<const wire::HostView> views,
                        std::uint64_t limit);
  std::vector<wire::HostView> viewsOf(StreamNode node) const;
  void addTransfer(StreamNode node, std::vector<wire::HostView> views,
                   std::vector<wire::HostExchange> &exchange) const;
  void emitHostExchange(std::vector<wire::HostExchange> exchange);

  void lowerCopies(std::span<const LocalCopyNode> nodes);
  void lowerCrossReplicaCopies(std::span<const CrossReplicaNode> nodes);
  CrossReplicaExchange crossReplicaExchange(CrossReplicaNode node) const;

  std::uint32_t lowerBody(const graph::ProgramPtr &program); ///< \returns its length [steps]
  std::size_t emit(wire::Step step);
  /// Emits a sync point of the group for this purpose, if one is needed.
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
  const Node *node_ = nullptr; ///< the node whose steps are being emitted
  std::vector<const Node *> stepNodes_;
  std::vector<std::string> messages_;
  std::vector<PrintedTensor> printed_;
  std::vector<ProgramBlock> blocks_;
};

} // namespace copse::compiler
