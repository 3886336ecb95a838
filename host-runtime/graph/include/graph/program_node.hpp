#pragma once

#include "graph/typed_view.hpp"
#include "poplar/PrintTensorFmt.hpp"
#include "poplar/SyncType.hpp"

#include <concepts>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

/// Program trees as the compiler sees them.
namespace copse::graph {

struct ProgramNode;
/// A program; null does nothing.
using ProgramPtr = std::shared_ptr<const ProgramNode>;

/// The kinds of program, one type each. members() ties all members in order, for passes that treat
/// every kind alike; a new member does not compile until it is listed there.
namespace kind {

/// Runs programs one after another.
struct Sequence {
  std::vector<ProgramPtr> programs;
  bool isBlock = false; ///< a program::Block, which profiles show as a unit

  static auto members(auto &self) {
    auto &[programs, isBlock] = self;
    return std::tie(programs, isBlock);
  }
};

/// Runs the vertices of a compute set, after the exchange of their inputs.
struct Execute {
  std::uint32_t computeSet = 0;
  std::optional<TypedView> result; ///< a bool that gets the AND of the vertices' results

  static auto members(auto &self) {
    auto &[computeSet, result] = self;
    return std::tie(computeSet, result);
  }
};

/// Copies the elements of one tensor to another, in order.
struct Copy {
  TypedView source, destination;

  static auto members(auto &self) {
    auto &[source, destination] = self;
    return std::tie(source, destination);
  }
};

/// Transfers a tensor from or to the host.
struct StreamCopy {
  std::uint32_t stream = 0;
  bool toHost = false;
  TypedView tensor;
  bool optimiseMemory = false; ///< the host orders the elements instead of the tiles

  static auto members(auto &self) {
    auto &[stream, toHost, tensor, optimiseMemory] = self;
    return std::tie(stream, toHost, tensor, optimiseMemory);
  }
};

/// Copies rows of a remote buffer to or from a tensor.
struct RemoteCopy {
  std::uint32_t buffer = 0;
  bool toBuffer = false;
  TypedView tensor;
  std::optional<TypedView> offsets; ///< the rows to copy; empty: the buffer's only row

  static auto members(auto &self) {
    auto &[buffer, toBuffer, tensor, offsets] = self;
    return std::tie(buffer, toBuffer, tensor, offsets);
  }
};

/// Runs the body a fixed number of times.
struct Repeat {
  std::uint32_t count = 0;
  ProgramPtr body;

  static auto members(auto &self) {
    auto &[count, body] = self;
    return std::tie(count, body);
  }
};

/// Runs the condition, reads the predicate that it computes, and runs the body, until the predicate
/// changes.
struct RepeatWhile {
  bool goesOn = true; ///< the body runs while the predicate has this value
  TypedView predicate;
  ProgramPtr condition, body;

  static auto members(auto &self) {
    auto &[goesOn, predicate, condition, body] = self;
    return std::tie(goesOn, predicate, condition, body);
  }
};

/// Runs one of two programs.
struct If {
  TypedView predicate;
  ProgramPtr taken, otherwise;

  static auto members(auto &self) {
    auto &[predicate, taken, otherwise] = self;
    return std::tie(predicate, taken, otherwise);
  }
};

/// Runs the case whose value equals the control tensor, or the default.
struct Switch {
  struct Case {
    std::int32_t value = 0;
    ProgramPtr body;
  };
  TypedView control;
  std::vector<Case> cases;
  ProgramPtr otherwise;

  static auto members(auto &self) {
    auto &[control, cases, otherwise] = self;
    return std::tie(control, cases, otherwise);
  }
};

/// Runs a function, an entry of Model::functions, whose code the images have only once.
struct Call {
  std::uint32_t function = 0;

  static auto members(auto &self) {
    auto &[function] = self;
    return std::tie(function);
  }
};

/// Sends a tensor to the host, which prints it.
struct PrintTensor {
  TypedView tensor;
  std::optional<TypedView> metadata; ///< how to interpret its quarters
  std::string title;
  poplar::PrintTensorFmt format;

  static auto members(auto &self) {
    auto &[tensor, metadata, title, format] = self;
    return std::tie(tensor, metadata, title, format);
  }
};

/// Waits for other tiles or IPUs.
struct Sync {
  poplar::SyncType type = poplar::SyncType::INTERNAL;

