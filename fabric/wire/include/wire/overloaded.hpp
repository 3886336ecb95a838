#pragma once

namespace copse::wire {

/// One lambda for each alternative of a variant, for std::visit.
template <class... Cases> struct Overloaded : Cases... {
  using Cases::operator()...;
};
template <class... Cases> Overloaded(Cases...) -> Overloaded<Cases...>;

} // namespace copse::wire
