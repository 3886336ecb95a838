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

/// \file
/// Expressions of tensors' elements, for popops::map(): `_1 * Const(2.0f) + _2`, Tanh(_1), ...

namespace popops {
namespace expr {

class Any;
class PlaceHolder;
class Const;
class Cast;
class UnaryOp;
class BinaryOp;
class TernaryOp;

/// Gives each concrete class of nodes a number, by which a node knows its class.
template <class T> struct ExprClass;
/// Gives the number of PlaceHolder.
template <> struct ExprClass<PlaceHolder> {
  /// The number.
  enum { id = 1 };
};
/// Gives the number of Const.
template <> struct ExprClass<Const> {
  /// The number.
  enum { id = 2 };
};
/// Gives the number of Cast.
template <> struct ExprClass<Cast> {
  /// The number.
  enum { id = 3 };
};
/// Gives the number of UnaryOp.
template <> struct ExprClass<UnaryOp> {
  /// The number.
  enum { id = 4 };
};
/// Gives the number of BinaryOp.
template <> struct ExprClass<BinaryOp> {
  /// The number.
  enum { id = 5 };
};
/// Gives the number of TernaryOp.
template <> struct ExprClass<TernaryOp> {
  /// The number.
  enum { id = 6 };
};

/// Base of the nodes of an expression tree. A tree never changes, and a node owns copies of its
/// operands: temporaries may be used freely.
///
/// \code
/// Tensor y = map(graph, Tanh(_1 * Const(2.0f)) + _2, {a, b}, prog);
/// \endcode
class Expr {
public:
  /// Destroys the tree.
  virtual ~Expr();

  /// Returns true if the node is of class T.
  template <class T> bool isA() const { return class_ == ExprClass<T>::id; }
  /// Returns the node as a T; null if it is of another class.
  template <class T> T *getAs() { return isA<T>() ? static_cast<T *>(this) : nullptr; }
  /// Returns the node as a T; null if it is of another class.
  template <class T> const T *getAs() const {
    return isA<T>() ? static_cast<const T *>(this) : nullptr;
  }

  /// Returns a copy of the tree.
  virtual std::unique_ptr<Expr> clone() const = 0;
  /// Returns a C++ identifier for the tree on these tensors' types.
  virtual std::string name(const std::vector<poplar::Tensor> &inputs) const = 0;
  /// Returns true if both trees have the same nodes.
  virtual bool deepEquals(const Expr &other) const = 0;
  /// Writes the tree.
  /// \param indent       spaces before each line; default 0
  /// \param prettyPrint  default true: a line for each node; false: all on one line
  virtual void print(std::ostream &out, unsigned indent = 0, bool prettyPrint = true) const = 0;

protected:
  /// Makes a node of a class, by its number.
  explicit Expr(int exprClass) : class_(exprClass) {}

  ///@{

  /// Copies the node.
  Expr(const Expr &) = default;
  Expr &operator=(const Expr &) = default;
  ///@}

private:
  int class_;
};

/// Writes the tree, a line for each node.
std::ostream &operator<<(std::ostream &out, const Expr &expr);
/// Returns true if both trees have the same nodes.
bool deepEquals(const Expr &a, const Expr &b);

/// Base of the node classes.
template <class T> class ExprType : public Expr {
public:
  /// Makes a node of class T.
  ExprType() : Expr(ExprClass<T>::id) {}
};

/// Holds an expression that is put together at run time, of any node class. Not a node itself.
class Any {
public:
  /// Copies a tree.
  Any(const Expr &expr) : expr_(expr.clone()) {}

  ///@{

  /// Copies or moves the tree.
  Any(const Any &other) : expr_(other.expr_->clone()) {}
  Any(Any &&other) noexcept = default;
  Any &operator=(const Any &other) {
    expr_ = other.expr_->clone();
    return *this;
  }
  Any &operator=(Any &&other) noexcept = default;
  ///@}

  ///@{

  /// Returns the tree, valid as long as this.
  operator Expr &() { return *expr_; }
  operator const Expr &() const { return *expr_; }
  ///@}

  /// Returns the identifier of the tree.
  std::string name(const std::vector<poplar::Tensor> &inputs) const { return expr_->name(inputs); }

private:
  std::unique_ptr<Expr> expr_;
};

/// Stands for a tensor of the list that popops::map() gets: `_1` is the first.
class PlaceHolder : public ExprType<PlaceHolder> {
public:
  /// Stands for tensor \p index, from 1.
  explicit PlaceHolder(unsigned index) : index_(index) {}
  /// Returns the number of the tensor, from 1.
  unsigned getIndex() const { return index_; }

