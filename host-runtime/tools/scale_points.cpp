#include "scale_points.hpp"

#include "report.hpp"

#include <algorithm>
#include <charconv>
#include <set>
#include <sstream>
#include <utility>

namespace copse::tools {
namespace {

constexpr std::size_t kMostPoints = 1000;

std::uint64_t numberOf(const std::string &text, const std::string &option) {
  std::uint64_t number = 0;
  const char *const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || rest != end || number == 0)
    throw WrongArguments(option + ": '" + text +
                         "' is no number above 0; a list is like 1,2,4,...,64");
  return number;
}

/// Appends the numbers between the last two of \p numbers and \p last.
void continueTo(std::uint64_t last, std::vector<std::uint64_t> &numbers,
                const std::string &option) {
  if (numbers.size() < 2)
    throw WrongArguments(option + ": '...' needs two numbers before it");
  const std::uint64_t before = numbers[numbers.size() - 2], step = numbers.back();
  if (step <= before)
    throw WrongArguments(option + ": the numbers before '...' must grow");
  const bool isFactor = step % before == 0 && step / before >= 2;
  const auto next = [&](std::uint64_t number) {
    return isFactor ? number * (step / before) : number + (step - before);
  };
  for (std::uint64_t number = next(step); number < last; number = next(number)) {
    numbers.push_back(number);
    if (numbers.size() > kMostPoints)
      throw WrongArguments(option + ": more than " + std::to_string(kMostPoints) + " numbers");
  }
}

std::string replaced(std::string text, const std::string &what, const std::string &with) {
  for (std::size_t at = text.find(what); at != std::string::npos;
       at = text.find(what, at + with.size()))
    text.replace(at, what.size(), with);
  return text;
}

/// The axes whose values stand in the command.
constexpr std::array kOfCommand{"replicas", "ipus", "batch"};

using Axes = std::map<std::string, std::vector<std::string>>;

/// Returns the only axis of the command with several values; "" if there are none or more.
std::string sweptAxis(const Axes &axes) {
  std::string swept;
  for (const char *const axis : kOfCommand)
    if (axes.at(axis).size() > 1) {
      if (!swept.empty())
        return "";
      swept = axis;
    }
  return swept;
}

/// Returns the axis that "{}" stands for: the only one, or else that with several values.
std::string plainAxis(const Axes &axes) {
  std::vector<std::string> given;
  for (const char *const axis : kOfCommand)
    if (!axes.at(axis).empty())
      given.emplace_back(axis);
  return given.size() == 1 ? given.front() : sweptAxis(axes);
}

/// Returns the values of --with, by their names.
Axes companionsOf(const ScaleRequest &request) {
  Axes companions;
  for (const std::string &text : request.with) {
    const std::size_t equals = text.find('=');
    const std::string name = text.substr(0, equals);
    if (equals == std::string::npos || name.empty())
      throw WrongArguments("--with: '" + text + "' is not like side=8000,10000,14000");
    if (std::ranges::find(kScaleAxes, name) != kScaleAxes.end())
      throw WrongArguments("--with: " + name + " has a list of its own; choose another name");
    std::istringstream words(text.substr(equals + 1));
    std::vector<std::string> &values = companions[name];
    for (std::string word; std::getline(words, word, ',');)
      values.push_back(word);
    const std::string place = "{" + name + "}";
    if (std::ranges::none_of(request.command, [&](const std::string &word) {
          return word.find(place) != std::string::npos;
        }))
      throw WrongArguments("--with: the command has no " + place + " that takes the value");
  }
  return companions;
}

/// Checks that there is one value for each number of the list that is swept.
void requireOneEach(const std::string &option, std::size_t values, const std::string &swept,
                    const Axes &axes) {
  if (swept.empty())
    throw WrongArguments(option + " needs one of --replicas, --ipus and --batch with several "
                                  "numbers, and gives each of them a value");
  if (const std::size_t numbers = axes.at(swept).size(); values != numbers)
    throw WrongArguments(option + " has " + std::to_string(values) + " values for the " +
                         std::to_string(numbers) + " numbers of --" + swept);
}

std::vector<std::string> commandAt(const ScaleRequest &request, const ScalePoint &point,
                                   const std::string &plain) {
  std::vector<std::string> command;
  for (std::string word : request.command) {
    if (!plain.empty())
      word = replaced(word, "{}", point.on(plain));
    for (const char *const axis : kOfCommand)
      if (!point.on(axis).empty())
        word = replaced(word, "{" + std::string(axis) + "}", point.on(axis));
    for (const auto &[name, value] : point.with)
      word = replaced(word, "{" + name + "}", value);
    command.push_back(word);
  }
  return command;
}

/// Checks that each number of a swept axis reaches the program.
void requirePlaceholders(const ScaleRequest &request, const Axes &axes, const std::string &plain) {
  const bool hasPlain = std::ranges::any_of(request.command, [](const std::string &word) {
    return word.find("{}") != std::string::npos;
  });
  if (hasPlain && plain.empty())
    throw WrongArguments("{} stands for none or several of --replicas, --ipus and --batch; write "
                         "{replicas}, {ipus} or {batch}");
  for (const char *const axis : kOfCommand) {
    const std::string name = "{" + std::string(axis) + "}";
    const bool isThere = std::ranges::any_of(request.command, [&](const std::string &word) {
      return word.find(name) != std::string::npos;
    });
    if (!axes.at(axis).empty() && !isThere && !(hasPlain && plain == axis))
      throw WrongArguments("--" + std::string(axis) + ": the command has no " + name +
                           (plain == axis ? " or {}" : "") + " that takes the number");
  }
}

} // namespace

