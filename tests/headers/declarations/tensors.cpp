// Tensor, VariableRef, VariableInterval.
#include "declares.hpp"

#include <functional>
#include <iosfwd>
#include <poplar/Tensor.hpp>
#include <string>
#include <vector>

using namespace poplar;

namespace declared {

using Sizes = ArrayRef<std::size_t>;
using Tensors = std::vector<Tensor>;
using Regions = std::vector<std::vector<Interval>>;

VALUE(Tensor);
MEMBER(Tensor, valid, bool() const);
MEMBER(Tensor, elementType, Type() const);
MEMBER(Tensor, shape, std::vector<std::size_t>() const);
MEMBER(Tensor, dim, std::size_t(unsigned) const);
MEMBER(Tensor, rank, unsigned() const);
MEMBER(Tensor, numElements, std::size_t() const);
MEMBER(Tensor, isContiguous, bool() const);
MEMBER(Tensor, getContiguousRegions, std::vector<Interval>() const);
MEMBER(Tensor, getVarRegions, std::vector<VariableInterval>() const);
MEMBER(Tensor, containsAliases, bool() const);
MEMBER(Tensor, containsConstant, bool() const);
MEMBER(Tensor, isParallelWriteable, bool() const);
MEMBER(Tensor, intersectsWith, bool(const Tensor &) const);
MEMBER(Tensor, hasMetadata, bool() const);
MEMBER(Tensor, getMetadata, Tensor() const);
MEMBER(Tensor, shapeToString, std::string() const);
MEMBER(Tensor, dump, void() const);
MEMBER(Tensor, getDebugStr, std::string() const);
MEMBER(Tensor, getVarStr, std::string() const);
// (g++ loses the & on the way through MEMBER.)
static_assert(sizeof(static_cast<Tensor (Tensor::*)(std::size_t) const &>(&Tensor::operator[])) > 0,
              "");
MEMBER(Tensor, index, Tensor(Sizes) const);
MEMBER(Tensor, slice, Tensor(std::size_t, std::size_t, unsigned) const);
MEMBER(Tensor, slice, Tensor(std::size_t, std::size_t) const);
MEMBER(Tensor, slice, Tensor(const Interval &, unsigned) const);
MEMBER(Tensor, slice, Tensor(Sizes, Sizes) const);
MEMBER(Tensor, slices, Tensors(ArrayRef<Interval>, unsigned) const);
MEMBER(Tensor, slices, Tensors(const Regions &, unsigned) const);
MEMBER(Tensor, slices, Tensors(ArrayRef<unsigned>, unsigned) const);
MEMBER(Tensor, subSample, Tensor(unsigned, unsigned) const);
MEMBER(Tensor, upsample, Tensor(unsigned, unsigned, UpsampleMethod) const);
MEMBER(Tensor, broadcast, Tensor(unsigned, unsigned) const);
MEMBER(Tensor, reshape, Tensor(Sizes) const);
MEMBER(Tensor, reshapePartial, Tensor(unsigned, unsigned, Sizes) const);
MEMBER(Tensor, flatten, Tensor() const);
MEMBER(Tensor, flatten, Tensor(unsigned, unsigned) const);
MEMBER(Tensor, dimShuffle, Tensor(ArrayRef<unsigned>) const);
MEMBER(Tensor, dimShufflePartial, Tensor(ArrayRef<unsigned>, ArrayRef<unsigned>) const);
MEMBER(Tensor, dimRoll, Tensor(unsigned, unsigned) const);
MEMBER(Tensor, transpose, Tensor() const);
MEMBER(Tensor, expand, Tensor(Sizes) const);
MEMBER(Tensor, squeeze, Tensor(Sizes) const);
MEMBER(Tensor, reverse, Tensor(unsigned) const);
MEMBER(Tensor, reinterpret, Tensor(const Type &) const);

extern const Tensor t;
extern const std::vector<Interval> intervals;
extern const Regions regions;
extern const std::vector<unsigned> indices;
GIVES(Tensor, t.slice(Interval(0, 1)));
GIVES(Tensors, t.slices(intervals));
GIVES(Tensors, t.slices(regions));
GIVES(Tensors, t.slices(indices));
GIVES(Tensor, t.dimRoll(1));
GIVES(bool, t == t && t != t);
GIVES(std::size_t, std::hash<Tensor>()(t));
GIVES(std::ostream &, std::declval<std::ostream &>() << t);

FUNCTION(concat, Tensor(ArrayRef<Tensor>, unsigned));
FUNCTION(concat, Tensor(const Tensor &, const Tensor &, unsigned));
GIVES(Tensor, concat({t, t}));
GIVES(Tensor, concat(t, t));
FUNCTION(append, Tensor(const Tensor &, const Tensor &, unsigned));
FUNCTION(append, Tensor(const Tensor &, const Tensor &));
static_assert(UpsampleMethod::REPEAT == UpsampleMethod::REPEAT, "");

FIELD(VariableRef, id, unsigned);
FIELD(VariableRef, replicationFactor, unsigned);
extern const VariableRef var;
GIVES(bool, var == var && var < var);
GIVES(std::size_t, std::hash<VariableRef>()(var));
FIELD(VariableInterval, var, VariableRef);
FIELD(VariableInterval, interval, Interval);
extern const VariableInterval piece;
GIVES(bool, piece == piece && piece != piece);
GIVES(std::ostream &, std::declval<std::ostream &>() << piece);

} // namespace declared
