#include "page.hpp"

#include <cmath>
#include <cstdio>
#include <iomanip>
#include <nlohmann/json.hpp>

namespace copse::accuracy {
namespace {

/// Returns \p value with four significant digits.
std::string shortNumber(double value) {
  char text[32];
  const int digits = value >= 1000 ? 0 : 3 - static_cast<int>(std::floor(std::log10(value)));
  std::snprintf(text, sizeof text, "%.*f", std::max(0, digits), value);
  std::string number = text;
  if (number.find('.') != std::string::npos)
    number.erase(number.find_last_not_of('0') + 1);
  if (number.ends_with('.'))
    number.pop_back();
  return number;
}

std::string percent(double error) {
  char text[32];
  std::snprintf(text, sizeof text, "%+.1f %%", 100 * error);
  return text;
}

const char *nameOf(Standing standing) {
  switch (standing) {
  case Standing::Predicted:
    return "predicted";
  case Standing::Fitted:
    return "fitted";
  case Standing::Given:
    break;
  }
  return "given";
}

std::string summaryOf(const std::vector<Comparison> &comparisons) {
  const Errors errors = errorsOf(comparisons, Standing::Predicted);
  char text[160];
  std::snprintf(text, sizeof text,
                "%zu predicted figures: mean of the absolute errors %.1f %%, largest %.1f %%; %zu "
                "fitted, %zu given",
                errors.count, 100 * errors.mean, 100 * errors.largest,
                errorsOf(comparisons, Standing::Fitted).count,
                errorsOf(comparisons, Standing::Given).count);
  return text;
}

} // namespace

void printTable(std::ostream &out, const std::vector<Comparison> &comparisons) {
  const std::string *group = nullptr;
  for (const Comparison &each : comparisons) {
    if (group == nullptr || *group != each.figure.group)
      out << each.figure.group << '\n';
    group = &each.figure.group;
    out << "  " << std::left << std::setw(58) << each.figure.name << std::right << std::setw(10)
        << shortNumber(each.figure.value) << std::setw(10) << shortNumber(each.modelled) << ' '
        << std::left << std::setw(8) << each.figure.unit << std::right << std::setw(9)
        << percent(each.error()) << "  " << nameOf(each.figure.standing) << '\n';
  }
  out << summaryOf(comparisons) << '\n';
}

void printJson(std::ostream &out, const std::vector<Comparison> &comparisons) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const Comparison &each : comparisons)
    rows.push_back({{"group", each.figure.group},
                    {"name", each.figure.name},
                    {"machine", each.figure.machine},
                    {"published", each.figure.value},
                    {"modelled", each.modelled},
                    {"unit", each.figure.unit},
                    {"error", each.error()},
                    {"standing", nameOf(each.figure.standing)},
                    {"source", each.figure.source},
                    {"note", each.figure.note}});
  out << rows.dump(2) << '\n';
}

void writePage(std::ostream &out, const std::vector<Comparison> &comparisons,
               const std::string &plot) {
  out << "# Accuracy of the modelled clock\n\n"
         "Every published figure that was found for IPU systems, beside what the modelled clock "
         "([timing-model.md](timing-model.md))\nsays for the same program. `copse accuracy "
         "--output docs/accuracy.md` writes this page; do not edit it.\n\n"
      << summaryOf(comparisons)
      << ".\n\n"
         "*Predicted*: no constant of the model was set by the figure. *Fitted*: a constant was "
         "set by it, as the note says. *Given*: the\nfigure is a constant of the model, or follows "
         "from one by the model's formula alone. Only predicted figures count in the means.\n"
         "Errors are signed: above 0, the model has more than was published.\n\n"
         "![errors of all figures]("
      << plot << ")\n";
  const std::string *group = nullptr;
  for (const Comparison &each : comparisons) {
    const Figure &figure = each.figure;
    if (group == nullptr || *group != figure.group)
      out << "\n## " << figure.group
          << "\n\n| figure | machine | published | model | error | standing | source, notes |\n"
             "|---|---|---|---|---|---|---|\n";
    group = &figure.group;
    out << "| " << figure.name << " | " << figure.machine << " | " << shortNumber(figure.value)
        << ' ' << figure.unit << " | " << shortNumber(each.modelled) << " | "
        << percent(each.error()) << " | " << nameOf(figure.standing) << " | " << figure.source
        << (figure.note.empty() ? "" : "; " + figure.note) << " |\n";
  }
  out << "\n## Contribute a measurement\n\n"
         "Write a file of this form, look at it with `copse accuracy --figures FILE`, and send it. "
         "It becomes rows of this page when it lies in\n`accuracy/figures/`.\n\n"
         "```json\n"
         "{\n"
         "  \"group\": \"Links\",\n"
         "  \"source\": \"who measured, where it was published, SDK\",\n"
         "  \"figures\": [\n"
         "    {\n"
         "      \"name\": \"neighbours, both directions\", \"machine\": \"M2000, SDK 3.0\",\n"
         "      \"program\": \"ipuTraffic\", \"parameters\": {\"from\": 2, \"to\": 3},\n"
         "      \"value\": 423.3, \"unit\": \"Gb/s\", \"standing\": \"predicted\", \"note\": \"\"\n"
         "    }\n"
         "  ]\n"
         "}\n"
         "```\n\n"
         "`accuracy/src/programs.hpp` has the programs and their parameters. All take `pod`, "
         "`chip`, `clockMHz`, `topology` and `tiles`.\n";
}

} // namespace copse::accuracy