  ///@{

  /// Implements Expr.
  std::unique_ptr<Expr> clone() const override;
  std::string name(const std::vector<poplar::Tensor> &inputs) const override;
  bool deepEquals(const Expr &other) const override;
  void print(std::ostream &out, unsigned indent = 0, bool prettyPrint = true) const override;
  ///@}

private:
  unsigned index_;
};

///@{

/// Stands for a tensor of the list that popops::map() gets: `_1` is the first.
const PlaceHolder _1(1), _2(2), _3(3), _4(4), _5(5), _6(6), _7(7), _8(8), _9(9), _10(10), _11(11),
    _12(12), _13(13), _14(14), _15(15), _16(16), _17(17), _18(18), _19(19), _20(20);
///@}

/// Holds a number. The number takes the type of the other operand: `_1 * Const(3)` multiplies
/// halves by a half.
class Const : public ExprType<Const> {
public:
  /// Makes a node of a number.
  template <typename T, typename = typename std::enable_if<std::is_integral<T>::value ||
                                                           std::is_floating_point<T>::value>::type>
  Const(T x)
      : Const(poplar::TypeTraits::make<T>(), poplar::equivalent_device_type<T>().value,
              reinterpret_cast<const char *>(&x)) {}
  /// Makes a node of a number of the host.
  /// \param type  the device's type for \p traits
  /// \param data  the bytes of the host's number
  Const(poplar::TypeTraits traits, poplar::Type type, const char *data)
      : traits_(traits), type_(type), data_(data, data + traits.size) {}

  /// Returns the bytes of the host's number.
  char *getData() const { return const_cast<char *>(data_.data()); }
  /// Returns the host's type.
  const poplar::TypeTraits &getTypeTraits() const { return traits_; }
  /// Returns the device's type.
  const poplar::Type &getType() const { return type_; }
  /// Returns the number as text.
  std::string printValue() const;
  /// Returns the number as a double.
  double getDataAsDouble() const;
  /// Returns an integer as 64 bits.
  std::uint64_t getDataForUnsignedIntegral() const;

  ///@{

  /// Implements Expr.
  std::unique_ptr<Expr> clone() const override;
  std::string name(const std::vector<poplar::Tensor> &inputs) const override;
  bool deepEquals(const Expr &other) const override;
  void print(std::ostream &out, unsigned indent = 0, bool prettyPrint = true) const override;
  ///@}

protected:
  /// Sets the device's type.
  void setType(poplar::Type type) { type_ = type; }

private:
  poplar::TypeTraits traits_;
  poplar::Type type_;
  std::vector<char> data_;
};

/// Holds a number whose own type is HALF.
class ConstHalf : public Const {
public:
  /// Rounds a number to a half.
  explicit ConstHalf(float x) : Const(x) { setType(poplar::HALF); }
};
/// Makes a half of a literal: 0.5_half.
inline ConstHalf operator""_half(long double x) { return ConstHalf(static_cast<float>(x)); }

/// Converts an operand as popops::cast() does.
class Cast : public ExprType<Cast> {
public:
  /// Makes a node that converts \p a.
  Cast(const Expr &a, poplar::Type type) : a_(a.clone()), type_(type) {}

  ///@{

  /// Copies or moves the tree.
  Cast(const Cast &other) : ExprType<Cast>(other), a_(other.a_->clone()), type_(other.type_) {}
  Cast(Cast &&) = default;
  ///@}

  /// Returns the operand.
  const Expr &getLHS() const { return *a_; }
  /// Returns the type of the result.
  const poplar::Type &getRHSType() const { return type_; }

  ///@{

  /// Implements Expr.
  std::unique_ptr<Expr> clone() const override;
  std::string name(const std::vector<poplar::Tensor> &inputs) const override;
  bool deepEquals(const Expr &other) const override;
  void print(std::ostream &out, unsigned indent = 0, bool prettyPrint = true) const override;
  ///@}

private:
  std::unique_ptr<Expr> a_;
  poplar::Type type_;
};

/// Applies an operation to one operand.
class UnaryOp : public ExprType<UnaryOp> {
public:
  /// Makes a node.
  UnaryOp(UnaryOpType type, const Expr &a) : type_(type), a_(a.clone()) {}

  ///@{

