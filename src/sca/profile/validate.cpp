#include "sca/profile/validate.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <utility>

#include "sca/profile/similar_name.h"

namespace orbweaver::sca {
namespace {

std::string tag(std::string_view name) { return "<" + std::string(name) + ">"; }

std::string tags(const std::vector<std::string_view>& names) {
  std::vector<std::string> list;
  for (const std::string_view name : names) list.push_back(tag(name));
  return one_of(list);
}

std::string suggestion(std::string_view word, const std::vector<std::string_view>& names) {
  const std::string_view similar = similar_name(word, names);
  return similar.empty() ? "" : "did you mean '" + std::string(similar) + "'? ";
}

/// Whether XML allows the text as an ID. Characters beyond ASCII are taken for letters.
bool is_xml_name(std::string_view text) {
  const auto is_first = [](unsigned char c) {
    return std::isalpha(c) != 0 || c == '_' || c == ':' || c >= 0x80;
  };
  const auto is_other = [&](unsigned char c) {
    return is_first(c) || std::isdigit(c) != 0 || c == '-' || c == '.';
  };
  return !text.empty() && is_first(static_cast<unsigned char>(text[0])) &&
         std::all_of(text.begin(), text.end(),
                     [&](char c) { return is_other(static_cast<unsigned char>(c)); });
}

/// Limit of the id and the name of a profile and of what it instantiates: they become parts of object keys.
constexpr std::size_t kMaxIdentifierOctets = 1024;
bool is_in_object_keys(const Element& element, std::string_view attribute) {
  const std::string_view name = element.name();
  const bool is_root = element.node().parent().parent().empty();
  return (attribute == "id" || attribute == "name") &&
         (is_root || name == "componentinstantiation" || name == "assemblyinstantiation");
}

std::string trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1));
}

class Validator {
 public:
  Validator(const XmlFile& file, Findings& findings)
      : file_(file), findings_(findings), grammar_(grammar_of(file.kind())) {}

  void run() { element(file_.root(), *grammar_.find(root_element(file_.kind())), {}); }

 private:
  /// `scope` is the element within which ids of members are unique; empty: the file.
  void element(const Element& element, const ElementRule& rule, pugi::xml_node scope) {
    attributes(element, rule, scope);
    const bool has_members =
        file_.kind() == ProfileKind::properties &&
        (rule.name == "struct" || rule.name == "inputvalue" || rule.name == "resultvalue" ||
         rule.name == "inputValue" || rule.name == "resultValue");
    children(element, rule, has_members ? element.node() : scope);
  }

  void attributes(const Element& element, const ElementRule& rule, pugi::xml_node scope) {
    std::set<std::string_view> given;
    for (const auto& attribute : element.node().attributes()) {
      const std::string_view name = attribute.name();
      if (!given.insert(name).second) {
        mistake(element, "attribute '" + std::string(name) + "' is given twice", "remove one of them");
        continue;
      }
      // Names of namespaces and of schemas belong to XML.
      if (name == "xmlns" || name.starts_with("xmlns:") || name.starts_with("xsi:") ||
          name.starts_with("xml:"))
        continue;
      const AttributeRule* const known = rule.find(name);
      if (known == nullptr) {
        unknown_attribute(element, rule, name);
      } else if (is_in_object_keys(element, name) &&
                 std::string_view(attribute.value()).size() > kMaxIdentifierOctets) {
        mistake(element,
                "the attribute '" + std::string(name) + "' has " +
                    std::to_string(std::string_view(attribute.value()).size()) + " octets",
                "at most " + std::to_string(kMaxIdentifierOctets) + " are supported: shorten it");
      } else if (known->kind == AttributeKind::enumeration) {
        choice(element, *known, trimmed(attribute.value()));
      } else if (known->kind == AttributeKind::id) {
        id(element, *known, trimmed(attribute.value()), scope);
      }
    }
    for (const AttributeRule& attribute : rule.attributes) {
      if (!attribute.required || given.count(attribute.name) != 0) continue;
      mistake(element, tag(rule.name) + " needs the attribute '" + attribute.name + "'",
              "add " + attribute.name + "=\"…\"");
    }
  }

  void unknown_attribute(const Element& element, const ElementRule& rule, std::string_view name) {
    if (!stores()) return count();
    std::vector<std::string_view> names;
    for (const AttributeRule& attribute : rule.attributes) names.push_back(attribute.name);
    mistake(element, tag(rule.name) + " has no attribute '" + std::string(name) + "'",
            names.empty() ? "remove it" : suggestion(name, names) + "it can have " + one_of(names));
  }

  void choice(const Element& element, const AttributeRule& rule, const std::string& value) {
    if (std::find(rule.choices.begin(), rule.choices.end(), value) != rule.choices.end()) return;
    if (!stores()) return count();
    const std::vector<std::string_view> choices(rule.choices.begin(), rule.choices.end());
    mistake(element, "the attribute '" + rule.name + "' cannot be '" + value + "'",
            suggestion(value, choices) + "it can be " + one_of(rule.choices));
  }