  static auto members(auto &self) {
    auto &[type] = self;
    return std::tie(type);
  }
};

/// Declares that the contents of a tensor do not matter until the next write, which shortens its
/// live range.
struct WriteUndef {
  TypedView tensor;

  static auto members(auto &self) {
    auto &[tensor] = self;
    return std::tie(tensor);
  }
};

/// Copies a tensor between replicas.
struct CrossReplicaCopy {
  TypedView source, destination;
  std::map<unsigned, unsigned> replicaMap; ///< sender -> receiver

  static auto members(auto &self) {
    auto &[source, destination, replicaMap] = self;
    return std::tie(source, destination, replicaMap);
  }
};

/// Declares that a tensor is equal on all replicas (AssumeEqualAcrossReplicas).
struct AssumeEqual {
  TypedView tensor;

  static auto members(auto &self) {
    auto &[tensor] = self;
    return std::tie(tensor);
  }
};

/// Stops the run with an error.
struct Abort {
  std::optional<TypedView> predicate; ///< empty: abort unconditionally
  std::string message;

  static auto members(auto &self) {
    auto &[predicate, message] = self;
    return std::tie(predicate, message);
  }
};

/// Stores the modelled clock (cycleCount, cycleStamp).
struct ReadClock {
  TypedView destination;   ///< UNSIGNED_INT {2}
  bool difference = false; ///< store the clock minus the old value of the destination

  static auto members(auto &self) {
    auto &[destination, difference] = self;
    return std::tie(destination, difference);
  }
};

} // namespace kind

using ProgramKind =
    std::variant<kind::Sequence, kind::Execute, kind::Copy, kind::StreamCopy, kind::RemoteCopy,
                 kind::Repeat, kind::RepeatWhile, kind::If, kind::Switch, kind::Call,
                 kind::PrintTensor, kind::Sync, kind::WriteUndef, kind::CrossReplicaCopy,
                 kind::AssumeEqual, kind::Abort, kind::ReadClock>;

/// A node of a program tree. Immutable once it is in a tree.
struct ProgramNode {
  std::string name; ///< debug path
  ProgramKind kind;
};

template <class T, class... Ts>
concept OneOf = (std::same_as<T, Ts> || ...);

/// Returns the kind of \p node as K, or null if it has another kind.
template <class K> const K *as(const ProgramNode &node) { return std::get_if<K>(&node.kind); }

template <class... Fs> struct Overloads : Fs... {
  using Fs::operator()...;
};
template <class... Fs> Overloads(Fs...) -> Overloads<Fs...>;

/// Calls that one of \p fs which accepts the kind of \p node. The functions name the kinds (see
/// OneOf), so that code does not compile until it handles a new kind.
template <class... Fs> decltype(auto) visitKind(const ProgramNode &node, Fs &&...fs) {
  return std::visit(Overloads{std::forward<Fs>(fs)...}, node.kind);
}

/// Calls \p f for each member of the kind of \p node.
void visitMembers(auto &node, const auto &f) {
  std::visit(
      [&](auto &what) {
        std::apply([&](auto &...members) { (f(members), ...); }, what.members(what));
      },
      node.kind);
}

/// Calls \p f(program) for each child program of \p node in order; some may be null. The function
/// of a Call is not a child.
void visitChildren(auto &node, const auto &f) {
  visitMembers(node, [&](auto &member) {
    using Member = std::remove_cvref_t<decltype(member)>;
    if constexpr (std::same_as<Member, ProgramPtr>)
      f(member);
    else if constexpr (std::same_as<Member, std::vector<ProgramPtr>>)
      for (auto &program : member)
        f(program);
    else if constexpr (std::same_as<Member, std::vector<kind::Switch::Case>>)
      for (auto &one : member)
        f(one.body);
  });
}

/// Calls \p f(tensor) for each TypedView to which \p node itself refers.
void visitTensors(auto &node, const auto &f) {
  visitMembers(node, [&](auto &member) {
    using Member = std::remove_cvref_t<decltype(member)>;
    if constexpr (std::same_as<Member, TypedView>)
      f(member);
    else if constexpr (std::same_as<Member, std::optional<TypedView>>)
      if (member)
        f(*member);
  });
}

} // namespace copse::graph