  /// Copies or moves the tree.
  UnaryOp(const UnaryOp &other)
      : ExprType<UnaryOp>(other), type_(other.type_), a_(other.a_->clone()) {}
  UnaryOp(UnaryOp &&) = default;
  ///@}

  /// Returns the operation.
  UnaryOpType getOpType() const { return type_; }
  /// Returns the operand.
  const Expr &getArg() const { return *a_; }
  /// Returns an identifier made of the operation and the types of its operands.
  std::string exprName(const std::vector<poplar::Tensor> &inputs) const;

  ///@{

  /// Implements Expr.
  std::unique_ptr<Expr> clone() const override;
  std::string name(const std::vector<poplar::Tensor> &inputs) const override;
  bool deepEquals(const Expr &other) const override;
  void print(std::ostream &out, unsigned indent = 0, bool prettyPrint = true) const override;
  ///@}

private:
  UnaryOpType type_;
  std::unique_ptr<Expr> a_;
};

/// Applies an operation to two operands.
class BinaryOp : public ExprType<BinaryOp> {
public:
  /// Makes a node.
  BinaryOp(BinaryOpType type, const Expr &a, const Expr &b)
      : type_(type), a_(a.clone()), b_(b.clone()) {}

  ///@{

  /// Copies or moves the tree.
  BinaryOp(const BinaryOp &other)
      : ExprType<BinaryOp>(other), type_(other.type_), a_(other.a_->clone()),
        b_(other.b_->clone()) {}
  BinaryOp(BinaryOp &&) = default;
  ///@}

  /// Returns the operation.
  BinaryOpType getOpType() const { return type_; }
  /// Returns the left operand.
  const Expr &getLHS() const { return *a_; }
  /// Returns the right operand.
  const Expr &getRHS() const { return *b_; }
  /// Returns an identifier made of the operation and the types of its operands.
  std::string exprName(const std::vector<poplar::Tensor> &inputs) const;

  ///@{

  /// Implements Expr.
  std::unique_ptr<Expr> clone() const override;
  std::string name(const std::vector<poplar::Tensor> &inputs) const override;
  bool deepEquals(const Expr &other) const override;
  void print(std::ostream &out, unsigned indent = 0, bool prettyPrint = true) const override;
  ///@}

private:
  BinaryOpType type_;
  std::unique_ptr<Expr> a_, b_;
};

/// Applies an operation to three operands.
class TernaryOp : public ExprType<TernaryOp> {
public:
  /// Makes a node.
  TernaryOp(TernaryOpType type, const Expr &a, const Expr &b, const Expr &c)
      : type_(type), a_(a.clone()), b_(b.clone()), c_(c.clone()) {}

  ///@{

  /// Copies or moves the tree.
  TernaryOp(const TernaryOp &other)
      : ExprType<TernaryOp>(other), type_(other.type_), a_(other.a_->clone()),
        b_(other.b_->clone()), c_(other.c_->clone()) {}
  TernaryOp(TernaryOp &&) = default;
  ///@}

  /// Returns the operation.
  TernaryOpType getOpType() const { return type_; }

  ///@{

  /// Returns an operand.
  const Expr &getArg0() const { return *a_; }
  const Expr &getArg1() const { return *b_; }
  const Expr &getArg2() const { return *c_; }
  ///@}

  /// Returns an identifier made of the operation and the types of its operands.
  std::string exprName(const std::vector<poplar::Tensor> &inputs) const;

  ///@{

