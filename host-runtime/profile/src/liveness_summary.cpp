#include "graph_summary.hpp"
#include "summary_values.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace copse::profile {

using poplar::ProfileValue;

namespace {

std::string nameOfItem(const ProfileValue &item) {
  const std::string &name = item["name"].asString();
  if (!name.empty())
    return name;
  return item["category"].asString() == "constant" ? "<const>" : "<anon>";
}

/// Bytes by name.
using Named = std::map<std::string, std::uint64_t>;

/// The items that are live at one time. Steps mostly come in order of time, so the set is updated
/// by the items that begin or end between two steps.
class LiveSet {
public:
  explicit LiveSet(const ProfileValue &liveness) : ofRange_(liveness["ranges"].size()) {
    for (const ProfileValue &item : liveness["items"].asVector())
      if (const auto range = item.asMap().find("range"); range != item.asMap().end())
        ofRange_.at(range->second.asUint64())
            .emplace_back(nameOfItem(item), numberAt(item, "bytes"));
    for (std::size_t range = 0; range < ofRange_.size(); ++range)
      for (const ProfileValue &interval : liveness["ranges"][range].asVector()) {
        changes_.push_back({interval[0].asUint64(), range, true});
        changes_.push_back({interval[1].asUint64() + 1, range, false});
      }
    // Ends precede begins at one time.
    std::ranges::sort(changes_, {}, [](const Change &c) { return std::pair(c.time, c.begins); });
  }

  void moveTo(std::uint64_t time) {
    if (time < now_) {
      next_ = 0;
      bytes_ = 0;
      names_.clear();
    }
    now_ = time;
    for (; next_ < changes_.size() && changes_[next_].time <= time; ++next_)
      apply(changes_[next_]);
  }
  std::uint64_t bytes() const { return bytes_; }
  const Named &names() const { return names_; }

private:
  struct Change {
    std::uint64_t time;
    std::size_t range;
    bool begins;
  };
  void apply(const Change &change) {
    for (const auto &[name, bytes] : ofRange_[change.range]) {
      std::uint64_t &here = names_[name];
      here = change.begins ? here + bytes : here - bytes;
      bytes_ = change.begins ? bytes_ + bytes : bytes_ - bytes;
      if (here == 0)
        names_.erase(name);
    }
  }

  std::vector<std::vector<std::pair<std::string, std::uint64_t>>> ofRange_;
  std::vector<Change> changes_;
  std::size_t next_ = 0;
  std::uint64_t now_ = 0, bytes_ = 0;
  Named names_;
};

/// Prints programs as a tree.
class ProgramTree {
public:
  /// \param live  printed at each step; null: print only the names of steps
  ProgramTree(Page &page, const ProfileValue &profile, LiveSet *live)
      : page_(page), profile_(profile), programs_(profile["programs"].asVector()), live_(live) {}

  /// Prints an engine's programs as the cases of a switch, as the SDK does, because a run executes
  /// one of them.
  void print() {
    {
      std::optional<Page::Section> choice;
      if (profile_["roots"].size() > 1)
        choice.emplace(page_, "Switch");
      for (const ProfileValue &root : profile_["roots"].asVector())
        print("Sequence", root);
    }
    for (std::size_t i = 0; i < profile_["functions"].size(); ++i)
      print("Function " + std::to_string(i), profile_["functions"][i]);
  }

private:
  void print(const std::string &heading, const ProfileValue &range) {
    const Page::Section section(page_, heading);
    printSteps(numberAt(range, "first"), numberAt(range, "first") + numberAt(range, "count"));
  }

  void printSteps(std::size_t at, std::size_t end) {
    while (at < std::min(end, programs_.size())) {
      const ProfileValue &program = programs_[at];
      const std::size_t bodies = at + 1 + numberAt(program, "bodySteps");
      const Page::Section section(page_, headingOf(program));
      printLive(program);
      printSteps(at + 1, bodies);
      at = bodies;
    }
  }

  static std::string headingOf(const ProfileValue &program) {
    const std::string &type = program["type"].asString(), &name = program["name"].asString();
    const std::string shown = type == "StreamCopyMid" ? "StreamCopy" : type;
    if (const auto function = program.asMap().find("function"); function != program.asMap().end())
      return shown + ": function " + std::to_string(function->second.asUint64());
    return name.empty() ? shown : shown + ": " + name;
  }

  void printLive(const ProfileValue &program) {
    const auto time = program.asMap().find("time");
    if (live_ == nullptr || time == program.asMap().end() || program["type"].asString() == "Sync")
      return;
    live_->moveTo(time->second.asUint64());
    page_.line("Live Bytes (excluding always-live): " + grouped(live_->bytes()));
    const Page::Section section(page_, "Live Vars (excluding always-live):");
    for (const auto &[name, bytes] : live_->names())
      page_.line(name + ' ' + grouped(bytes));
  }

  Page &page_;
  const ProfileValue &profile_;
  const ProfileValue::Vector &programs_;
  LiveSet *live_;
};

void printAlwaysLive(Page &page, const ProfileValue &liveness) {
  page.line("Always-live bytes: " + grouped(numberAt(liveness, "alwaysLiveBytes")));
  Named always;
  for (const ProfileValue &item : liveness["items"].asVector())
    if (item.asMap().count("range") == 0)
      always[nameOfItem(item)] += numberAt(item, "bytes");
  const Page::Section section(page, "Always-live variables:");
  for (const auto &[name, bytes] : always)
    page.row(name, grouped(bytes));
}

} // namespace

void printLiveness(Page &page, const ProfileValue &profile) {
  {
    const Page::Section section(page, "Variable Storage Liveness: All tiles");
    printAlwaysLive(page, profile["liveness"]);
    page.line("Maximum live bytes (including always-live): " +
              grouped(numberAt(profile["liveness"], "maxLiveBytes")));
    page.blank();
    LiveSet live(profile["liveness"]);
    ProgramTree(page, profile, &live).print();
  }
  page.blank();
}

void printPrograms(Page &page, const ProfileValue &profile) {
  {
    const Page::Section section(page, "Programs:");
    ProgramTree(page, profile, nullptr).print();
  }
  page.blank();
}

} // namespace copse::profile
