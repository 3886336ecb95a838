#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <memory>
#include <poplar/Tensor.hpp>
#include <poplar/Type.hpp>
#include <poplar/TypeTraits.hpp>
#include <popops/ExprOp.hpp>
#include <string>
#include <type_traits>
#include <vector>

// Expressions of tensors' elements, for popops::map(): `_1 * Const(2.0f) + _2`, Tanh(_1), ...
namespace popops {
namespace expr {

class Any;
class PlaceHolder;
class Const;
class Cast;
class UnaryOp;
class BinaryOp;
class TernaryOp;

/// Number of each concrete kind of node.
template <class T> struct ExprClass;
template <> struct ExprClass<PlaceHolder> {
  enum { id = 1 };
};
template <> struct ExprClass<Const> {
  enum { id = 2 };
};
template <> struct ExprClass<Cast> {
  enum { id = 3 };
};
template <> struct ExprClass<UnaryOp> {
  enum { id = 4 };
};
template <> struct ExprClass<BinaryOp> {
  enum { id = 5 };
};
template <> struct ExprClass<TernaryOp> {
  enum { id = 6 };
};

/// A tree. It never changes, and a node owns copies of its operands: temporaries may be used
/// freely.
class Expr {
public:
  virtual ~Expr();

  template <class T> bool isA() const { return class_ == ExprClass<T>::id; }
  /// Null if the node is of another class.
  template <class T> T *getAs() { return isA<T>() ? static_cast<T *>(this) : nullptr; }
  template <class T> const T *getAs() const {
    return isA<T>() ? static_cast<const T *>(this) : nullptr;
  }

  virtual std::unique_ptr<Expr> clone() const = 0;
  /// A C++ identifier for the tree on these tensors' types.
  virtual std::string name(const std::vector<poplar::Tensor> &inputs) const = 0;
  virtual bool deepEquals(const Expr &other) const = 0;
  /// \param indent       spaces before each line
  /// \param prettyPrint  a line for each node; else all on one line
  virtual void print(std::ostream &out, unsigned indent = 0, bool prettyPrint = true) const = 0;

protected:
  explicit Expr(int exprClass) : class_(exprClass) {}
  Expr(const Expr &) = default;
  Expr &operator=(const Expr &) = default;

private:
  int class_;
};

std::ostream &operator<<(std::ostream &out, const Expr &expr);
bool deepEquals(const Expr &a, const Expr &b);

/// Base of the node classes.
template <class T> class ExprType : public Expr {
public:
  ExprType() : Expr(ExprClass<T>::id) {}
};

/// Holds a tree that is put together at run time. Not a node itself.
class Any {
public:
  Any(const Expr &expr) : expr_(expr.clone()) {}
  Any(const Any &other) : expr_(other.expr_->clone()) {}
  Any(Any &&other) noexcept = default;
  Any &operator=(const Any &other) {
    expr_ = other.expr_->clone();
    return *this;
  }
  Any &operator=(Any &&other) noexcept = default;

  operator Expr &() { return *expr_; }
  operator const Expr &() const { return *expr_; }
  std::string name(const std::vector<poplar::Tensor> &inputs) const { return expr_->name(inputs); }

private:
  std::unique_ptr<Expr> expr_;
};

/// Stands for a tensor of the list: `_1` is the first.
class PlaceHolder : public ExprType<PlaceHolder> {
public:
  explicit PlaceHolder(unsigned index) : index_(index) {}
  unsigned getIndex() const { return index_; } ///< from 1

