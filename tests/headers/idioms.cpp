// How programs and libraries write the small types (no test framework: this also compiles as
// C++11).
#include <array>
#include <functional>
#include <map>
#include <memory>
#include <poplar/ArrayRef.hpp>
#include <poplar/DebugContext.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/Interval.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/PerfEstimateFunc.hpp>
#include <poplar/ProfileValue.hpp>
#include <poplar/StreamCallback.hpp>
#include <poplar/Type.hpp>
#include <poplar/exceptions.hpp>
#include <pvti/pvti.hpp>
#include <string>
#include <unordered_map>
#include <vector>

using namespace poplar;

void takesOptions(const OptionFlags & = {}, const DebugContext & = {});
void takesName(int, const DebugContext & = {});
void takesTwo(int, bool = false, const DebugContext & = {});
void takesShape(ArrayRef<std::size_t>, const DebugContext & = {});
void takesIntervals(ArrayRef<Interval>);
void takesNames(ArrayRef<std::string>);
void takesCallback(StringRef, StreamCallbackHandle);
void takesCallback(StringRef, unsigned, StreamCallbackHandle);

struct OpInfo : DebugInfo {
  explicit OpInfo(const DebugContext &dc) : DebugInfo(dc, "lib") {}
};

void debugContexts(const DebugInfo &di, const DebugNameAndId &dnai, StringRef ref,
                   const std::string &s) {
  const OpInfo derived({dnai, "op"});
  takesName(1, "name"), takesName(1, s), takesName(1, ref), takesName(1, di), takesName(1, dnai),
      takesName(1, derived);
  takesName(1, {di}), takesName(1, {di, "x"}), takesName(1, {dnai}), takesName(1, {dnai, "x"});
  takesName(1, {dnai, s + "/x"}), takesName(1, {}), takesName(1, {"x"}),
      takesName(1, {derived, "x"});
  takesName(1, {s}), takesName(1, s + "x"), takesName(1), takesName(1, DebugContext(di, "x"));
  takesTwo(1, false, {di}), takesTwo(1, true, "x"), takesTwo(1, false, {dnai, "x"}),
      takesTwo(1, false, {});
  takesOptions({}, {dnai, "x"}), takesOptions({{"a", "b"}}, {di, "x"}),
      takesOptions({{"a", "b"}}, s);
  const DebugNameAndId names[] = {{di, "x"}, {dnai, "x"}, {"x"}, {s}, {}, {di}};
  (void)names;
}

void options(const Type &type, const std::map<std::string, std::string> &map) {
  OptionFlags o = {{"a", "b"}};
  OptionFlags o2{{"a", "b"}, {"c", type.toString()}};
  o = {{"x", "y"}, {"z", "w"}};
  o = {};
  o2 = o;
  takesOptions({{"a", "b"}}), takesOptions({}), takesOptions(o),
      takesOptions({{"a", "b"}, {"c", "d"}});
  for (const auto &entry : map)
    o.set(entry.first, entry.second);
  for (const auto &flag : o) {
    const std::string &key = flag.first, &value = flag.second;
    o2.set(key, value);
  }
  o.set({{"k", "v"}});
#if __cplusplus >= 201703L
  for (auto &[key, value] : o)
    o2.set(key, value);
#endif
}

void lists(const std::vector<std::size_t> &v, const std::array<std::size_t, 2> &a, unsigned u,
           int i) {
  takesShape({}), takesShape({2, 3}), takesShape({{3, 10500, 3}}), takesShape(v), takesShape(a),
      takesShape({v[0], 1});
  takesShape(ArrayRef<std::size_t>(v)), takesShape({v.data(), v.size()}), takesShape({4}, "x");
  takesIntervals({{0, 1}, {u, u + 1}}), takesIntervals({Interval(u, 2 * u)}),
      takesIntervals({{0u, 3u}});
  std::vector<Interval> intervals;
  intervals.emplace_back(u, u + 1), intervals.emplace_back(0, i), intervals.push_back({0, 1});
  takesIntervals(intervals);
  takesNames({"a", "b"}), takesNames(std::vector<std::string>{"a"});
  const std::vector<std::size_t> copy = ArrayRef<std::size_t>(v);
  (void)copy;
#if __cplusplus >= 201703L
  takesShape(ArrayRef(v));
#endif
}

