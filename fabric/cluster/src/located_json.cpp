#include "located_json.hpp"

#include <cstddef>
#include <iterator>
#include <utility>
#include <vector>

namespace copse::cluster {
namespace {

using wire::Code;
using wire::Status;

// No configuration needs deeper nesting, and pointers to deeper values would cost memory.
constexpr std::size_t kMaxDepth = 8;

/// The text that the parser reads. The parser reads one character beyond a number, so lines are
/// counted up to the last character that is not a space.
struct Progress {
  unsigned line = 1, lineOfToken = 1;

  void pass(char character) {
    if (character == '\n')
      ++line;
    else if (character != ' ' && character != '\t' && character != '\r')
      lineOfToken = line;
  }
};

class CountingIterator {
public:
  using iterator_category = std::input_iterator_tag; // NOLINT(readability-identifier-naming)
  using value_type = char;                           // NOLINT(readability-identifier-naming)
  using difference_type = std::ptrdiff_t;            // NOLINT(readability-identifier-naming)
  using pointer = const char *;                      // NOLINT(readability-identifier-naming)
  using reference = const char &;                    // NOLINT(readability-identifier-naming)

  CountingIterator(const char *at, Progress &progress) : at_(at), progress_(&progress) {}
  reference operator*() const { return *at_; }
  CountingIterator &operator++() {
    progress_->pass(*at_++);
    return *this;
  }
  bool operator==(const CountingIterator &other) const { return at_ == other.at_; }

private:
  const char *at_;
  Progress *progress_;
};

/// Builds the document, event by event. If a handler returns false, the parse ends.
class Builder : public nlohmann::json_sax<nlohmann::json> {
public:
  Builder(LocatedJson &document, const Progress &progress)
      : document_(document), progress_(progress) {}

  const std::string &why() const { return why_; }

  bool null() override { return put(nullptr) != nullptr; }
  bool boolean(bool value) override { return put(value) != nullptr; }
  bool number_integer(number_integer_t value) override { return put(value) != nullptr; }
  bool number_unsigned(number_unsigned_t value) override { return put(value) != nullptr; }
  bool number_float(number_float_t value, const string_t &) override {
    return put(value) != nullptr;
  }
  bool string(string_t &value) override { return put(std::move(value)) != nullptr; }
  bool binary(binary_t &) override { return false; }
  bool start_object(std::size_t) override { return open(nlohmann::json::object()); }
  bool start_array(std::size_t) override { return open(nlohmann::json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(string_t &name) override {
    key_ = name;
    if (!stack_.back().value->contains(name))
      return true;
    why_ = "'" + name + "' appears twice in one object";
    return false;
  }

  bool parse_error(std::size_t, const std::string &, const nlohmann::json::exception &) override {
    if (why_.empty())
      why_ = "this is not JSON: a comma, quote or bracket is missing here or before, or there is "
             "one too many";
    return false;
  }

private:
  struct Level {
    nlohmann::json *value;
    LocatedJson::Pointer at;
  };

  nlohmann::json *put(nlohmann::json value) {
    LocatedJson::Pointer at;
    nlohmann::json *place = &document_.value;
    if (!stack_.empty()) {
      at = stack_.back().at;
      nlohmann::json &parent = *stack_.back().value;
      if (parent.is_array()) {
        at /= parent.size();
        parent.push_back(nullptr);
        place = &parent.back();
      } else {
        at /= key_;
        place = &parent[key_];
      }
    }
    document_.lines[at.to_string()] = progress_.lineOfToken;
    at_ = std::move(at);
    *place = std::move(value);
    return place;
  }

  bool open(nlohmann::json empty) {
    if (stack_.size() == kMaxDepth) {
      why_ = "nested too deeply";
      return false;
    }
    nlohmann::json *place = put(std::move(empty));
    stack_.push_back({place, at_});
    return true;
  }

  bool close() {
    stack_.pop_back();
    return true;
  }

  LocatedJson &document_;
  const Progress &progress_;
  std::vector<Level> stack_;
  std::string key_, why_;
  LocatedJson::Pointer at_; ///< the value that was added last
};

} // namespace

unsigned LocatedJson::lineOf(Pointer at) const {
  for (;; at.pop_back()) {
    if (const auto found = lines.find(at.to_string()); found != lines.end())
      return found->second;
    if (at.empty())
      return 1;
  }
}

wire::Result<LocatedJson> parseLocated(const std::string &text) {
  LocatedJson document;
  Progress progress;
  Builder builder(document, progress);
  const char *const begin = text.data();
  if (!nlohmann::json::sax_parse(CountingIterator(begin, progress),
                                 CountingIterator(begin + text.size(), progress), &builder))
    return Status{Code::BadFrame,
                  "line " + std::to_string(progress.lineOfToken) + ": " + builder.why()};
  return document;
}

} // namespace copse::cluster
