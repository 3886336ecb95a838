#include "graph/estimates.hpp"

#include "graph/field_values.hpp"
#include "graph/state.hpp"
#include "types/vertex_source.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <span>

namespace copse::graph {

using popc::Field;
using popc::FieldKind;
using popc::Layout;
namespace layout = poplar::layout;

namespace {

/// Finds items of a flat array by vertex, in their order.
template <typename T> class ByVertex {
public:
  explicit ByVertex(const std::vector<T> &items) : items_(items), order_(items.size()) {
    std::iota(order_.begin(), order_.end(), 0u);
    std::stable_sort(order_.begin(), order_.end(), [&](std::uint32_t a, std::uint32_t b) {
      return items[a].vertex < items[b].vertex;
    });
  }
  /// Calls \p use with each item of \p vertex.
  template <typename Use> void each(std::uint32_t vertex, Use use) const {
    const auto less = [&](std::uint32_t item, std::uint32_t v) { return items_[item].vertex < v; };
    auto it = std::lower_bound(order_.begin(), order_.end(), vertex, less);
    for (; it != order_.end() && items_[*it].vertex == vertex; ++it) {
      use(items_[*it]);
    }
  }

private:
  const std::vector<T> &items_;
  std::vector<std::uint32_t> order_;
};

layout::Vector vectorOf(Layout layout) {
  switch (layout) {
  case Layout::Span:
    return layout::Vector::Span;
  case Layout::ShortSpan:
    return layout::Vector::ShortSpan;
  case Layout::OnePtr:
    return layout::Vector::OnePtr;
  case Layout::ScaledPtr32:
    return layout::Vector::ScaledPtr32;
  case Layout::ScaledPtr64:
    return layout::Vector::ScaledPtr64;
  case Layout::ScaledPtr128:
    return layout::Vector::ScaledPtr128;
  default:
    return layout::Vector::NotAVector;
  }
}

layout::VectorList listOf(Layout layout) {
  switch (layout) {
  case Layout::OnePtr:
    return layout::VectorList::OnePtr;
  case Layout::ScaledPtr32:
    return layout::VectorList::ScaledPtr32;
  case Layout::ScaledPtr64:
    return layout::VectorList::ScaledPtr64;
  case Layout::ScaledPtr128:
    return layout::VectorList::ScaledPtr128;
  case Layout::DeltaN:
    return layout::VectorList::DeltaN;
  case Layout::DeltaNElements:
    return layout::VectorList::DeltaNElements;
  default:
    return layout::VectorList::NotAVector;
  }
}

/// One vector of a field: its size, and its values if they are known.
struct Row {
  std::uint64_t elements = 0;
  std::vector<std::byte> bytes;
  bool known = false;
};

class FieldView : public types::FieldSource {
public:
  FieldView(const Field &field, std::vector<Row> rows) : field_(field), rows_(std::move(rows)) {}

  const std::string &name() const override { return field_.name; }
  unsigned rank() const override {
    switch (field_.kind) {
    case FieldKind::Scalar:
      return field_.arrayLength == 0 ? 0 : 1;
    case FieldKind::Vector:
    case FieldKind::VectorOfScalars:
      return 1;
    default:
      return 2;
    }
  }
  std::size_t size() const override {
    if (field_.kind == FieldKind::Vector) {
      return rows_.empty() ? 0 : rows_.front().elements;
    }
    if (field_.kind == FieldKind::Scalar) {
      return field_.arrayLength == 0 ? 1 : field_.arrayLength;
    }
    return rows_.size();
  }
  std::size_t sizeOf(std::size_t i) const override { return rows_[i].elements; }
  layout::Vector vectorLayout(std::size_t level) const override {
    return vectorOf(level == 0 ? field_.outer : field_.inner);
  }
  layout::VectorList listLayout() const override {
    return field_.kind == FieldKind::VectorList ? listOf(field_.outer)
                                                : layout::VectorList::NotAVector;
  }
  bool hasValues() const override {
    return !rows_.empty() &&
           std::all_of(rows_.begin(), rows_.end(), [](const Row &row) { return row.known; });
  }
  std::int64_t integerValue(std::size_t vector, std::size_t i) const override {
    const auto [row, at] = place(vector, i);
    return decodeInteger(row.bytes.data(), at, field_.type, field_.elementBytes);
  }
  double floatingValue(std::size_t vector, std::size_t i) const override {
    const auto [row, at] = place(vector, i);
    return decodeFloating(row.bytes.data(), at, field_.type, field_.elementBytes);
  }

private:
  /// Finds a vector's row; a vector of scalars has one row per scalar.
  std::pair<const Row &, std::size_t> place(std::size_t vector, std::size_t i) const {
    if (field_.kind == FieldKind::VectorOfScalars) {
      return {rows_[i], 0};
    }
    return {rows_[vector], i};
  }

