#include <stdexcept>
#include <vector>

#include "sca/project/template_text.h"

namespace orbweaver::sca {
namespace {

using nlohmann::json;

/// A tag: its name, and what precedes it.
struct Tag {
  std::string_view before;  // text up to the tag
  char kind = 0;            // '#', '^', '/'; 0: a name; '.': no tag, the end of the text
  std::string_view name;
};

class Expansion {
 public:
  Expansion(std::string_view text, const json& values) : rest_(text), scopes_{&values} {}

  std::string run() {
    section({}, true);
    return std::move(result_);
  }

 private:
  /// The next tag, which is removed from the rest; with its line, if it is alone there.
  Tag next() {
    const std::size_t open = rest_.find("{{");
    if (open == std::string_view::npos) {
      const Tag end{rest_, '.', {}};
      rest_ = {};
      return end;
    }
    const std::size_t close = rest_.find("}}", open);
    if (close == std::string_view::npos) throw std::logic_error("a tag of a template is not closed");
    Tag tag{rest_.substr(0, open), 0, rest_.substr(open + 2, close - open - 2)};
    rest_.remove_prefix(close + 2);
    if (tag.name.empty()) throw std::logic_error("a tag of a template is empty");
    if (std::string_view("#^/").find(tag.name[0]) == std::string_view::npos) return tag;
    tag.kind = tag.name[0];
    tag.name.remove_prefix(1);
    const bool at_start = tag.before.empty() ? at_line_start_ : tag.before.back() == '\n';
    at_line_start_ = at_start && rest_.starts_with('\n');
    if (at_line_start_) rest_.remove_prefix(1);
    return tag;
  }

  const json& find(std::string_view name) const {
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
      const auto found = (*scope)->find(name);
      if (found != (*scope)->end()) return *found;
    }
    throw std::logic_error("a template names '" + std::string(name) + "', which has no value");
  }

  void append(std::string_view text, bool visible) {
    if (visible) result_ += text;
  }

  /// Expands up to the end of the section of that name.
  void section(std::string_view name, bool visible) {
    for (;;) {
      const Tag tag = next();
      append(tag.before, visible);
      if (tag.kind == '.' || tag.kind == '/') {
        if (tag.name != name)
          throw std::logic_error("a template ends '" + std::string(tag.name) + "', not '" +
                                 std::string(name) + "'");
        return;
      }
      if (tag.kind == 0) {
        if (visible) result_ += find(tag.name).get<std::string>();
        at_line_start_ = false;
        continue;
      }
      repeat(tag, visible);
    }
  }

  /// Expands a section whose first tag has been read.
  void repeat(const Tag& tag, bool visible) {
    if (!visible) return section(tag.name, false);
    const json& value = find(tag.name);
    const bool empty = value.is_boolean() ? !value.get<bool>() : value.empty();
    const std::string_view start = rest_;
    const bool line_start = at_line_start_;
    if (empty != (tag.kind == '^')) return section(tag.name, false);
    if (empty || value.is_boolean()) return section(tag.name, true);
    for (const json& element : value) {
      rest_ = start;
      at_line_start_ = line_start;
      scopes_.push_back(&element);
      section(tag.name, true);
      scopes_.pop_back();
    }
  }

  std::string_view rest_;
  std::vector<const json*> scopes_;
  std::string result_;
  bool at_line_start_ = true;  // nothing precedes the rest in its line
};

}  // namespace

std::string expand(std::string_view text, const json& values) { return Expansion(text, values).run(); }

}  // namespace orbweaver::sca
