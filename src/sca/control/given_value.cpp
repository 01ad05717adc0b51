#include "sca/control/given_value.h"

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <vector>

#include "sca/profile/property.h"
#include "sca/profile/property_json.h"
#include "sca/runtime/property_any.h"

namespace orbweaver::sca {
namespace {

/// The type that all texts look like.
SimpleType type_of_texts(const std::vector<std::string>& texts) {
  for (const PropertyType type : {PropertyType::boolean, PropertyType::int32, PropertyType::int64,
                                  PropertyType::uint64, PropertyType::real64}) {
    SimpleProperty rules;
    rules.type = type;
    const auto fits = [&](const std::string& text) {
      if (type == PropertyType::boolean) return text == "true" || text == "false";
      return !rules.problem(text) && rules.canonical(text) == text;
    };
    if (!texts.empty() && std::all_of(texts.begin(), texts.end(), fits))
      return {std::string(type_name(type)), false};
  }
  return {"string", false};
}

DeclaredType guessed_type(const PropertyValue& value) {
  DeclaredType type;
  type.form = value.form;
  type.type = type_of_texts(value.form == PropertyForm::sequence ? value.elements
                                                                 : std::vector<std::string>{value.text});
  for (const PropertyValue::Members& members : value.structs) {
    for (const auto& [id, member] : members) {
      const auto same = [&, &id = id](const MemberType& other) { return other.id == id; };
      if (std::any_of(type.members.begin(), type.members.end(), same)) continue;
      const DeclaredType guessed = guessed_type(member);
      type.members.push_back({id, guessed.type, member.form == PropertyForm::sequence});
    }
  }
  return type;
}

[[noreturn]] void fail(const std::string& id, const std::string& text, const std::string& why) {
  throw Error{ErrorKind::invalid, "property '" + id + "': '" + text + "' is not a value; it " + why};
}

/// The text in the form that components read. Throws Error.
std::string checked_text(const std::string& id, const SimpleType& type, const std::string& text) {
  const auto known = type_of_name(type.name);
  if (!known) throw Error{ErrorKind::invalid, "property '" + id + "': there is no type '" + type.name + "'"};
  SimpleProperty rules;
  rules.type = *known;
  rules.is_complex = type.is_complex;
  if (const auto problem = rules.problem(text)) fail(id, text, *problem);
  return rules.canonical(text);
}

}  // namespace

CORBA::Any given_value(const std::string& id, const std::string& text,
                       const std::optional<DeclaredType>& type) {
  if (type && type->form == PropertyForm::simple)
    return any_of(type->type, checked_text(id, type->type, text));
  auto read = value_of_text(text);
  if (!read) throw Error{ErrorKind::invalid, "property '" + id + "': " + read.error().message};
  PropertyValue value = std::move(*read);
  if (!type && value.form == PropertyForm::simple) return any_of("string", text);
  DeclaredType guessed = guessed_type(value);
  if (type) {
    if (value.form == PropertyForm::sequence && value.elements.empty()) value.form = type->form;
    if (value.form != type->form)
      fail(id, text,
           type->form == PropertyForm::sequence ? "must be a sequence, such as [1, 2]"
           : type->form == PropertyForm::structure
               ? "must be a struct, such as {\"member\": 1}"
               : "must be a sequence of structs, such as [{\"member\": 1}]");
    guessed.form = type->form;
    guessed.type = type->type;
    for (MemberType& member : guessed.members) {
      const auto known = std::find_if(type->members.begin(), type->members.end(),
                                      [&](const MemberType& each) { return each.id == member.id; });
      if (known != type->members.end()) member = *known;
    }
  }
  try {
    return any_of(guessed, value);
  } catch (const std::invalid_argument& e) {
    fail(id, text, std::string("must have the type of its present value: ") + e.what());
  }
}

}  // namespace orbweaver::sca