  const Field &field_;
  std::vector<Row> rows_;
};

} // namespace

struct Estimates::Index {
  explicit Index(const Model &model)
      : edges(model.edges), values(model.fieldValues), sizes(model.fieldSizes) {}
  ByVertex<Edge> edges;
  ByVertex<FieldValue> values;
  ByVertex<FieldSize> sizes;

  std::vector<Row> rowsOf(const Model &model, std::uint32_t vertex, std::uint16_t field) const {
    const Field &declared = model.vertexTypes[model.vertices[vertex].type].fields[field];
    std::vector<Row> rows;
    const auto row = [&rows](std::uint32_t index) -> Row & {
      rows.resize(std::max<std::size_t>(rows.size(), index + 1));
      return rows[index];
    };
    sizes.each(vertex, [&](const FieldSize &size) {
      if (size.field == field && declared.kind != FieldKind::Vector) {
        rows.resize(std::max<std::size_t>(rows.size(), size.size));
      } else if (size.field == field) {
        row(0).elements = size.size;
      }
    });
    edges.each(vertex, [&](const Edge &edge) {
      if (edge.field != field) {
        return;
      }
      auto bytes = constantBytes(model, model.runs.data() + edge.runs.first, edge.runs.count,
                                 declared.elementBytes);
      const bool known = bytes.has_value();
      row(edge.index) = {edge.elements, std::move(bytes).value_or(std::vector<std::byte>()), known};
    });
    values.each(vertex, [&](const FieldValue &value) {
      if (value.field == field) {
        row(value.index) = {value.elements, value.bytes, true};
      }
    });
    return rows;
  }
};

namespace {

/// A vertex as its estimator sees it. Rows are looked up when a field is requested.
class VertexView : public types::VertexSource {
public:
  using Rows = std::function<std::vector<Row>(std::uint16_t field)>;
  VertexView(const popc::VertexType &type, Rows rows) : type_(type), rows_(std::move(rows)) {}

  const std::string &typeName() const override { return type_.name; }
  std::shared_ptr<const types::FieldSource> field(const std::string &name) const override {
    for (std::uint16_t f = 0; f < type_.fields.size(); ++f) {
      if (type_.fields[f].name == name) {
        return std::make_shared<const FieldView>(type_.fields[f], rows_(f));
      }
    }
    return nullptr;
  }

private:
  const popc::VertexType &type_;
  Rows rows_;
};

} // namespace

Estimates::Estimates(const poplar::Graph &graph, bool ignoresSet)
    : state_(Access::state(graph)), ignoresSet_(ignoresSet) {}

Estimates::~Estimates() = default;

const Estimates::Index &Estimates::index() const {
  if (!index_)
    index_ = std::make_unique<const Index>(state_->model);
  return *index_;
}

std::optional<PerfEstimate> Estimates::of(std::uint32_t vertex) const {
  const Model &model = state_->model;
  const Vertex &v = model.vertices[vertex];
  if (v.cycles && !ignoresSet_) {
    return PerfEstimate{*v.cycles, vertex < state_->flops.size() ? state_->flops[vertex] : 0};
  }
  const popc::VertexType &type = model.vertexTypes[v.type];
  const auto estimator = state_->estimators.find(type.name);
  // Estimators are for IPU code: libraries' estimators stop the program if they see a CPU.
  const bool cpu = state_->target.getTargetType() == poplar::TargetType::CPU;
  if (cpu || estimator == state_->estimators.end()) {
    return std::nullopt;
  }
  const auto rows = [&](std::uint16_t field) { return index().rowsOf(model, vertex, field); };
  const poplar::VertexIntrospector introspector(std::make_shared<const VertexView>(type, rows));
  const poplar::VertexPerfEstimate estimate = estimator->second(introspector, state_->target);
  return PerfEstimate{estimate.cycles, estimate.flops};
}

} // namespace copse::graph
