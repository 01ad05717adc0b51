#include "sca/profile/content_expression.h"

#include <algorithm>
#include <string>
#include <utility>

namespace orbweaver::sca {
namespace {

using Positions = std::vector<std::size_t>;

/// A part of the expression: the positions at which it can begin and end, and whether it can be empty.
struct Part {
  Positions first, last;
  bool empty = false;
};

void add(Positions& to, const Positions& from) { to.insert(to.end(), from.begin(), from.end()); }

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Result<ContentModel> run() {
    const Part whole = part();
    skip_space();
    if (failed_ || at_ != text_.size())
      return Error{ErrorKind::invalid, "malformed content model " + std::string(text_)};
    // State 0 is the start, state p + 1 the occurrence p of a name.
    std::vector<std::vector<ContentModel::Step>> next(names_.size() + 1);
    std::vector<bool> accepting(names_.size() + 1, false);
    accepting[0] = whole.empty;
    for (const std::size_t p : whole.last) accepting[p + 1] = true;
    for (std::size_t s = 0; s < next.size(); ++s) {
      for (const std::size_t p : s == 0 ? whole.first : follow_[s - 1]) {
        const auto same = [&](const ContentModel::Step& step) { return step.name == names_[p]; };
        const auto found = std::find_if(next[s].begin(), next[s].end(), same);
        if (found == next[s].end()) {
          next[s].push_back({names_[p], p + 1});
        } else if (found->to != p + 1) {
          return Error{ErrorKind::invalid, "the content model is not deterministic at " + names_[p]};
        }
      }
    }
    return ContentModel(std::move(next), std::move(accepting));
  }

 private:
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void skip_space() { at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size()); }

  Part part() {
    skip_space();
    Part result = peek() == '(' ? group() : name();
    const char repetition = peek();
    if (repetition == '?' || repetition == '*') result.empty = true;
    if (repetition == '*' || repetition == '+') link(result.last, result.first);
    if (repetition == '?' || repetition == '*' || repetition == '+') ++at_;
    return result;
  }

  Part group() {
    ++at_;
    Part result = part();
    skip_space();
    const char separator = peek();
    while (!failed_ && peek() != ')') {
      if ((separator != ',' && separator != '|') || peek() != separator) {
        failed_ = true;
        break;
      }
      ++at_;
      const Part next = part();
      separator == ',' ? append(result, next) : choose(result, next);
      skip_space();
    }
    ++at_;
    return result;
  }

  Part name() {
    const std::size_t end = std::min(text_.find_first_of(" \t\r\n(),|?*+", at_), text_.size());
    if (end == at_) {
      failed_ = true;
      return {};
    }
    names_.emplace_back(text_.substr(at_, end - at_));
    follow_.emplace_back();
    at_ = end;
    return {{names_.size() - 1}, {names_.size() - 1}, false};
  }

  void link(const Positions& from, const Positions& to) {
    for (const std::size_t p : from) add(follow_[p], to);
  }

  void append(Part& before, const Part& after) {
    link(before.last, after.first);
    if (before.empty) add(before.first, after.first);
    if (!after.empty) before.last.clear();
    add(before.last, after.last);
    before.empty = before.empty && after.empty;
  }

  static void choose(Part& one, const Part& other) {
    add(one.first, other.first);
    add(one.last, other.last);
    one.empty = one.empty || other.empty;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  bool failed_ = false;
  std::vector<std::string> names_;  // by position
  std::vector<Positions> follow_;   // by position: those that may come next
};

}  // namespace

Result<ContentModel> content_model(std::string_view expression) { return Parser(expression).run(); }

}  // namespace orbweaver::sca