  std::unique_ptr<Expr> clone() const override;
  std::string name(const std::vector<poplar::Tensor> &inputs) const override;
  bool deepEquals(const Expr &other) const override;
  void print(std::ostream &out, unsigned indent = 0, bool prettyPrint = true) const override;

private:
  unsigned index_;
};

const PlaceHolder _1(1), _2(2), _3(3), _4(4), _5(5), _6(6), _7(7), _8(8), _9(9), _10(10), _11(11),
    _12(12), _13(13), _14(14), _15(15), _16(16), _17(17), _18(18), _19(19), _20(20);

/// A number. It takes the type of what it meets: `_1 * Const(3)` multiplies halves by a half.
class Const : public ExprType<Const> {
public:
  template <typename T, typename = typename std::enable_if<std::is_integral<T>::value ||
                                                           std::is_floating_point<T>::value>::type>
  Const(T x)
      : Const(poplar::TypeTraits::make<T>(), poplar::equivalent_device_type<T>().value,
              reinterpret_cast<const char *>(&x)) {}
  /// \param type  the device's type for \p traits
  /// \param data  the bytes of the host's number
  Const(poplar::TypeTraits traits, poplar::Type type, const char *data)
      : traits_(traits), type_(type), data_(data, data + traits.size) {}

  char *getData() const { return const_cast<char *>(data_.data()); }
  const poplar::TypeTraits &getTypeTraits() const { return traits_; }
  const poplar::Type &getType() const { return type_; }
  std::string printValue() const;
  double getDataAsDouble() const;
  std::uint64_t getDataForUnsignedIntegral() const;

  std::unique_ptr<Expr> clone() const override;
  std::string name(const std::vector<poplar::Tensor> &inputs) const override;
  bool deepEquals(const Expr &other) const override;
  void print(std::ostream &out, unsigned indent = 0, bool prettyPrint = true) const override;

protected:
  void setType(poplar::Type type) { type_ = type; }

private:
  poplar::TypeTraits traits_;
  poplar::Type type_;
  std::vector<char> data_;
};

/// A number whose own type is HALF.
class ConstHalf : public Const {
public:
  explicit ConstHalf(float x) : Const(x) { setType(poplar::HALF); }
};
inline ConstHalf operator""_half(long double x) { return ConstHalf(static_cast<float>(x)); }

/// Converts as popops::cast() does.
class Cast : public ExprType<Cast> {
public:
  Cast(const Expr &a, poplar::Type type) : a_(a.clone()), type_(type) {}
  Cast(const Cast &other) : ExprType<Cast>(other), a_(other.a_->clone()), type_(other.type_) {}
  Cast(Cast &&) = default;

  const Expr &getLHS() const { return *a_; }
  const poplar::Type &getRHSType() const { return type_; }

  std::unique_ptr<Expr> clone() const override;
  std::string name(const std::vector<poplar::Tensor> &inputs) const override;
  bool deepEquals(const Expr &other) const override;
  void print(std::ostream &out, unsigned indent = 0, bool prettyPrint = true) const override;

private:
  std::unique_ptr<Expr> a_;
  poplar::Type type_;
};

class UnaryOp : public ExprType<UnaryOp> {
public:
  UnaryOp(UnaryOpType type, const Expr &a) : type_(type), a_(a.clone()) {}
  UnaryOp(const UnaryOp &other)
      : ExprType<UnaryOp>(other), type_(other.type_), a_(other.a_->clone()) {}
  UnaryOp(UnaryOp &&) = default;

  UnaryOpType getOpType() const { return type_; }
  const Expr &getArg() const { return *a_; }
  std::string exprName(const std::vector<poplar::Tensor> &inputs) const;

  std::unique_ptr<Expr> clone() const override;
  std::string name(const std::vector<poplar::Tensor> &inputs) const override;
  bool deepEquals(const Expr &other) const override;
  void print(std::ostream &out, unsigned indent = 0, bool prettyPrint = true) const override;

private:
  UnaryOpType type_;
  std::unique_ptr<Expr> a_;
};

class BinaryOp : public ExprType<BinaryOp> {
public:
  BinaryOp(BinaryOpType type, const Expr &a, const Expr &b)
      : type_(type), a_(a.clone()), b_(b.clone()) {}
  BinaryOp(const BinaryOp &other)
      : ExprType<BinaryOp>(other), type_(other.type_), a_(other.a_->clone()),
        b_(other.b_->clone()) {}
  BinaryOp(BinaryOp &&) = default;

  BinaryOpType getOpType() const { return type_; }
  const Expr &getLHS() const { return *a_; }
  const Expr &getRHS() const { return *b_; }
  std::string exprName(const std::vector<poplar::Tensor> &inputs) const;