std::string strings(StringRef ref, const std::string &s) {
  const std::map<std::string, int> map;
  bool equal = ref == "x" || "x" == ref || ref == s || s == ref || ref != "x" || ref < s;
  equal = equal || map.find(ref) != map.end() || map.count(std::string(ref));
  std::string text = ref;
  text = ref;
  text += ref;
  text = "a" + ref + "b" + ref + s;
  text = s + ref;
  text = ref + s;
  if (equal)
    return ref;
  return text;
}

ProfileValue values(StringRef ref, unsigned long n, const std::vector<int> &list) {
  ProfileValue::Map map;
  map.insert({"k", ProfileValue(ref)});
  map.insert({"n", n});
  map["u"] = 1u, map["c"] = static_cast<unsigned char>(1), map["f"] = 1.5f, map["d"] = 1.5,
  map["b"] = true;
  map["s"] = "text", map["i"] = -1;
  ProfileValue::Vector vector;
  for (const int i : list)
    vector.push_back(i);
  map["v"] = vector;
  return map;
}

struct Prefetcher : StreamCallback {
  Result prefetch(void *) noexcept override { return Result::NotAvailable; }
  void fetch(void *) override {}
  void complete() noexcept override {}
};
struct Legacy : LegacyStreamCallback {
  void fetch(void *) override {}
};

void callbacks(const std::function<void(void *)> &function) {
  takesCallback("s", [](void *) {}), takesCallback("s", function),
      takesCallback("s", 1, [](void *) {});
  std::unique_ptr<Prefetcher> derived(new Prefetcher);
  std::unique_ptr<StreamCallback> base(new Legacy);
  takesCallback("s", std::move(derived)), takesCallback("s", 0, std::move(base));
  takesCallback("s", std::unique_ptr<Legacy>(new Legacy));
}

VertexPerfEstimate estimate(const VertexIntrospector &, const Target &, const Type &) { return 12; }
PerfEstimateFunc estimator(const Type &type) {
  using namespace std::placeholders;
  return std::bind(estimate, _1, _2, type);
}

template <typename T> Type typeOf() { return equivalent_device_type<T>().value; }
Type types() {
  static const Type fromConstant = FLOAT;
  const std::map<Type, int> ordered{{HALF, 1}, {FLOAT, 2}};
  const std::unordered_map<Type, int> hashed{{HALF, 1}, {FLOAT, 2}};
  const std::string name = "Vertex<" + fromConstant.toString() + ">";
  return ordered.size() == hashed.size() && name.empty() ? typeOf<float>() : typeOf<unsigned>();
}

Device model(const std::string &version) {
  IPUModel m(version.c_str());
  m.numIPUs = 2, m.tilesPerIPU = 4, m.compileIPUCode = false;
  m.relativeSyncDelay = IPUModel::RelativeSyncDelayType::NO_DELAY;
  std::vector<GlobalExchangeFlow> flows;
  flows.emplace_back(0, 1);
  m.globalExchangeConstraints.push_back({1e9, flows});
  m.globalExchangeConstraints.push_back(GlobalExchangeConstraint(1e9, {{0, 1}, {1, 0}}));
  return m.createDevice();
}

void tracing() {
  static pvti::TraceChannel channel = {"lib"};
  pvti::Tracepoint point(&channel, "function");
}

std::string recover() {
  try {
    throw invalid_option("x");
  } catch (const recoverable_runtime_error &e) {
    return toString(e.getRecoveryAction());
  } catch (const link_error &e) {
    return e.output;
  } catch (const graph_memory_allocation_error &e) {
    return e.profilePath;
  } catch (const poplar_error &e) {
    return e.type + e.what();
  }
}