  /// Implements Expr.
  std::unique_ptr<Expr> clone() const override;
  std::string name(const std::vector<poplar::Tensor> &inputs) const override;
  bool deepEquals(const Expr &other) const override;
  void print(std::ostream &out, unsigned indent = 0, bool prettyPrint = true) const override;
  ///@}

private:
  TernaryOpType type_;
  std::unique_ptr<Expr> a_, b_, c_;
};

// Each operation has a class, and some have an operator.

/// Defines the class of an operation of one operand; for this file only.
#define POPOPS_UNARY_NODE(Name, op)                                                                \
  class Name : public UnaryOp {                                                                    \
  public:                                                                                          \
    /** Makes the node. */                                                                         \
    Name(const Expr &a) : UnaryOp(UnaryOpType::op, a) {}                                           \
  };
/// Defines the class of an operation of one operand, and its operator; for this file only.
#define POPOPS_UNARY_OPERATOR(Name, op, symbol)                                                    \
  POPOPS_UNARY_NODE(Name, op)                                                                      \
  /** Makes the node of the operator. */                                                           \
  inline Name operator symbol(const Expr &a) { return Name(a); }

/// Computes |x|.
POPOPS_UNARY_NODE(Abs, ABSOLUTE)
/// Computes asin(x).
POPOPS_UNARY_NODE(Asin, ASIN)
/// Computes the complement of each bit.
POPOPS_UNARY_OPERATOR(BitwiseNot, BITWISE_NOT, ~)
/// Computes the cube root.
POPOPS_UNARY_NODE(Cbrt, CBRT)
/// Computes x rounded up.
POPOPS_UNARY_NODE(Ceil, CEIL)
/// Computes cos(x).
POPOPS_UNARY_NODE(Cos, COS)
/// Computes the error function.
POPOPS_UNARY_NODE(Erf, ERF)
/// Computes exp(x).
POPOPS_UNARY_NODE(Exp, EXPONENT)
/// Computes 2^x.
POPOPS_UNARY_NODE(Exp2, EXPONENT2)
/// Computes exp(x) - 1.
POPOPS_UNARY_NODE(Expm1, EXPONENT_MINUS_ONE)
/// Computes x rounded down.
POPOPS_UNARY_NODE(Floor, FLOOR)
/// Computes x / 2 * (1 + erf(x / sqrt(2))).
POPOPS_UNARY_NODE(GeluErf, GELU_ERF)
/// Computes 1 / x.
POPOPS_UNARY_NODE(Inv, INVERSE)
/// Computes a BOOL: x is neither infinite nor NaN.
POPOPS_UNARY_NODE(IsFinite, IS_FINITE)
/// Computes a BOOL: x is infinite.
POPOPS_UNARY_NODE(IsInf, IS_INF)
/// Computes a BOOL: x is NaN.
POPOPS_UNARY_NODE(IsNaN, IS_NAN)
/// Computes the natural logarithm.
POPOPS_UNARY_NODE(Log, LOGARITHM)
/// Computes log(1 + x).
POPOPS_UNARY_NODE(Log1p, LOGARITHM_ONE_PLUS)
/// Computes x rounded to nearest, ties to even.
POPOPS_UNARY_NODE(NearbyInt, NEARBY_INT)
/// Computes -x.
POPOPS_UNARY_OPERATOR(Neg, NEGATE, -)
/// Computes NOT of a BOOL.
POPOPS_UNARY_OPERATOR(Not, LOGICAL_NOT, !)
/// Computes x rounded to nearest, ties away from 0.
POPOPS_UNARY_NODE(Round, ROUND)
/// Computes 1 / sqrt(x).
POPOPS_UNARY_NODE(Rsqrt, RSQRT)
/// Computes 1 / (1 + exp(-x)).
POPOPS_UNARY_NODE(Sigmoid, SIGMOID)
/// Computes -1, 0 or 1.
POPOPS_UNARY_NODE(Signum, SIGNUM)
/// Computes sin(x).
POPOPS_UNARY_NODE(Sin, SIN)
/// Computes the square root.
POPOPS_UNARY_NODE(Sqrt, SQRT)
/// Computes x * x.
POPOPS_UNARY_NODE(Square, SQUARE)
/// Computes tan(x).
POPOPS_UNARY_NODE(Tan, TAN)
/// Computes tanh(x).
POPOPS_UNARY_NODE(Tanh, TANH)
#undef POPOPS_UNARY_OPERATOR
#undef POPOPS_UNARY_NODE

/// True for numbers, which operators accept as one operand beside an expression and turn into a
/// Const.
template <typename T>
using IfNumber = typename std::enable_if<std::is_arithmetic<T>::value, int>::type;

/// Defines the class of an operation of two operands; for this file only.
#define POPOPS_BINARY_NODE(Name, op)                                                               \
  class Name : public BinaryOp {                                                                   \
  public:                                                                                          \
    /** Makes the node. */                                                                         \
    Name(const Expr &a, const Expr &b) : BinaryOp(BinaryOpType::op, a, b) {}                       \
  };
/// Defines the class of an operation of two operands, and its operators; for this file only.
#define POPOPS_BINARY_OPERATOR(Name, op, symbol)                                                   \
  POPOPS_BINARY_NODE(Name, op)                                                                     \
  /** Makes the node of the operator. */                                                           \
  inline Name operator symbol(const Expr &a, const Expr &b) { return Name(a, b); }                 \
  /** Makes the node of the operator; the number becomes a Const. */                               \
  template <typename T, IfNumber<T> = 0> Name operator symbol(T a, const Expr &b) {                \
    return Name(Const(a), b);                                                                      \
  }                                                                                                \
  /** Makes the node of the operator; the number becomes a Const. */                               \
  template <typename T, IfNumber<T> = 0> Name operator symbol(const Expr &a, T b) {                \
    return Name(a, Const(b));                                                                      \
  }

/// Computes a + b.
POPOPS_BINARY_OPERATOR(Add, ADD, +)
/// Computes the angle of the point (b, a).
POPOPS_BINARY_NODE(Atan2, ATAN2)
/// Computes the AND of each bit.
POPOPS_BINARY_OPERATOR(BitwiseAnd, BITWISE_AND, &)
/// Computes the OR of each bit.
POPOPS_BINARY_OPERATOR(BitwiseOr, BITWISE_OR, |)
/// Computes the complement of the XOR of each bit.
POPOPS_BINARY_NODE(BitwiseXnor, BITWISE_XNOR)
/// Computes the XOR of each bit.
POPOPS_BINARY_OPERATOR(BitwiseXor, BITWISE_XOR, ^)
/// Computes a / b; 0 for integers if b is 0.
POPOPS_BINARY_OPERATOR(Divide, DIVIDE, /)
/// Computes a BOOL: a equals b.
POPOPS_BINARY_OPERATOR(Equal, EQUAL, ==)
/// Computes a BOOL: a is greater than b.
POPOPS_BINARY_OPERATOR(Gt, GREATER_THAN, >)
/// Computes a BOOL: a is greater than b, or equal.
POPOPS_BINARY_OPERATOR(Gte, GREATER_THAN_EQUAL, >=)
/// Computes 1 / a^2 - b.
POPOPS_BINARY_NODE(InvStdDevToVariance, INV_STD_DEV_TO_VARIANCE)
/// Computes a BOOL: a is less than b.
POPOPS_BINARY_OPERATOR(Lt, LESS_THAN, <)
/// Computes a BOOL: a is less than b, or equal.
POPOPS_BINARY_OPERATOR(Lte, LESS_THAN_EQUAL, <=)
/// Computes a BOOL: both BOOLs are true.
POPOPS_BINARY_OPERATOR(And, LOGICAL_AND, &&)
/// Computes a BOOL: one of the BOOLs is true.
POPOPS_BINARY_OPERATOR(Or, LOGICAL_OR, ||)
/// Computes the larger of both.
POPOPS_BINARY_NODE(Max, MAXIMUM)
/// Computes the smaller of both.
POPOPS_BINARY_NODE(Min, MINIMUM)
/// Computes a * b.
POPOPS_BINARY_OPERATOR(Mul, MULTIPLY, *)
/// Computes a BOOL: a differs from b.
POPOPS_BINARY_OPERATOR(NotEqual, NOT_EQUAL, !=)
/// Computes a to the power of b.
POPOPS_BINARY_NODE(Pow, POWER)
/// Computes the remainder of a / b, with the sign of a; 0 for integers if b is 0.
POPOPS_BINARY_OPERATOR(Rem, REMAINDER, %)
/// Computes a shifted to the left by the lowest 5 bits of b.
POPOPS_BINARY_OPERATOR(Shl, SHIFT_LEFT, <<)
/// Computes a shifted to the right by the lowest 5 bits of b, filled with zeros.
POPOPS_BINARY_OPERATOR(Shr, SHIFT_RIGHT, >>)
/// Computes a shifted to the right by the lowest 5 bits of b, filled with the sign.
POPOPS_BINARY_NODE(ShrSE, SHIFT_RIGHT_SIGN_EXTEND)
/// Computes a - b.
POPOPS_BINARY_OPERATOR(Sub, SUBTRACT, -)
/// Computes 1 / sqrt(a + b).
POPOPS_BINARY_NODE(VarianceToInvStdDev, VARIANCE_TO_INV_STD_DEV)
#undef POPOPS_BINARY_OPERATOR
#undef POPOPS_BINARY_NODE

/// Computes the first operand where the third, a BOOL, is true, else the second.
class Select : public TernaryOp {
public:
  /// Makes the node.
  Select(const Expr &a, const Expr &b, const Expr &c) : TernaryOp(TernaryOpType::SELECT, a, b, c) {}
};
/// Computes min(max(first, second), third).
class Clamp : public TernaryOp {
public:
  /// Makes the node.
  Clamp(const Expr &a, const Expr &b, const Expr &c) : TernaryOp(TernaryOpType::CLAMP, a, b, c) {}
};

} // namespace expr
} // namespace popops
