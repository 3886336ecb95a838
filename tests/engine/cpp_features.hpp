#pragma once

// Features of C++20, each in a function of numbers that both the codelets of cpp_features_test.cpp
// and the test itself are compiled from: on devices they must give what they give on the host.
#include <algorithm>
#include <array>
#include <bit>
#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <limits>
#include <new>
#include <numbers>
#include <numeric>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

namespace features {

constexpr unsigned kCount = 16; ///< of what goes in, and of what comes out

/// `X(Name)` for each: all that follow are structs with a run().
#define COPSE_CPP_FEATURES(X)                                                                      \
  X(Concepts)                                                                                      \
  X(RequiresClauses)                                                                               \
  X(AbbreviatedTemplates)                                                                          \
  X(ConstantEvaluation)                                                                            \
  X(GenericLambdas)                                                                                \
  X(LambdaCaptures)                                                                                \
  X(StructuredBindings)                                                                            \
  X(IfConstexpr)                                                                                   \
  X(FoldExpressions)                                                                               \
  X(DesignatedInitialisers)                                                                        \
  X(ThreeWayComparison)                                                                            \
  X(Arrays)                                                                                        \
  X(Spans)                                                                                         \
  X(ClassTypeParameters)                                                                           \
  X(InlineVariables)                                                                               \
  X(StaticTables)                                                                                  \
  X(LikelihoodAttributes)                                                                          \
  X(Alignment)                                                                                     \
  X(BitCasts)                                                                                      \
  X(BitOperations)                                                                                 \
  X(Unions)                                                                                        \
  X(BitFields)                                                                                     \
  X(PlacementNew)                                                                                  \
  X(VirtualFunctions)                                                                              \
  X(FunctionPointers)                                                                              \
  X(MemberPointers)                                                                                \
  X(TemplateArgumentDeduction)                                                                     \
  X(LoopsOverRanges)                                                                               \
  X(EnumsInScope)                                                                                  \
  X(Tuples)                                                                                        \
  X(OptionalsAndVariants)                                                                          \
  X(Algorithms)                                                                                    \
  X(StringViews)                                                                                   \
  X(Recursion)                                                                                     \
  X(UserDefinedLiterals)                                                                           \
  X(InitialiserLists)                                                                              \
  X(MovesAndDestructors)                                                                           \
  X(NarrowAndWrappingIntegers)                                                                     \
  X(WideIntegers)                                                                                  \
  X(Doubles)                                                                                       \
  X(JumpsOutOfLoops)

using In = const float *;
using Out = float *;

template <class T>
concept Number = std::integral<T> || std::floating_point<T>;
template <class T>
concept HasSize = requires(const T &value) {
  { value.size() } -> std::convertible_to<std::size_t>;
  requires sizeof(T) > 1;
};
struct Concepts {
  template <Number T> static T twice(T value) { return value + value; }
  template <HasSize T> static float weight(const T &value) {
    return static_cast<float>(value.size());
  }
  template <class T> static float weight(const T &) { return -1; }
  static void run(In in, Out out) {
    for (unsigned i = 0; i < kCount; ++i)
      out[i] = twice(in[i]) + static_cast<float>(twice(static_cast<int>(i)));
    out[0] += weight(std::array<float, 5>{}) + weight(3);
  }
};

struct RequiresClauses {
  template <class T>
    requires(sizeof(T) == 4)
  static float size(T) {
    return 4;
  }
  template <class T>
    requires std::is_same_v<T, char> || std::is_same_v<T, bool>
  static float size(T) {
    return 1;
  }
  static void run(In in, Out out) {
    for (unsigned i = 0; i < kCount; ++i)
      out[i] = in[i] * size(in[i]) + size('c') + size(true);
  }
};

struct AbbreviatedTemplates {
  static auto sum(auto first, std::floating_point auto second) {
    return static_cast<float>(first) + second;
  }
  static void run(In in, Out out) {
    for (unsigned i = 0; i < kCount; ++i)
      out[i] = sum(i, in[i]) + sum(static_cast<short>(-3), 0.5f);
  }
};

consteval int power(int base, int exponent) {
  return exponent == 0 ? 1 : base * power(base, exponent - 1);
}
constexpr std::array<int, 8> primes() {
  std::array<int, 8> found{};
  int count = 0;
  for (int n = 2; count < 8; ++n) {
    bool isPrime = true;
    for (int d = 2; d * d <= n; ++d)
      isPrime = isPrime && n % d != 0;
    if (isPrime)
      found[static_cast<std::size_t>(count++)] = n;
  }
  return found;
}
constinit int started = power(2, 5);
struct ConstantEvaluation {
  static void run(In in, Out out) {
    static constexpr auto kPrimes = primes();
    static_assert(kPrimes[7] == 19);
    for (unsigned i = 0; i < kCount; ++i)
      out[i] =
          in[i] * static_cast<float>(kPrimes[i % 8]) + static_cast<float>(power(3, 4) + started);
  }
};

struct GenericLambdas {
  static void run(In in, Out out) {
    const auto scaled = [](auto value, auto by) {
      return static_cast<float>(value) * static_cast<float>(by);
    };
    const auto sized = []<class T, std::size_t N>(const std::array<T, N> &) {
      return static_cast<float>(sizeof(T) * N);
    };
    const auto all = [](auto... values) { return (static_cast<float>(values) + ...); };
    for (unsigned i = 0; i < kCount; ++i)
      out[i] =
          scaled(in[i], 3) + scaled(i, 0.25f) + sized(std::array<short, 3>{}) + all(1, 2.5f, 'a');
  }
};

struct LambdaCaptures {
  float offset = 2;
  auto adder() const {
    return [*this](float value) { return value + offset; };
  }
  static void run(In in, Out out) {
    float total = 0;
    int calls = 0;
    const auto add = [&total, calls](float value) mutable {
      total += value * static_cast<float>(++calls);
      return total;
    };
    auto sums = add;
    const auto shifted = LambdaCaptures{5}.adder();
    const auto both = [first = shifted, factor = 3.0f](float value) {
      return first(value) * factor;
    };
    for (unsigned i = 0; i < kCount; ++i)
      out[i] = both(sums(in[i]));
  }
};

struct StructuredBindings {
  struct Pair {
    float first;
    int second;
  };
  static void run(In in, Out out) {
    const std::pair<float, float> ends{in[0], in[kCount - 1]};
    const auto &[low, high] = ends;
    int numbers[]{4, 5, 6};
    auto [a, b, c] = numbers;
    a += 10;
    for (unsigned i = 0; i < kCount; ++i) {
      auto [value, index] = Pair{in[i], static_cast<int>(i)};
      out[i] = value * low + high + static_cast<float>(index * a + b - c);
    }
  }
};

struct IfConstexpr {
  template <class T> static float described(T value) {
    if constexpr (std::is_integral_v<T>)
      return static_cast<float>(value % 3);
    else if constexpr (sizeof(T) == 4)
      return value / 2;
    else
      return value.anything();
  }
  static void run(In in, Out out) {
    for (unsigned i = 0; i < kCount; ++i)
      out[i] = described(in[i]) + described(i) + described(static_cast<signed char>(i));
  }
};

struct FoldExpressions {
  template <class... T> static float sum(T... values) { return (0.0f + ... + values); }
  template <unsigned... I> static float dot(In in, std::integer_sequence<unsigned, I...>) {
    return ((in[I] * static_cast<float>(I)) + ...);
  }
  template <class... T> static bool any(T... values) { return (... || (values > 3)); }
  static void run(In in, Out out) {
    const float all = dot(in, std::make_integer_sequence<unsigned, kCount>());
    for (unsigned i = 0; i < kCount; ++i)
      out[i] = sum(in[i], all, 1.5f) + (any(in[i], in[0]) ? 1 : 0) + sum();
  }
};

struct DesignatedInitialisers {
  struct Shape {
    int rows = 1, columns = 2;
    float scale{0.5f};
  };
  static void run(In in, Out out) {
    const Shape shape{.rows = 3, .scale = 4};
    for (unsigned i = 0; i < kCount; ++i)
      out[i] = in[i] * shape.scale + static_cast<float>(shape.rows * shape.columns) +
               Shape{.columns = 7}.scale;
  }
};

struct ThreeWayComparison {
  struct Version {
    int major, minor;
    float weight;
    auto operator<=>(const Version &) const = default;
  };
  static void run(In in, Out out) {
    const Version base{1, 2, in[3]};
    for (unsigned i = 0; i < kCount; ++i) {
      const Version here{1, static_cast<int>(i % 4), in[i]};
      const auto order = here <=> base;
      out[i] = (order < 0   ? -1.0f
                : order > 0 ? 1.0f
                            : 0.0f) +
               (here == base ? 10 : 0) + (here >= base ? 100 : 0);
      out[i] += std::is_lt(in[i] <=> 2.0f) ? 0.5f : 0.25f;
    }
  }
};

struct Arrays {
  static void run(In in, Out out) {
    std::array<float, kCount> values{};
    std::copy_n(in, kCount, values.begin());
    std::array<std::array<int, 3>, 2> table{{{1, 2, 3}, {4, 5, 6}}};
    for (unsigned i = 0; i < values.size(); ++i)
      out[i] = values[kCount - 1 - i] + static_cast<float>(table[i % 2][i % 3]);
    out[0] += values.front() + values.back() + (values == std::array<float, kCount>{} ? 1 : 0);
  }
};

struct Spans {
  static float sum(std::span<const float> values) {
    return std::accumulate(values.begin(), values.end(), 0.0f);
  }
  static void run(In in, Out out) {
    const std::span<const float> all(in, kCount);
    const std::span<float> results(out, kCount);
    for (std::size_t i = 0; i < all.size(); ++i)
      results[i] = sum(all.first(i)) + sum(all.subspan(i)) * 2 + all.back();
    std::span<float, 4>(out, 4)[3] += 1;
  }
};

struct Scaling {
  float factor, offset;
  bool operator==(const Scaling &) const = default;
};
struct ClassTypeParameters {
  template <Scaling S> static float applied(float value) { return value * S.factor + S.offset; }
  template <auto Value> static constexpr float kHalf = static_cast<float>(Value) / 2;
  static void run(In in, Out out) {
    for (unsigned i = 0; i < kCount; ++i)
      out[i] = applied<Scaling{2, 0.5f}>(in[i]) +
               applied<Scaling{.factor = -1, .offset = 3}>(in[i]) + kHalf<7> + kHalf<'A'>;
  }
};

inline constexpr float kFactor = 1.25f;
template <class T> inline constexpr T kLargest = std::numeric_limits<T>::max();
struct InlineVariables {
  static inline const int kSteps = 7;
  static void run(In in, Out out) {
    for (unsigned i = 0; i < kCount; ++i)
      out[i] = in[i] * kFactor + static_cast<float>(kSteps + kLargest<signed char>) +
               std::numbers::pi_v<float>;
  }
};

constexpr float kWeights[4] = {0.25f, 0.5f, 0.75f, 1};
const char *const kNames[] = {"zero", "one", "three"};
struct StaticTables {
  static void run(In in, Out out) {
    static const int kOffsets[][2] = {{1, -1}, {20, -20}, {300, -300}};
    for (unsigned i = 0; i < kCount; ++i)
      out[i] = in[i] * kWeights[i % 4] + static_cast<float>(kOffsets[i % 3][i % 2]) +
               static_cast<float>(kNames[i % 3][0]);
  }
};

struct LikelihoodAttributes {
  static void run(In in, Out out) {
    for (unsigned i = 0; i < kCount; ++i) {
      if (in[i] > 4) [[unlikely]]
        out[i] = -in[i];
      else [[likely]]
        out[i] = in[i];
      switch (i % 3) {
      [[likely]] case 0:
        out[i] += 1;
        [[fallthrough]];
      case 1:
        out[i] += 2;
        break;
      default:
        out[i] *= 2;
      }
    }
  }
};

struct Alignment {
  struct alignas(16) Quad {
    float values[4];
  };
  static_assert(alignof(Quad) == 16 && sizeof(Quad) == 16);
  static void run(In in, Out out) {
    Quad quads[kCount / 4];
    std::memcpy(&quads, in, sizeof quads);
    alignas(8) unsigned char bytes[8] = {};
    for (unsigned i = 0; i < kCount; ++i)
      out[i] = quads[i / 4].values[3 - i % 4] +
               static_cast<float>(reinterpret_cast<std::uintptr_t>(bytes) % 8) +
               static_cast<float>(reinterpret_cast<std::uintptr_t>(&quads[1]) % 16);
  }
};

struct BitCasts {
  static void run(In in, Out out) {
    for (unsigned i = 0; i < kCount; ++i) {
      const auto bits = std::bit_cast<std::uint32_t>(in[i]);
      const auto bytes = std::bit_cast<std::array<std::uint8_t, 4>>(bits);
      out[i] = std::bit_cast<float>(bits ^ 0x80000000u) + static_cast<float>(bytes[3]) +
               static_cast<float>(bits >> 23);
    }
  }
};

struct BitOperations {
  static void run(In in, Out out) {
    for (unsigned i = 0; i < kCount; ++i) {
      const auto x = static_cast<std::uint32_t>(in[i] + 9) * 0x9E3779B1u;
      out[i] = static_cast<float>(std::popcount(x) + std::countl_zero(x | 1) +
                                  std::countr_zero(x | 0x80000000u)) +
               static_cast<float>(std::rotl(x, 7) >> 20) + static_cast<float>(std::bit_width(x)) +
               static_cast<float>(std::bit_ceil(i + 1)) + (std::has_single_bit(i) ? 0.5f : 0);
    }
  }
};

struct Unions {
  union Word {
    std::uint32_t whole;
    struct {
      std::uint16_t low, high;
    } parts;
  };
  struct Tagged {
    bool isWhole;
    union {
      int whole;
      float fraction;
    };
  };
  static void run(In in, Out out) {
    for (unsigned i = 0; i < kCount; ++i) {
      Word word{.whole = i * 0x10003u};
      word.parts.high ^= 5;
      Tagged tagged{.isWhole = i % 2 == 0, .whole = 3};
      if (!tagged.isWhole)
        tagged.fraction = in[i];
      out[i] = static_cast<float>(word.whole) +
               (tagged.isWhole ? static_cast<float>(tagged.whole) : tagged.fraction);
    }
  }
};

struct BitFields {
  struct Fields {
    unsigned low : 3 = 5, middle : 11 {}, high : 18 {};
    signed small : 4 {};
  };
  static void run(In in, Out out) {
    for (unsigned i = 0; i < kCount; ++i) {
      Fields fields;
      fields.middle = (i * 321) & 0x7FF;
      fields.high = i << 4;
      fields.small = static_cast<int>(i % 16) - 8;
      out[i] = in[i] + static_cast<float>(fields.low + fields.middle + fields.high) +
               static_cast<float>(fields.small);
    }
  }
};

struct PlacementNew {
  struct Plain {
    Plain(float x, int y) : a(x), b(y) {}
    float a;
    int b;
  };
  static void run(In in, Out out) {
    alignas(Plain) std::byte memory[sizeof(Plain)];
    for (unsigned i = 0; i < kCount; ++i) {
      auto *plain = new (memory) Plain(in[i], static_cast<int>(i));
      out[i] = plain->a * static_cast<float>(plain->b);
      plain->~Plain();
    }
  }
};

struct VirtualFunctions {
  struct Shape {
    virtual float area() const = 0;
    virtual float edges() const { return 0; }

