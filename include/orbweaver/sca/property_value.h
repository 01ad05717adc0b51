#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace orbweaver::sca {

/// Form of a property: the element that declares it in a PRF.
enum class PropertyForm : std::uint8_t {
  simple,             ///< `simple`
  sequence,           ///< `simplesequence`
  structure,          ///< `struct`
  structure_sequence  ///< `structsequence`
};

/// Who may read and set a property while the component exists (the attribute `mode` of a PRF).
enum class PropertyMode : std::uint8_t {
  readwrite,
  readonly,  ///< configure() rejects it.
  writeonly  ///< query() does not return it.
};

/// Value of a property of any form. Simple values are texts, as in a PRF. Plain data.
struct PropertyValue {
  /// Ids of members of a struct and their values, which are simple or sequences.
  using Members = std::vector<std::pair<std::string, PropertyValue>>;

  PropertyForm form = PropertyForm::simple;  ///< Which of the following it has.
  std::string text;                          ///< Of a simple property.
  std::vector<std::string> elements = {};    ///< Of a sequence.
  std::vector<Members> structs = {};         ///< Of a struct: one. Of a sequence of structs: its elements.

  /// An empty text.
  PropertyValue() = default;
  /// A simple value.
  PropertyValue(std::string simple) : text(std::move(simple)) {}
  /// A simple value.
  PropertyValue(const char* simple) : text(simple) {}
  /// A sequence.
  static PropertyValue sequence(std::vector<std::string> elements);
  /// A struct.
  static PropertyValue structure(Members members);
  /// A sequence of structs.
  static PropertyValue structure_sequence(std::vector<Members> structs);
  /// Compares all members.
  friend bool operator==(const PropertyValue&, const PropertyValue&) = default;
};

inline PropertyValue PropertyValue::sequence(std::vector<std::string> elements) {
  PropertyValue value;
  value.form = PropertyForm::sequence;
  value.elements = std::move(elements);
  return value;
}
inline PropertyValue PropertyValue::structure(Members members) {
  PropertyValue value;
  value.form = PropertyForm::structure;
  value.structs.push_back(std::move(members));
  return value;
}
inline PropertyValue PropertyValue::structure_sequence(std::vector<Members> structs) {
  PropertyValue value;
  value.form = PropertyForm::structure_sequence;
  value.structs = std::move(structs);
  return value;
}

/// A simple type: of a simple property, or of the elements of a sequence.
struct SimpleType {
  std::string name;         ///< PRF type name ("ulong"), or longlong, ulonglong, int8, utctime.
  bool is_complex = false;  ///< Values are complex numbers: "1.5+j2".
};

/// Type of a member of a struct.
struct MemberType {
  std::string id;            ///< In the PRF.
  SimpleType type;           ///< Of the member, or of its elements.
  bool is_sequence = false;  ///< It is a sequence of simple values.
};

/// Type of a property of a component's class.
struct DeclaredType {
  PropertyForm form = PropertyForm::simple;  ///< Its element in a PRF.
  SimpleType type = {};                      ///< Of a simple property, or of the elements of a sequence.
  std::vector<MemberType> members = {};      ///< Of a struct, or of the elements of a sequence of structs.
};

/// Properties that cannot be set: thrown by Component::configure(), which then has set none.
class InvalidProperties : public std::invalid_argument {
 public:
  /// Ids, and why their values cannot be set.
  using Reasons = std::vector<std::pair<std::string, std::string>>;

  /// `reasons` has at least one element.
  explicit InvalidProperties(Reasons reasons)
      : std::invalid_argument(text(reasons)), reasons_(std::move(reasons)) {}
  /// In the order of the values given.
  const Reasons& reasons() const { return reasons_; }

 private:
  static std::string text(const Reasons& reasons) {
    std::string all;
    for (const auto& [id, reason] : reasons) all += (all.empty() ? "" : "; ") + reason;
    return all;
  }
  Reasons reasons_;
};

}  // namespace orbweaver::sca
