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
/// Null does nothing.
using ProgramPtr = std::shared_ptr<const ProgramNode>;

/// One type for each kind of program. members() ties all members in their order, for passes that
/// treat every kind alike; a new member does not compile until it is listed there.
namespace kind {

struct Sequence {
  std::vector<ProgramPtr> programs;
  bool isBlock = false; ///< a program::Block: profiles show it as a whole

  static auto members(auto &self) {
    auto &[programs, isBlock] = self;
    return std::tie(programs, isBlock);
  }
};

struct Execute {
  std::uint32_t computeSet = 0;
  std::optional<TypedView> result; ///< one bool, which gets the AND of what the vertices return

  static auto members(auto &self) {
    auto &[computeSet, result] = self;
    return std::tie(computeSet, result);
  }
};

struct Copy {
  TypedView source, destination;

  static auto members(auto &self) {
    auto &[source, destination] = self;
    return std::tie(source, destination);
  }
};

struct StreamCopy {
  std::uint32_t stream = 0;
  bool toHost = false;
  TypedView tensor;
  bool optimiseMemory = false; ///< the host brings the elements into order, not the tiles

  static auto members(auto &self) {
    auto &[stream, toHost, tensor, optimiseMemory] = self;
    return std::tie(stream, toHost, tensor, optimiseMemory);
  }
};

struct RemoteCopy {
  std::uint32_t buffer = 0;
  bool toBuffer = false;
  TypedView tensor;
  std::optional<TypedView> offsets; ///< the rows to copy; without them, the buffer's only one

  static auto members(auto &self) {
    auto &[buffer, toBuffer, tensor, offsets] = self;
    return std::tie(buffer, toBuffer, tensor, offsets);
  }
};

struct Repeat {
  std::uint32_t count = 0;
  ProgramPtr body;

  static auto members(auto &self) {
    auto &[count, body] = self;
    return std::tie(count, body);
  }
};

struct RepeatWhile {
  bool goesOn = true; ///< the value of the predicate with which the body runs again
  TypedView predicate;
  ProgramPtr condition, body;

  static auto members(auto &self) {
    auto &[goesOn, predicate, condition, body] = self;
    return std::tie(goesOn, predicate, condition, body);
  }
};

struct If {
  TypedView predicate;
  ProgramPtr taken, otherwise;

  static auto members(auto &self) {
    auto &[predicate, taken, otherwise] = self;
    return std::tie(predicate, taken, otherwise);
  }
};

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

struct Call {
  std::uint32_t function = 0;

  static auto members(auto &self) {
    auto &[function] = self;
    return std::tie(function);
  }
};

struct PrintTensor {
  TypedView tensor;
  std::optional<TypedView> metadata; ///< what its quarters mean
  std::string title;
  poplar::PrintTensorFmt format;

  static auto members(auto &self) {
    auto &[tensor, metadata, title, format] = self;
    return std::tie(tensor, metadata, title, format);
  }
};

struct Sync {
  poplar::SyncType type = poplar::SyncType::INTERNAL;

  static auto members(auto &self) {
    auto &[type] = self;
    return std::tie(type);
  }
};

struct WriteUndef {
  TypedView tensor;

  static auto members(auto &self) {
    auto &[tensor] = self;
    return std::tie(tensor);
  }
};

struct CrossReplicaCopy {
  TypedView source, destination;
  std::map<unsigned, unsigned> replicaMap; ///< sender -> receiver

  static auto members(auto &self) {
    auto &[source, destination, replicaMap] = self;
    return std::tie(source, destination, replicaMap);
  }
};

struct AssumeEqual {
  TypedView tensor;

  static auto members(auto &self) {
    auto &[tensor] = self;
    return std::tie(tensor);
  }
};

struct Abort {
  std::optional<TypedView> predicate; ///< without it, always
  std::string message;

  static auto members(auto &self) {
    auto &[predicate, message] = self;
    return std::tie(predicate, message);
  }
};

struct ReadClock {
  TypedView destination;   ///< UNSIGNED_INT {2}
  bool difference = false; ///< the clock less what is in the destination

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

/// One node of a program tree. Immutable once it is in a tree.
struct ProgramNode {
  std::string name; ///< debug path
  ProgramKind kind;
};

template <class T, class... Ts>
concept OneOf = (std::same_as<T, Ts> || ...);

/// The kind of \p node, or null if it is another one.
template <class K> const K *as(const ProgramNode &node) { return std::get_if<K>(&node.kind); }

template <class... Fs> struct Overloads : Fs... {
  using Fs::operator()...;
};
template <class... Fs> Overloads(Fs...) -> Overloads<Fs...>;

/// Calls the one of \p fs that takes the kind of \p node. They name the kinds (see OneOf), so that
/// a new kind does not compile until somebody has decided what it means here.
template <class... Fs> decltype(auto) visitKind(const ProgramNode &node, Fs &&...fs) {
  return std::visit(Overloads{std::forward<Fs>(fs)...}, node.kind);
}

/// Calls \p f for each member of what \p node does.
void visitMembers(auto &node, const auto &f) {
  std::visit(
      [&](auto &what) {
        std::apply([&](auto &...members) { (f(members), ...); }, what.members(what));
      },
      node.kind);
}

/// Calls \p f(program) for each program that \p node runs as a part of it, in order; some may be
/// null. The function of a Call is no part of it.
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

/// Calls \p f(tensor) for each TypedView that \p node itself refers to.
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
