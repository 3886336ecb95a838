#include "poplar/StreamCallback.hpp"
#include "poplar/Target.hpp"
#include "poplar/VertexIntrospector.hpp"
#include "poplar/exceptions.hpp"
#include "types/vertex_source.hpp"

#include <gmock/gmock.h>

namespace {

using namespace poplar;
using ::testing::ElementsAre;

/// A field with rows; a scalar if it has only a value.
class FakeField : public copse::types::FieldSource {
public:
  FakeField(unsigned rank, std::vector<std::vector<double>> rows, bool known)
      : rank_(rank), rows_(std::move(rows)), known_(known) {}
  const std::string &name() const override { return name_; }
  unsigned rank() const override { return rank_; }
  std::size_t size() const override { return rank_ == 2 ? rows_.size() : rows_[0].size(); }
  std::size_t sizeOf(std::size_t i) const override { return rows_[i].size(); }
  layout::Vector vectorLayout(std::size_t) const override { return layout::Vector::ShortSpan; }
  layout::VectorList listLayout() const override { return layout::VectorList::NotAVector; }
  bool hasValues() const override { return known_; }
  std::int64_t integerValue(std::size_t v, std::size_t i) const override {
    return static_cast<std::int64_t>(rows_[v][i]);
  }
  double floatingValue(std::size_t v, std::size_t i) const override { return rows_[v][i]; }

private:
  std::string name_ = "field";
  unsigned rank_;
  std::vector<std::vector<double>> rows_;
  bool known_;
};

class FakeVertex : public copse::types::VertexSource {
public:
  const std::string &typeName() const override { return type_; }
  std::shared_ptr<const copse::types::FieldSource> field(const std::string &name) const override {
    if (name == "scale")
      return std::make_shared<FakeField>(0, std::vector<std::vector<double>>{{1.5}}, true);
    if (name == "list")
      return std::make_shared<FakeField>(1, std::vector<std::vector<double>>{{7, 65535}}, true);
    if (name == "lists")
      return std::make_shared<FakeField>(2, std::vector<std::vector<double>>{{1, 2}, {}, {3}},
                                         true);
    if (name == "data")
      return std::make_shared<FakeField>(1, std::vector<std::vector<double>>{{0, 0, 0}}, false);
    return nullptr;
  }

private:
  std::string type_ = "Vertex";
};

const VertexIntrospector kVertex(std::make_shared<FakeVertex>());
const Target kTarget = Target::createIPUTarget(1, "ipu2");

TEST(VertexIntrospector, ShowsSizes) {
  EXPECT_EQ(kVertex.getFieldInfo("data").size(), 3u);
  const FieldData lists = kVertex.getFieldInfo("lists");
  EXPECT_EQ(lists.rank(), 2u);
  EXPECT_EQ(lists.size(), 3u);
  EXPECT_EQ(lists[0].size(), 2u);
  EXPECT_EQ(lists.getSizeAtIndex(2), 1u);
  EXPECT_THROW(lists.getSizeAtIndex(3), index_error);
  EXPECT_EQ(to_string(lists.getProfilerVectorLayout(1)), "ShortSpan");
}

TEST(VertexIntrospector, ConvertsValues) {
  EXPECT_EQ(kVertex.getFieldInfo("scale").getInitialValue<float>(kTarget), 1.5f);
  EXPECT_EQ(kVertex.getFieldInfo("scale").getInitialValue<unsigned>(kTarget), 1u);
  EXPECT_THAT(kVertex.getFieldInfo("list").getInitialValues<unsigned>(kTarget),
              ElementsAre(7, 65535));
  EXPECT_THAT(kVertex.getFieldInfo("lists").getInitialValues<std::vector<unsigned>>(kTarget),
              ElementsAre(ElementsAre(1, 2), ElementsAre(), ElementsAre(3)));
}

TEST(VertexIntrospector, RefusesUnknownFields) {
  EXPECT_THROW(kVertex.getFieldInfo("data").getInitialValues<float>(kTarget), poplar_error);
  EXPECT_THROW(kVertex.getFieldInfo("missing"), unknown_field);
}

TEST(StreamCallbackHandles, OwnTheirCallback) {
  int calls = 0;
  StreamCallbackHandle handle([&calls](void *p) { calls += *static_cast<int *>(p); });
  int data = 5;
  handle->fetch(&data);
  EXPECT_EQ(calls, 5);
  EXPECT_EQ(handle->prefetch(&data), StreamCallback::Result::NotAvailable);
  EXPECT_TRUE(handle.servesAllReplicas());
  const StreamCallbackHandle moved = std::move(handle);
  EXPECT_NE(moved.get(), nullptr);
}

} // namespace