  protected:
    ~Shape() = default;
  };
  struct Square final : Shape {
    explicit Square(float s) : side(s) {}
    float area() const override { return side * side; }
    float edges() const override { return 4; }
    float side;
  };
  struct Circle final : Shape {
    explicit Circle(float r) : radius(r) {}
    float area() const override { return 3 * radius * radius; }
    float radius;
  };
  static void run(In in, Out out) {
    for (unsigned i = 0; i < kCount; ++i) {
      const Square square(in[i]);
      const Circle circle(in[i]);
      const Shape *const shapes[] = {&square, &circle};
      const Shape &shape = *shapes[i % 2];
      out[i] = shape.area() + shape.edges();
    }
  }
};

struct FunctionPointers {
  static float half(float x) { return x / 2; }
  static float square(float x) { return x * x; }
  static void run(In in, Out out) {
    float (*const functions[])(float) = {half, square, [](float x) { return -x; }};
    for (unsigned i = 0; i < kCount; ++i)
      out[i] = functions[i % 3](in[i]) + std::invoke(functions[(i + 1) % 3], in[i]);
  }
};

struct MemberPointers {
  struct Point {
    float x, y;
    float sum() const { return x + y; }
    float difference() const { return x - y; }
  };
  static void run(In in, Out out) {
    float Point::*const fields[] = {&Point::x, &Point::y};
    float (Point::*const functions[])() const = {&Point::sum, &Point::difference};
    for (unsigned i = 0; i < kCount; ++i) {
      const Point point{in[i], static_cast<float>(i)};
      out[i] = point.*fields[i % 2] + (point.*functions[i / 2 % 2])();
    }
  }
};

template <class T> struct Wrapped {
  T value;
  Wrapped(T v) : value(v) {}
};
template <class T> Wrapped(T *) -> Wrapped<std::ptrdiff_t>;
template <template <class> class Holder, class T> float unwrapped(Holder<T> held) {
  return static_cast<float>(held.value);
}
struct TemplateArgumentDeduction {
  static void run(In in, Out out) {
    for (unsigned i = 0; i < kCount; ++i) {
      const Wrapped wrapped(in[i]);
      const std::array numbers{1, 2, 3};
      const std::pair pair(wrapped.value, numbers[i % 3]);
      out[i] = unwrapped(wrapped) + pair.first * static_cast<float>(pair.second);
    }
  }
};

struct LoopsOverRanges {
  struct Countdown {
    struct Iterator {
      int at;
      int operator*() const { return at; }
      Iterator &operator++() {
        --at;
        return *this;
      }
      bool operator!=(const Iterator &other) const { return at != other.at; }
    };
    int from;
    Iterator begin() const { return {from}; }
    Iterator end() const { return {0}; }
  };
  static void run(In in, Out out) {
    unsigned i = 0;
    for (const float factor = 2; float value : std::span<const float>(in, kCount))
      out[i++] = value * factor;
    for (int n : Countdown{5})
      out[n] += static_cast<float>(n);
    for (int n : {7, 8})
      out[n] -= 1;
  }
};

enum class Colour : std::uint8_t { Red = 3, Green, Blue = 9 };
struct EnumsInScope {
  static float weight(Colour colour) {
    using enum Colour;
    switch (colour) {
    case Red:
      return 1;
    case Green:
      return 2;
    case Blue:
      return 4;
    }
    return 8;
  }
  static void run(In in, Out out) {
    for (unsigned i = 0; i < kCount; ++i)
      out[i] = in[i] + weight(static_cast<Colour>(i));
  }
};

struct Tuples {
  static void run(In in, Out out) {
    for (unsigned i = 0; i < kCount; ++i) {
      const auto all =
          std::tuple_cat(std::tuple(in[i], static_cast<int>(i)), std::make_tuple(0.5f));
      out[i] = std::apply([](auto... parts) { return (static_cast<float>(parts) + ...); }, all) +
               std::get<0>(all);
      int index = 0;
      std::tie(index, std::ignore) = std::pair(static_cast<int>(i) + 1, 'x');
      out[i] *= static_cast<float>(index);
    }
  }
};

struct OptionalsAndVariants {
  static std::optional<float> root(float x) { return x < 0 ? std::nullopt : std::optional(x * 2); }
  static void run(In in, Out out) {
    for (unsigned i = 0; i < kCount; ++i) {
      std::variant<int, float> either = static_cast<int>(i);
      if (i % 2 == 0)
        either = in[i];
      out[i] =
          root(in[i]).value_or(-5) +
          std::visit([](auto value) { return static_cast<float>(value) + sizeof value; }, either) +
          static_cast<float>(either.index());
    }
  }
};

struct Algorithms {
  static void run(In in, Out out) {
    std::array<float, kCount> sorted{};
    std::copy_n(in, kCount, sorted.begin());
    std::sort(sorted.begin(), sorted.end(), std::greater<>());
    std::partial_sum(sorted.begin(), sorted.end(), out);
    const auto least = std::min_element(in, in + kCount);
    out[0] += static_cast<float>(least - in) + *std::max_element(in, in + kCount);
    out[1] += static_cast<float>(std::count_if(in, in + kCount, [](float x) { return x > 1; }));
    out[2] +=
        std::inner_product(in, in + kCount, sorted.begin(), 0.0f) + std::clamp(in[2], -1.0f, 1.0f);
    std::rotate(out + 4, out + 6, out + 12);
  }
};

struct StringViews {
  static constexpr std::string_view kText = "codelets of the tile";
  static void run(In in, Out out) {
    for (unsigned i = 0; i < kCount; ++i)
      out[i] = in[i] + static_cast<float>(kText[i]) +
               static_cast<float>(kText.substr(i).find('t')) +
               (kText.substr(0, 8) == "codelets" ? 1000 : 0);
  }
};

struct Recursion {
  static unsigned ackermann(unsigned m, unsigned n) {
    return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
  }
  static void run(In in, Out out) {
    const auto fibonacci = [](auto &&self, unsigned n) -> unsigned {
      return n < 2 ? n : self(self, n - 1) + self(self, n - 2);
    };
    for (unsigned i = 0; i < kCount; ++i)
      out[i] = in[i] + static_cast<float>(ackermann(2, i % 4) + fibonacci(fibonacci, i));
  }
};

constexpr float operator""_percent(long double value) { return static_cast<float>(value / 100); }
constexpr unsigned operator""_kib(unsigned long long value) {
  return static_cast<unsigned>(value) * 1024;
}
struct UserDefinedLiterals {
  static void run(In in, Out out) {
    for (unsigned i = 0; i < kCount; ++i)
      out[i] = in[i] * 12.5_percent + static_cast<float>(2_kib + 0b1010 + 1'000);
  }
};

struct InitialiserLists {
  static float sum(std::initializer_list<float> values) {
    float total = 0;
    for (float value : values)
      total = total * 2 + value;
    return total;
  }
  static void run(In in, Out out) {
    for (unsigned i = 0; i < kCount; ++i)
      out[i] = sum({in[i], 1, in[0], static_cast<float>(i)}) + std::max({1.0f, in[i], 2.0f});
  }
};

struct MovesAndDestructors {
  class Slot {
  public:
    explicit Slot(float *place) : place_(place) {}
    Slot(Slot &&other) noexcept : place_(std::exchange(other.place_, nullptr)) {}
    Slot &operator=(Slot &&) = delete;
    ~Slot() {
      if (place_ != nullptr)
        *place_ += 3;
    }