std::string ScalePoint::on(const std::string &axis) const {
  const auto found = at.find(axis);
  return found != at.end() ? found->second : "";
}

std::string ScalePoint::name() const {
  std::string name;
  for (auto axis = kScaleAxes.rbegin(); axis != kScaleAxes.rend(); ++axis)
    if (const std::string value = on(*axis); !value.empty())
      name += (name.empty() ? "" : ", ") + std::string(*axis) + ' ' + value;
  for (const auto &[companion, value] : with)
    name += ", " + companion + ' ' + value;
  return name.empty() ? "the program" : name;
}

std::vector<std::string> numbersOf(const std::string &list, const std::string &option) {
  std::vector<std::uint64_t> numbers;
  std::istringstream words(list);
  bool continues = false;
  for (std::string word; std::getline(words, word, ',');) {
    if (word == "...") {
      continues = true;
      continue;
    }
    const std::uint64_t number = numberOf(word, option);
    if (std::exchange(continues, false))
      continueTo(number, numbers, option);
    numbers.push_back(number);
  }
  if (continues || (numbers.empty() && !list.empty()))
    throw WrongArguments(option + ": '" + list + "' has no last number");
  std::vector<std::string> texts;
  for (const std::uint64_t number : numbers)
    texts.push_back(std::to_string(number));
  return texts;
}

std::vector<ScalePoint> pointsOf(const ScaleRequest &request) {
  const Axes axes{{"replicas", numbersOf(request.replicas, "--replicas")},
                  {"ipus", numbersOf(request.ipus, "--ipus")},
                  {"batch", numbersOf(request.batch, "--batch")},
                  {"topology", request.topologies},
                  {"syncConfiguration", request.syncs},
                  {"pod", request.pods},
                  {"hosts", request.hosts}};
  const std::string plain = plainAxis(axes);
  requirePlaceholders(request, axes, plain);
  const Axes companions = companionsOf(request);
  const std::string swept = sweptAxis(axes);
  for (const auto &[name, values] : companions)
    requireOneEach("--with " + name, values.size(), swept, axes);
  if (request.samples.size() > 1)
    requireOneEach("--samples", request.samples.size(), swept, axes);
  std::vector<ScalePoint> points(1);
  points.front().samples = request.samples.front();
  for (const char *const axis : kScaleAxes) {
    if (axes.at(axis).empty())
      continue;
    std::vector<ScalePoint> more;
    for (const ScalePoint &point : points)
      for (std::size_t i = 0; i < axes.at(axis).size(); ++i) {
        ScalePoint &next = more.emplace_back(point);
        next.at[axis] = axes.at(axis)[i];
        if (axis != swept)
          continue;
        for (const auto &[name, values] : companions)
          next.with[name] = values[i];
        if (request.samples.size() > 1)
          next.samples = request.samples[i];
      }
    points = std::move(more);
    if (points.size() > kMostPoints)
      throw WrongArguments("the sweep has more than " + std::to_string(kMostPoints) + " points");
  }
  for (ScalePoint &point : points)
    point.command = commandAt(request, point, plain);
  return points;
}

std::string chartAxisOf(const std::vector<ScalePoint> &points) {
  for (auto axis = kScaleAxes.rbegin(); axis != kScaleAxes.rend(); ++axis) {
    std::set<std::string> values;
    for (const ScalePoint &point : points)
      values.insert(point.on(*axis));
    if (values.size() > 1)
      return *axis;
  }
  return kScaleAxes.back();
}

std::string seriesOf(const ScalePoint &point, const std::string &chartAxis) {
  ScalePoint rest = point;
  rest.at.erase(chartAxis);
  rest.with.clear();
  return rest.at.empty() ? "" : rest.name();
}

std::string severalProgramsIn(const std::vector<ScalePoint> &points) {
  const auto several = std::ranges::find_if(points, [](const ScalePoint &point) {
    return point.failure.empty() && point.programs.size() > 1;
  });
  if (several == points.end())
    return "";
  std::ostringstream text;
  text.precision(3);
  for (const auto &[program, seconds] : several->programs)
    text << (text.tellp() == 0 ? "" : ", ") << "program " << program << " takes " << seconds * 1e3
         << " ms";
  return text.str() + " at " + several->name();
}

} // namespace copse::tools