  void id(const Element& element, const AttributeRule& rule, const std::string& value, pugi::xml_node scope) {
    // REDHAWK's struct in a structsequence needs no id: nothing refers to it.
    const bool is_unnamed =
        element.name() == "struct" && std::string_view(element.node().parent().name()) == "structsequence";
    if (value.empty() && is_unnamed) {
      findings_.warn(element.where(), "the attribute '" + rule.name + "' is empty",
                     "other tools may reject it: give it a value");
      return;
    }
    if (value.empty()) {
      mistake(element, "the attribute '" + rule.name + "' is empty", "give it a value");
      return;
    }
    // Each of these two warnings is given once for a file.
    if (!is_xml_name(value) && !std::exchange(warned_of_names_, true)) {
      findings_.warn(element.where(), "'" + value + "' is not a name in XML, as an id should be",
                     "other tools may reject it: begin with a letter, and leave out blanks and other signs");
    }
    const std::size_t line = element.where().line;
    const auto [first, is_new] = first_lines_.emplace(value, line);
    if (!ids_.emplace(scope.internal_object(), value).second) {
      mistake(element, "a second id '" + value + "'",
              "the first is in line " + std::to_string(first->second) + ": rename one");
    } else if (!is_new && !std::exchange(warned_of_members_, true)) {
      findings_.warn(element.where(),
                     "the id '" + value + "' is also that in line " + std::to_string(first->second),
                     "one of the two is a member of a struct; other tools may reject it");
    }
  }

  void children(const Element& parent, const ElementRule& rule, pugi::xml_node scope) {
    if (rule.content != ContentKind::text) text(parent, rule);
    const ContentModel& model = rule.children;
    ContentModel::State state = ContentModel::kStart;
    std::set<std::string_view> seen;
    std::string_view before;
    for (const Element& child : parent.children()) {
      std::string_view name = child.name();
      const ElementRule* child_rule = grammar_.find(name);
      if (!model.contains(name)) {
        const std::string_view meant = unknown_child(child, rule);
        // A misspelt element counts as the one that was meant, so that it causes one mistake.
        if (meant.empty() || child_rule != nullptr || model.after(state, meant) == ContentModel::kNone) {
          if (child_rule != nullptr) element(child, *child_rule, scope);
          continue;
        }
        name = meant;
        child_rule = grammar_.find(name);
      }
      bool is_in_place = true;
      if (const auto next = model.after(state, name); next != ContentModel::kNone) {
        state = next;
      } else if (const auto missing = model.missing_before(state, name)) {
        for (const std::string& each : *missing)
          mistake(child, tag(rule.name) + " needs a " + tag(each) + " before this " + tag(name),
                  "add " + tag(each));
        for (const std::string& each : *missing) state = model.after(state, each);
        state = model.after(state, name);
      } else if (seen.count(name) != 0) {
        mistake(child, "a second " + tag(name), tag(rule.name) + " has one: remove the other");
      } else {
        is_in_place = false;
        mistake(child, tag(name) + " cannot be here, after " + tag(before),
                "move it before that, or leave out one of the two");
      }
      seen.insert(name);
      // Elements that follow a misplaced one are compared with the last one in its place.
      if (is_in_place) before = name;
      element(child, *child_rule, scope);
    }
    if (const auto needed = model.needed(state); !needed.empty())
      mistake(parent, tag(rule.name) + " needs a " + tags(needed), "add " + tags(needed));
  }

  /// Returns the name that was probably meant.
  std::string_view unknown_child(const Element& child, const ElementRule& rule) {
    const auto& names = rule.children.names();
    const std::string_view meant = similar_name(child.name(), names);
    if (!stores()) {
      count();
    } else {
      mistake(
          child, tag(child.name()) + " is not allowed in " + tag(rule.name),
          names.empty() ? "remove it" : suggestion(child.name(), names) + "there can be " + one_of(names));
    }
    return meant;
  }

  void text(const Element& parent, const ElementRule& rule) {
    const std::string text = parent.text();
    if (text.empty()) return;
    const bool is_long = text.size() > 32;
    // Not within a character of several bytes.
    std::size_t end = 32;
    while (is_long && end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
    mistake(
        parent,
        "text in " + tag(rule.name) + ", which has none: '" + text.substr(0, end) + (is_long ? "…'" : "'"),
        "remove it");
  }

  bool stores() { return findings_.stores(file_.path()); }
  /// Counts a mistake that is not stored.
  void count() { findings_.mistake({file_.path()}, ""); }
  void mistake(const Element& element, const std::string& found, const std::string& advice) {
    findings_.mistake(element.where(), found, advice);
  }

  const XmlFile& file_;
  Findings& findings_;
  const Grammar& grammar_;
  std::set<std::pair<const void*, std::string>> ids_;  // with their scopes
  bool warned_of_names_ = false, warned_of_members_ = false;
  std::map<std::string, std::size_t> first_lines_;  // by id
};

}  // namespace

void validate(const XmlFile& file, Findings& findings) {
  findings.add_file(file.path());
  Validator(file, findings).run();
}

}  // namespace orbweaver::sca
