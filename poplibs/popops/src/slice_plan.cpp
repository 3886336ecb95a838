#include "slice_plan.hpp"

#include "poputil/OptionParsing.hpp"
#include "slice_table.hpp"

#include <memory>
#include <ostream>
#include <string>
#include <utility>

namespace copse::slices {

using poplar::OptionFlags;

TableRoom roomIn(const OptionFlags &flags) {
  TableRoom room;
  bool update = false;
  std::string text, target = room.spreads ? "memory" : "cycles";
  poplibs::OptionSpec(
      "multiSlice",
      {{"usedForUpdate", poplibs::OptionHandler::createWithBool(update)},
       {"availableMemoryProportion", poplibs::OptionHandler::createWithDouble(room.share)},
       {"indicesDistribution", poplibs::OptionHandler::createWithEnum(
                                   text, {{"uniform", "uniform"}, {"onePoint", "onePoint"}})},
       {"planMinimisationTarget", poplibs::OptionHandler::createWithEnum(
                                      target, {{"memory", "memory"}, {"cycles", "cycles"}})},
       {"planConstraints", poplibs::OptionHandler::createWithString(text)}})
      .parse(flags);
  room.spreads = target == "memory";
  return room;
}

TableRoom roomFor(const popops::SlicePlan &plan, const OptionFlags &options) {
  const TableRoom room = roomIn(options);
  return plan.getImpl().isDefault ? room : plan.getImpl().room;
}

} // namespace copse::slices

namespace popops {

using poplar::Graph;
using poplar::OptionFlags;
using poplar::Type;
using namespace copse::slices;

SlicePlan::SlicePlan() : internal_(std::make_unique<SlicePlanInternal>()) {}
SlicePlan::~SlicePlan() = default;
SlicePlan::SlicePlan(const SlicePlan &other)
    : internal_(std::make_unique<SlicePlanInternal>(*other.internal_)) {}
SlicePlan::SlicePlan(SlicePlan &&other) : SlicePlan(other) {} // a moved-from plan stays a plan
SlicePlan &SlicePlan::operator=(const SlicePlan &other) {
  *internal_ = SlicePlanInternal(*other.internal_);
  return *this;
}
SlicePlan &SlicePlan::operator=(SlicePlan &&other) { return *this = other; }
SlicePlan::SlicePlan(std::unique_ptr<SlicePlanInternal> internal)
    : internal_(std::move(internal)) {}

bool operator==(const SlicePlan &a, const SlicePlan &b) {
  return a.getImpl().key() == b.getImpl().key();
}
bool operator<(const SlicePlan &a, const SlicePlan &b) {
  return a.getImpl().key() < b.getImpl().key();
}
std::ostream &operator<<(std::ostream &out, const SlicePlan &plan) {
  const SlicePlanInternal &p = plan.getImpl();
  if (p.isDefault)
    return out << "SlicePlan: default";
  return out << "SlicePlan: "
             << (p.groups == 1 ? "a table of " : std::to_string(p.groups) + " tables of ") << p.rows
             << " rows of " << p.columns << ", its columns in " << p.columnParts
             << " parts, its rows in " << p.rowParts;
}

namespace embedding {

SlicePlan plan(const Graph &graph, const Type &dataType, const std::size_t numEntries,
               const std::size_t outputSize, const std::vector<std::size_t> &numLookups,
               const OptionFlags &options) {
  return plan(graph, dataType, 1, numEntries, outputSize, numLookups, options);
}

SlicePlan plan(const Graph &graph, const Type &dataType, const std::size_t groupSize,
               const std::size_t numEntries, const std::size_t outputSize,
               const std::vector<std::size_t> &numLookups, const OptionFlags &options) {
  auto internal = std::make_unique<SlicePlanInternal>();
  internal->room = roomIn(options);
  internal->isDefault = false;
  internal->type = dataType;
  internal->groups = groupSize;
  internal->rows = numEntries;
  internal->columns = outputSize;
  internal->numLookups = numLookups;
  const TableLayout layout =
      plannedFor(graph, dataType, groupSize * numEntries, outputSize, internal->room);
  internal->columnParts = layout.size();
  internal->rowParts = layout.empty() ? 0 : layout.front().blocks.size();
  return SlicePlan(std::move(internal));
}

} // namespace embedding

} // namespace popops
