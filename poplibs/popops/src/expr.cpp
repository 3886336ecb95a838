#include "popops/Expr.hpp"

#include "poputil/exceptions.hpp"

#include <cctype>
#include <cstring>
#include <ostream>
#include <sstream>

namespace popops::expr {
namespace {

using Inputs = std::vector<poplar::Tensor>;

std::string identifier(std::string text) {
  for (char &c : text)
    if (!std::isalnum(static_cast<unsigned char>(c)))
      c = '_';
  return text;
}

/// Prints `kind(operand, ...)`, or a line for each node.
void printNode(std::ostream &out, const std::string &kind, std::vector<const Expr *> operands,
               unsigned indent, bool prettyPrint) {
  out << std::string(prettyPrint ? indent : 0, ' ') << kind;
  if (operands.empty())
    return;
  out << '(';
  for (std::size_t i = 0; i != operands.size(); ++i) {
    out << (i == 0 ? "" : ",") << (prettyPrint ? "\n" : i == 0 ? "" : " ");
    operands[i]->print(out, indent + 2, prettyPrint);
  }
  out << ')';
}

template <typename T> T valueAs(const char *data) {
  T value;
  std::memcpy(&value, data, sizeof value);
  return value;
}

/// Calls \p use with the number of a constant as the type that the host gave it.
template <typename Use> auto withValue(const Const &c, Use use) {
  const poplar::TypeTraits &traits = c.getTypeTraits();
  const char *data = c.getData();
  if (traits.isFloat)
    return traits.size == sizeof(float) ? use(double{valueAs<float>(data)})
                                        : use(valueAs<double>(data));
  switch (traits.size) {
  case 1:
    return traits.isSigned ? use(std::int64_t{valueAs<std::int8_t>(data)})
                           : use(std::uint64_t{valueAs<std::uint8_t>(data)});
  case 2:
    return traits.isSigned ? use(std::int64_t{valueAs<std::int16_t>(data)})
                           : use(std::uint64_t{valueAs<std::uint16_t>(data)});
  case 4:
    return traits.isSigned ? use(std::int64_t{valueAs<std::int32_t>(data)})
                           : use(std::uint64_t{valueAs<std::uint32_t>(data)});
  default:
    return traits.isSigned ? use(valueAs<std::int64_t>(data)) : use(valueAs<std::uint64_t>(data));
  }
}

} // namespace

Expr::~Expr() = default;

std::ostream &operator<<(std::ostream &out, const Expr &expr) {
  expr.print(out);
  return out;
}
bool deepEquals(const Expr &a, const Expr &b) { return a.deepEquals(b); }

std::unique_ptr<Expr> PlaceHolder::clone() const { return std::make_unique<PlaceHolder>(*this); }
std::string PlaceHolder::name(const Inputs &inputs) const {
  if (index_ == 0 || index_ > inputs.size())
    throw poputil::poplibs_error("Invalid placeholder _" + std::to_string(index_));
  return identifier(inputs[index_ - 1].elementType().toString().cloneAsString());
}
bool PlaceHolder::deepEquals(const Expr &other) const {
  const auto *same = other.getAs<PlaceHolder>();
  return same != nullptr && same->index_ == index_;
}
void PlaceHolder::print(std::ostream &out, unsigned indent, bool prettyPrint) const {
  printNode(out, "_" + std::to_string(index_), {}, indent, prettyPrint);
}

std::unique_ptr<Expr> Const::clone() const { return std::make_unique<Const>(*this); }
std::string Const::printValue() const {
  std::ostringstream out;
  withValue(*this, [&](auto value) { out << value; });
  return out.str();
}
double Const::getDataAsDouble() const {
  return withValue(*this, [](auto value) { return static_cast<double>(value); });
}
std::uint64_t Const::getDataForUnsignedIntegral() const {
  return withValue(*this, [](auto value) { return static_cast<std::uint64_t>(value); });
}
std::string Const::name(const Inputs &) const { return "c" + identifier(printValue()); }
bool Const::deepEquals(const Expr &other) const {
  const auto *same = other.getAs<Const>();
  return same != nullptr && same->type_ == type_ && same->data_ == data_ &&
         same->traits_.kind == traits_.kind;
}
void Const::print(std::ostream &out, unsigned indent, bool prettyPrint) const {
  printNode(out, "Const<" + type_.toString().cloneAsString() + ">(" + printValue() + ")", {},
            indent, prettyPrint);
}

std::unique_ptr<Expr> Cast::clone() const { return std::make_unique<Cast>(*this); }
std::string Cast::name(const Inputs &inputs) const {
  return "Cast_" + identifier(type_.toString().cloneAsString()) + "_" + a_->name(inputs);
}
bool Cast::deepEquals(const Expr &other) const {
  const auto *same = other.getAs<Cast>();
  return same != nullptr && same->type_ == type_ && a_->deepEquals(*same->a_);
}
void Cast::print(std::ostream &out, unsigned indent, bool prettyPrint) const {
  printNode(out, "Cast<" + type_.toString().cloneAsString() + ">", {a_.get()}, indent, prettyPrint);
}

std::unique_ptr<Expr> UnaryOp::clone() const { return std::make_unique<UnaryOp>(*this); }
std::string UnaryOp::exprName(const Inputs &inputs) const { return name(inputs); }
std::string UnaryOp::name(const Inputs &inputs) const {
  return toString(type_) + "_" + a_->name(inputs);
}
bool UnaryOp::deepEquals(const Expr &other) const {
  const auto *same = other.getAs<UnaryOp>();
  return same != nullptr && same->type_ == type_ && a_->deepEquals(*same->a_);
}
void UnaryOp::print(std::ostream &out, unsigned indent, bool prettyPrint) const {
  printNode(out, toString(type_), {a_.get()}, indent, prettyPrint);
}

std::unique_ptr<Expr> BinaryOp::clone() const { return std::make_unique<BinaryOp>(*this); }
std::string BinaryOp::exprName(const Inputs &inputs) const { return name(inputs); }
std::string BinaryOp::name(const Inputs &inputs) const {
  return toString(type_) + "_" + a_->name(inputs) + "_" + b_->name(inputs);
}
bool BinaryOp::deepEquals(const Expr &other) const {
  const auto *same = other.getAs<BinaryOp>();
  return same != nullptr && same->type_ == type_ && a_->deepEquals(*same->a_) &&
         b_->deepEquals(*same->b_);
}
void BinaryOp::print(std::ostream &out, unsigned indent, bool prettyPrint) const {
  printNode(out, toString(type_), {a_.get(), b_.get()}, indent, prettyPrint);
}

std::unique_ptr<Expr> TernaryOp::clone() const { return std::make_unique<TernaryOp>(*this); }
std::string TernaryOp::exprName(const Inputs &inputs) const { return name(inputs); }
std::string TernaryOp::name(const Inputs &inputs) const {
  return toString(type_) + "_" + a_->name(inputs) + "_" + b_->name(inputs) + "_" + c_->name(inputs);
}
bool TernaryOp::deepEquals(const Expr &other) const {
  const auto *same = other.getAs<TernaryOp>();
  return same != nullptr && same->type_ == type_ && a_->deepEquals(*same->a_) &&
         b_->deepEquals(*same->b_) && c_->deepEquals(*same->c_);
}
void TernaryOp::print(std::ostream &out, unsigned indent, bool prettyPrint) const {
  printNode(out, toString(type_), {a_.get(), b_.get(), c_.get()}, indent, prettyPrint);
}

} // namespace popops::expr