  private:
    float *place_;
  };
  static void run(In in, Out out) {
    for (unsigned i = 0; i < kCount; ++i) {
      out[i] = in[i];
      Slot first(out + i);
      const Slot second(std::move(first));
      if (i % 3 == 0)
        continue;
      out[i] *= 2;
    }
  }
};

struct NarrowAndWrappingIntegers {
  static void run(In in, Out out) {
    std::uint32_t hash = 2166136261u;
    for (unsigned i = 0; i < kCount; ++i) {
      hash = (hash ^ static_cast<std::uint32_t>(static_cast<std::int32_t>(in[i]))) * 16777619u;
      const auto narrow = static_cast<std::int16_t>(hash);
      out[i] = static_cast<float>(narrow) +
               static_cast<float>(static_cast<std::int8_t>(hash >> 16) >> 2);
    }
  }
};

struct WideIntegers {
  static void run(In in, Out out) {
    std::uint64_t state = 88172645463325252ull;
    for (unsigned i = 0; i < kCount; ++i) {
      state ^= state << 13;
      state ^= state >> 7;
      state ^= state << 17;
      const auto wide = static_cast<std::int64_t>(state) / 1000003;
      out[i] = in[i] + static_cast<float>(wide % 1009) + static_cast<float>(state % 17);
    }
  }
};

struct Doubles {
  static void run(In in, Out out) {
    double total = 1.0 / 3.0;
    for (unsigned i = 0; i < kCount; ++i) {
      total = total * 1.0000001 + static_cast<double>(in[i]);
      out[i] = static_cast<float>(total) + static_cast<float>(static_cast<int>(total));
    }
  }
};

struct JumpsOutOfLoops {
  static void run(In in, Out out) {
    for (unsigned i = 0; i < kCount; ++i) {
      unsigned j = 0, k = 0;
      for (j = 0; j < kCount; ++j)
        for (k = 0; k < kCount; ++k)
          if (in[j] + in[k] > static_cast<float>(i))
            goto found;
    found:
      out[i] = static_cast<float>(j * kCount + k);
    }
  }
};

} // namespace features
