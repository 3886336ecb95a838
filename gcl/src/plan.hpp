#pragma once

#include <string>
#include <utility>
#include <vector>

namespace gcl {

/// Which columns of the rows a move is about: rings in two directions share them out.
enum class Part { All, FirstHalf, SecondHalf };

/// Row `from` goes to row `to` of the member that stands `shift` positions further on.
struct Move {
  unsigned from = 0, to = 0;
  unsigned shift = 0; ///< 1 to members - 1
  Part part = Part::All;
};

/// Row `into` becomes itself combined with `rows` rows, in their order.
struct Fold {
  unsigned into = 0;
  unsigned first = 0, rows = 1;
  Part part = Part::All;
};

/// One entry of a plan. Moves are made at the same time, then folds.
struct Step {
  std::vector<Move> moves;
  std::vector<Fold> folds;
  /// Before the moves: in each block of rows that begins here, member p exchanges row i with row
  /// (p - i) mod members. Twice does nothing. This turns "the part of member i" into "the part of
  /// the member i positions before", which is the same row for all members, and back.
  std::vector<unsigned> reorders;
  /// Before the moves, after the reorders: row `from` is copied to row `to` of the same member.
  std::vector<std::pair<unsigned, unsigned>> copies;
  /// After the folds: the result is in row 0 of one member, or of all; a mean is divided here.
  bool finishes = false;
};

/// A collective among `members` members, that hold a matrix each, of equal shape, and do the same
/// steps: rows are parts of an operand, or whole operands. The first `members` rows hold the
/// operand or the result; more rows, up to `rows`, receive what others send.
struct Plan {
  unsigned members = 1;
  unsigned rows = 1;
  bool wholeRows = false; ///< row 0 is the whole operand, not one part of `members`
  std::vector<Step> steps;
};

/// How members pass data on.
enum class Method {
  ClockwiseRing,
  AnticlockwiseRing,
  BidirectionalRingPair, ///< half of the columns each way
  MeetInMiddleRing,      ///< each part comes from both sides
  Direct,                ///< everybody sends to everybody at once; reductions in two rounds
  Broadcast,             ///< everybody sends all it has to everybody, and reduces for itself
  Hierarchical           ///< groups of neighbours scatter, all-reduce with the other groups, gather
};
std::string nameOf(Method method);

// Hierarchical takes several plans; a plan for it is as for Direct.

/// Row i is what goes to the member at position i; at the end row 0 is this member's part of the
/// reduction. Any method; Broadcast is as Direct.
Plan reduceScatterPlan(Method method, unsigned members);
/// Row 0 is what this member has; at the end row i is from the member at position i. Any method;
/// Broadcast is as Direct.
Plan allGatherPlan(Method method, unsigned members);
/// Rows are parts; at the end all rows are reduced. With Broadcast row 0 is the whole operand, and
/// then the reduction.
Plan allReducePlan(Method method, unsigned members);
/// The steps of an all-reduce up to where each member has its part of the result in row 0, and the
/// others.
std::pair<Plan, Plan> splitAtResult(const Plan &plan);
/// Row i is for the member at position i; at the end row members + i is from that member.
Plan allToAllPlan(unsigned members);

} // namespace gcl
