#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orbweaver::sca {

/// Which sequences of child elements an element may have, as a deterministic automaton. States are numbers;
/// 0 is the start. (XML 1.0 requires that content models are deterministic.)
class ContentModel {
 public:
  using State = std::size_t;
  static constexpr State kStart = 0;
  static constexpr State kNone = ~State{0};
  struct Step {
    std::string name;
    State to = kNone;
  };

  /// The model of an element without children.
  ContentModel() : ContentModel(std::vector<std::vector<Step>>(1), {true}) {}
  /// `next[s]` are the names that may follow in state s, with their states.
  ContentModel(std::vector<std::vector<Step>> next, std::vector<bool> accepting);
  // Not copyable: names() points into it.
  ContentModel(ContentModel&&) = default;
  ContentModel& operator=(ContentModel&&) = default;

  /// The state after a child `name`; kNone if it is not allowed in this state.
  State after(State state, std::string_view name) const;
  bool accepts(State state) const { return accepting_[state]; }
  /// All names that occur in the model, in its order.
  const std::vector<std::string_view>& names() const { return names_; }
  bool contains(std::string_view name) const;
  /// The children that are missing before a child `name` would be allowed: the shortest list; nullopt if none
  /// helps. Empty: it is allowed now.
  std::optional<std::vector<std::string>> missing_before(State state, std::string_view name) const;
  /// The children that may follow and of which one is needed, because the model does not accept yet: those
  /// with which it accepts soonest. Empty if it accepts.
  std::vector<std::string_view> needed(State state) const;

 private:
  std::vector<std::vector<Step>> next_;
  std::vector<bool> accepting_;
  std::vector<std::size_t> to_end_;  // by state: the least number of children until it accepts
  std::vector<std::string_view> names_;
};

/// What an element may contain.
enum class ContentKind { empty, text, children };

enum class AttributeKind { text, id, enumeration };

/// An attribute of an element (ATTLIST).
struct AttributeRule {
  std::string name;
  AttributeKind kind = AttributeKind::text;
  std::vector<std::string> choices;  ///< Of an enumeration.
  bool required = false;
  std::optional<std::string> default_value;  ///< The value of an absent attribute.
};

/// An element (ELEMENT and ATTLIST).
struct ElementRule {
  std::string name;
  ContentKind content = ContentKind::empty;
  ContentModel children;
  std::vector<AttributeRule> attributes;

  const AttributeRule* find(std::string_view attribute) const;
};

/// The elements of a kind of profile. Immutable.
struct Grammar {
  std::map<std::string, ElementRule, std::less<>> elements;

  /// Null if there is no such element.
  const ElementRule* find(std::string_view element) const;
};

}  // namespace orbweaver::sca
