#pragma once

namespace copse::wire {

/// Combines one lambda per alternative of a variant into a visitor for std::visit.
template <class... Cases> struct Overloaded : Cases... {
  using Cases::operator()...;
};
template <class... Cases> Overloaded(Cases...) -> Overloaded<Cases...>;

} // namespace copse::wire
