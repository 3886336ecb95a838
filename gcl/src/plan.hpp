#pragma once

#include <string>
#include <utility>
#include <vector>

namespace gcl {

/// The columns that a move covers: rings in two directions each take a half.
enum class Part { All, FirstHalf, SecondHalf };

/// Sends row `from` to row `to` of the member `shift` positions further on.
struct Move {
  unsigned from = 0, to = 0;
  unsigned shift = 0; ///< 1 to members - 1
  Part part = Part::All;
};

/// Combines row `into` with `rows` rows, in order.
struct Fold {
  unsigned into = 0;
  unsigned first = 0, rows = 1;
  Part part = Part::All;
};

/// One entry of a plan: first all moves at once, then folds.
struct Step {
  std::vector<Move> moves;
  std::vector<Fold> folds;
  /// Blocks of rows, by first row, that are reordered before the moves: member p swaps row i with
  /// row (p - i) mod members. This turns "the part of member i" into "the part of the member i
  /// positions before", which is in the same row on all members. Reordering twice restores the
  /// rows.
  std::vector<unsigned> reorders;
  /// Copies of row `from` to row `to` of the same member, before the moves and after the reorders.
  std::vector<std::pair<unsigned, unsigned>> copies;
  /// True if the result is in row 0 of one member, or of all, after the folds. A mean is divided
  /// here.
  bool finishes = false;
};

/// The steps of a collective among `members` members. Each member holds a matrix of equal shape,
/// whose rows are parts of an operand or whole operands, and takes the same steps. The first
/// `members` rows hold the operand or the result; additional rows, up to `rows`, receive data from
/// others.
struct Plan {
  unsigned members = 1;
  unsigned rows = 1;
  bool wholeRows = false; ///< row 0 is the whole operand instead of one of `members` parts
  std::vector<Step> steps;
};

/// The way in which members pass data on.
enum class Method {
  ClockwiseRing,
  AnticlockwiseRing,
  BidirectionalRingPair, ///< half of the columns in each direction
  MeetInMiddleRing,      ///< each part comes from both sides
  Direct,                ///< each member sends to all others at once; reductions take two rounds
  Broadcast,             ///< each member sends all its data to all others, and reduces for itself
  Hierarchical           ///< neighbours scatter, all-reduce with other groups, and gather
};
std::string nameOf(Method method);

// Hierarchical consists of several plans. A single plan for it is as for Direct.

/// Returns a plan in which row i goes to the member at position i. At the end, row 0 is this
/// member's part of the reduction. All methods are valid; Broadcast is as Direct.
Plan reduceScatterPlan(Method method, unsigned members);
/// Returns a plan in which row 0 is this member's data. At the end, row i comes from the member at
/// position i. All methods are valid; Broadcast is as Direct.
Plan allGatherPlan(Method method, unsigned members);
/// Returns a plan in which rows are parts, and at the end all rows are reduced. With Broadcast, row
/// 0 is the whole operand, and at the end the reduction.
Plan allReducePlan(Method method, unsigned members);
/// Splits an all-reduce into the steps until each member has its part of the result in row 0, and
/// the remaining ones.
std::pair<Plan, Plan> splitAtResult(const Plan &plan);
/// Returns a plan in which row i is for the member at position i. At the end, row members + i comes
/// from it.
Plan allToAllPlan(unsigned members);

} // namespace gcl