  std::unique_ptr<Expr> clone() const override;
  std::string name(const std::vector<poplar::Tensor> &inputs) const override;
  bool deepEquals(const Expr &other) const override;
  void print(std::ostream &out, unsigned indent = 0, bool prettyPrint = true) const override;

private:
  BinaryOpType type_;
  std::unique_ptr<Expr> a_, b_;
};

class TernaryOp : public ExprType<TernaryOp> {
public:
  TernaryOp(TernaryOpType type, const Expr &a, const Expr &b, const Expr &c)
      : type_(type), a_(a.clone()), b_(b.clone()), c_(c.clone()) {}
  TernaryOp(const TernaryOp &other)
      : ExprType<TernaryOp>(other), type_(other.type_), a_(other.a_->clone()),
        b_(other.b_->clone()), c_(other.c_->clone()) {}
  TernaryOp(TernaryOp &&) = default;

  TernaryOpType getOpType() const { return type_; }
  const Expr &getArg0() const { return *a_; }
  const Expr &getArg1() const { return *b_; }
  const Expr &getArg2() const { return *c_; }
  std::string exprName(const std::vector<poplar::Tensor> &inputs) const;

  std::unique_ptr<Expr> clone() const override;
  std::string name(const std::vector<poplar::Tensor> &inputs) const override;
  bool deepEquals(const Expr &other) const override;
  void print(std::ostream &out, unsigned indent = 0, bool prettyPrint = true) const override;

private:
  TernaryOpType type_;
  std::unique_ptr<Expr> a_, b_, c_;
};

// A class for each operation, and the operator that some have.

#define POPOPS_UNARY_NODE(Name, op)                                                                \
  class Name : public UnaryOp {                                                                    \
  public:                                                                                          \
    Name(const Expr &a) : UnaryOp(UnaryOpType::op, a) {}                                           \
  };
#define POPOPS_UNARY_OPERATOR(Name, op, symbol)                                                    \
  POPOPS_UNARY_NODE(Name, op)                                                                      \
  inline Name operator symbol(const Expr &a) { return Name(a); }

POPOPS_UNARY_NODE(Abs, ABSOLUTE)
POPOPS_UNARY_NODE(Asin, ASIN)
POPOPS_UNARY_OPERATOR(BitwiseNot, BITWISE_NOT, ~)
POPOPS_UNARY_NODE(Cbrt, CBRT)
POPOPS_UNARY_NODE(Ceil, CEIL)
POPOPS_UNARY_NODE(Cos, COS)
POPOPS_UNARY_NODE(Erf, ERF)
POPOPS_UNARY_NODE(Exp, EXPONENT)
POPOPS_UNARY_NODE(Exp2, EXPONENT2)
POPOPS_UNARY_NODE(Expm1, EXPONENT_MINUS_ONE)
POPOPS_UNARY_NODE(Floor, FLOOR)
POPOPS_UNARY_NODE(GeluErf, GELU_ERF)
POPOPS_UNARY_NODE(Inv, INVERSE)
POPOPS_UNARY_NODE(IsFinite, IS_FINITE)
POPOPS_UNARY_NODE(IsInf, IS_INF)
POPOPS_UNARY_NODE(IsNaN, IS_NAN)
POPOPS_UNARY_NODE(Log, LOGARITHM)
POPOPS_UNARY_NODE(Log1p, LOGARITHM_ONE_PLUS)
POPOPS_UNARY_NODE(NearbyInt, NEARBY_INT)
POPOPS_UNARY_OPERATOR(Neg, NEGATE, -)
POPOPS_UNARY_OPERATOR(Not, LOGICAL_NOT, !)
POPOPS_UNARY_NODE(Round, ROUND)
POPOPS_UNARY_NODE(Rsqrt, RSQRT)
POPOPS_UNARY_NODE(Sigmoid, SIGMOID)
POPOPS_UNARY_NODE(Signum, SIGNUM)
POPOPS_UNARY_NODE(Sin, SIN)
POPOPS_UNARY_NODE(Sqrt, SQRT)
POPOPS_UNARY_NODE(Square, SQUARE)
POPOPS_UNARY_NODE(Tan, TAN)
POPOPS_UNARY_NODE(Tanh, TANH)
#undef POPOPS_UNARY_OPERATOR
#undef POPOPS_UNARY_NODE

/// What may stand beside an expression: a number, which becomes a Const.
template <typename T>
using IfNumber = typename std::enable_if<std::is_arithmetic<T>::value, int>::type;

#define POPOPS_BINARY_NODE(Name, op)                                                               \
  class Name : public BinaryOp {                                                                   \
  public:                                                                                          \
    Name(const Expr &a, const Expr &b) : BinaryOp(BinaryOpType::op, a, b) {}                       \
  };
#define POPOPS_BINARY_OPERATOR(Name, op, symbol)                                                   \
  POPOPS_BINARY_NODE(Name, op)                                                                     \
  inline Name operator symbol(const Expr &a, const Expr &b) { return Name(a, b); }                 \
  template <typename T, IfNumber<T> = 0> Name operator symbol(T a, const Expr &b) {                \
    return Name(Const(a), b);                                                                      \
  }                                                                                                \
  template <typename T, IfNumber<T> = 0> Name operator symbol(const Expr &a, T b) {                \
    return Name(a, Const(b));                                                                      \
  }

POPOPS_BINARY_OPERATOR(Add, ADD, +)
POPOPS_BINARY_NODE(Atan2, ATAN2)
POPOPS_BINARY_OPERATOR(BitwiseAnd, BITWISE_AND, &)
POPOPS_BINARY_OPERATOR(BitwiseOr, BITWISE_OR, |)
POPOPS_BINARY_NODE(BitwiseXnor, BITWISE_XNOR)
POPOPS_BINARY_OPERATOR(BitwiseXor, BITWISE_XOR, ^)
POPOPS_BINARY_OPERATOR(Divide, DIVIDE, /)
POPOPS_BINARY_OPERATOR(Equal, EQUAL, ==)
POPOPS_BINARY_OPERATOR(Gt, GREATER_THAN, >)
POPOPS_BINARY_OPERATOR(Gte, GREATER_THAN_EQUAL, >=)
POPOPS_BINARY_NODE(InvStdDevToVariance, INV_STD_DEV_TO_VARIANCE)
POPOPS_BINARY_OPERATOR(Lt, LESS_THAN, <)
POPOPS_BINARY_OPERATOR(Lte, LESS_THAN_EQUAL, <=)
POPOPS_BINARY_OPERATOR(And, LOGICAL_AND, &&)
POPOPS_BINARY_OPERATOR(Or, LOGICAL_OR, ||)
POPOPS_BINARY_NODE(Max, MAXIMUM)
POPOPS_BINARY_NODE(Min, MINIMUM)
POPOPS_BINARY_OPERATOR(Mul, MULTIPLY, *)
POPOPS_BINARY_OPERATOR(NotEqual, NOT_EQUAL, !=)
POPOPS_BINARY_NODE(Pow, POWER)
POPOPS_BINARY_OPERATOR(Rem, REMAINDER, %)
POPOPS_BINARY_OPERATOR(Shl, SHIFT_LEFT, <<)
POPOPS_BINARY_OPERATOR(Shr, SHIFT_RIGHT, >>)
POPOPS_BINARY_NODE(ShrSE, SHIFT_RIGHT_SIGN_EXTEND)
POPOPS_BINARY_OPERATOR(Sub, SUBTRACT, -)
POPOPS_BINARY_NODE(VarianceToInvStdDev, VARIANCE_TO_INV_STD_DEV)
#undef POPOPS_BINARY_OPERATOR
#undef POPOPS_BINARY_NODE

/// The first where the third is true, else the second.
class Select : public TernaryOp {
public:
  Select(const Expr &a, const Expr &b, const Expr &c) : TernaryOp(TernaryOpType::SELECT, a, b, c) {}
};
/// min(max(first, second), third)
class Clamp : public TernaryOp {
public:
  Clamp(const Expr &a, const Expr &b, const Expr &c) : TernaryOp(TernaryOpType::CLAMP, a, b, c) {}
};

} // namespace expr
} // namespace popops
