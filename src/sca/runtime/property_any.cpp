#include "sca/runtime/property_any.h"

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string_view>
#include <type_traits>
#include <unordered_set>

#include <orbweaver/sca/detail/simple_value.h>
#include "CFC.h"
#include "PropertyTypesC.h"

namespace orbweaver::sca {
namespace {

using Kind = CORBA::TCKind;

[[noreturn]] void raise_invalid(const std::string& type, const std::string& text) {
  throw std::invalid_argument("'" + text + "' is not a value of type " + type);
}

template <class T>
CORBA::Any any_holding(const T& value) {
  CORBA::Any any;
  any <<= value;
  return any;
}

/// A simple type: the C++ type of components, and that of the mapping of IDL.
template <class Value, class Mapped = Value>
struct Codec {
  static Mapped mapped(const std::string& type, const std::string& text) {
    try {
      return static_cast<Mapped>(detail::parse_property<Value>("", text));
    } catch (const std::invalid_argument&) {
      raise_invalid(type, text);
    }
  }
  static std::string text(const Mapped& value) { return detail::property_text<Mapped>(value); }
  using Type = Mapped;
};

/// As Codec, of a complex number.
template <class Part, class Struct>
struct ComplexCodec {
  static Struct mapped(const std::string& type, const std::string& text) {
    const std::size_t j = text.find('j');
    std::string real = text.substr(0, j), imaginary;
    if (j != std::string::npos) {
      const bool is_negative = real.ends_with('-');
      if (is_negative || real.ends_with('+')) real.pop_back();
      imaginary = (is_negative ? "-" : "") + text.substr(j + 1);
    }
    const auto part = [&](const std::string& given) {
      return given.empty() ? Part{} : Codec<Part>::mapped(type, given);
    };
    return {part(real), part(imaginary)};
  }
  static std::string text(const Struct& value) {
    std::string imaginary = detail::property_text<Part>(value.imag());
    const bool is_negative = imaginary.starts_with('-');
    if (is_negative) imaginary.erase(0, 1);
    return detail::property_text<Part>(value.real()) + (is_negative ? "-j" : "+j") + imaginary;
  }
  using Type = Struct;
};

struct TimeCodec {
  static CF::UTCTime mapped(const std::string& type, const std::string& text) {
    const UtcTime time = Codec<UtcTime>::mapped(type, text);
    return {1, static_cast<double>(time.seconds), time.fraction};
  }
  static std::string text(const CF::UTCTime& value) {
    // A peer's number may be none, or not fit.
    const double seconds = value.twsec();
    const bool fits = seconds > -1e17 && seconds < 1e17;
    return detail::time_text({fits ? static_cast<std::int64_t>(seconds) : 0, value.tfsec()});
  }
  using Type = CF::UTCTime;
};

/// Calls `use(codec)` of the type; false if there is none of that name.
template <class Use>
bool with_codec(const SimpleType& type, Use use) {
  const std::string_view name = type.name;
  const auto is = [&](std::string_view word) { return name == word; };
  if (type.is_complex) {
    if (is("float")) return use(ComplexCodec<float, CF::complexFloat>()), true;
    if (is("double")) return use(ComplexCodec<double, CF::complexDouble>()), true;
    if (is("short")) return use(ComplexCodec<std::int16_t, CF::complexShort>()), true;
    if (is("ushort")) return use(ComplexCodec<std::uint16_t, CF::complexUShort>()), true;
    if (is("long")) return use(ComplexCodec<std::int32_t, CF::complexLong>()), true;
    if (is("ulong")) return use(ComplexCodec<std::uint32_t, CF::complexULong>()), true;
    if (is("octet")) return use(ComplexCodec<std::uint8_t, CF::complexOctet>()), true;
    if (is("char")) return use(ComplexCodec<char, CF::complexChar>()), true;
    if (is("boolean")) return use(ComplexCodec<bool, CF::complexBoolean>()), true;
    if (is("longlong")) return use(ComplexCodec<std::int64_t, CF::complexLongLong>()), true;
    if (is("ulonglong")) return use(ComplexCodec<std::uint64_t, CF::complexULongLong>()), true;
    return false;
  }
  if (is("string") || is("objref")) return use(Codec<std::string>()), true;
  if (is("boolean")) return use(Codec<bool>()), true;
  if (is("char")) return use(Codec<char>()), true;
  if (is("float")) return use(Codec<float>()), true;
  if (is("double")) return use(Codec<double>()), true;
  if (is("short")) return use(Codec<std::int16_t>()), true;
  if (is("ushort")) return use(Codec<std::uint16_t>()), true;
  if (is("long")) return use(Codec<std::int32_t>()), true;
  if (is("ulong")) return use(Codec<std::uint32_t>()), true;
  if (is("longlong")) return use(Codec<std::int64_t>()), true;
  if (is("ulonglong")) return use(Codec<std::uint64_t>()), true;
  if (is("octet")) return use(Codec<std::uint8_t>()), true;
  if (is("int8")) return use(Codec<std::int8_t, std::int16_t>()), true;  // SCA 2.2.2 has no IDL type for it
  if (is("utctime")) return use(TimeCodec()), true;
  return false;
}

CORBA::typecode_reference without_alias(CORBA::typecode_reference type) {
  while (type->kind() == Kind::tk_alias) type = type->content_type();
  return type;
}

/// The simple type of values of a TypeCode, without aliases; nullopt if there is none.
std::optional<SimpleType> simple_type_of(const CORBA::typecode_reference& type) {
  switch (type->kind()) {
    case Kind::tk_boolean: return SimpleType{"boolean"};
    case Kind::tk_char: return SimpleType{"char"};
    case Kind::tk_octet: return SimpleType{"octet"};
    case Kind::tk_short: return SimpleType{"short"};
    case Kind::tk_ushort: return SimpleType{"ushort"};
    case Kind::tk_long: return SimpleType{"long"};
    case Kind::tk_ulong: return SimpleType{"ulong"};
    case Kind::tk_longlong: return SimpleType{"longlong"};
    case Kind::tk_ulonglong: return SimpleType{"ulonglong"};
    case Kind::tk_float: return SimpleType{"float"};
    case Kind::tk_double: return SimpleType{"double"};
    case Kind::tk_string: return SimpleType{"string"};
    case Kind::tk_struct: break;
    default: return std::nullopt;
  }
  const std::string id = type->id();
  if (id == "IDL:CF/UTCTime:1.0") return SimpleType{"utctime"};
  constexpr std::string_view kPrefix = "IDL:CF/complex", kSuffix = ":1.0";
  if (!id.starts_with(kPrefix) || !id.ends_with(kSuffix)) return std::nullopt;
  std::string word = id.substr(kPrefix.size(), id.size() - kPrefix.size() - kSuffix.size());
  std::transform(word.begin(), word.end(), word.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  SimpleType found{word, true};
  return with_codec(found, [](auto) {}) ? std::optional(found) : std::nullopt;
}

std::optional<std::string> text_of(const SimpleType& type, const CORBA::Any& value) {
  std::optional<std::string> text;
  with_codec(type, [&](auto codec) {
    typename decltype(codec)::Type held{};
    if (value >>= held) text = codec.text(held);
  });
  return text;
}

std::optional<std::vector<std::string>> elements_of(const SimpleType& type, const CORBA::Any& value) {
  std::optional<std::vector<std::string>> elements;
  with_codec(type, [&](auto codec) {
    std::vector<typename decltype(codec)::Type> held;
    if (!(value >>= held)) return;
    elements.emplace();
    for (const auto& each : held) elements->push_back(codec.text(each));
  });
  return elements;
}

/// A simple value or a sequence of simple values.
std::optional<PropertyValue> flat_value_of(const CORBA::Any& value) {
  const auto type = without_alias(value.type());
  if (const auto simple = simple_type_of(type)) {
    auto text = text_of(*simple, value);
    return text ? std::optional<PropertyValue>(std::move(*text)) : std::nullopt;
  }
  if (type->kind() != Kind::tk_sequence) return std::nullopt;
  const auto element = simple_type_of(without_alias(type->content_type()));
  if (!element) return std::nullopt;
  auto elements = elements_of(*element, value);
  return elements ? std::optional(PropertyValue::sequence(std::move(*elements))) : std::nullopt;
}

std::optional<PropertyValue::Members> members_of(const CORBA::Any& value) {
  CF::Properties given;
  if (!(value >>= given)) return std::nullopt;
  PropertyValue::Members members;
  for (const CF::DataType& each : given) {
    auto member = flat_value_of(each.value());
    if (!member) return std::nullopt;
    members.emplace_back(each.id(), std::move(*member));
  }
  return members;
}

CF::Properties properties_of(const std::vector<MemberType>& types, const PropertyValue::Members& members) {
  CF::Properties properties;
  for (const auto& [id, value] : members) {
    const auto type =
        std::find_if(types.begin(), types.end(), [&, &id = id](auto& each) { return each.id == id; });
    if (type == types.end()) throw std::invalid_argument("there is no member '" + id + "'");
    const bool is_sequence = value.form == PropertyForm::sequence;
    if (is_sequence != type->is_sequence || (!is_sequence && value.form != PropertyForm::simple))
      throw std::invalid_argument("member '" + id + "' must be a " +
                                  (type->is_sequence ? "sequence" : "simple value"));
    properties.emplace_back(
        id, is_sequence ? sequence_any(type->type, value.elements) : any_of(type->type, value.text));
  }
  return properties;
}

/// Adds the types of members whose ids are not `known` yet.
void add_members(const CF::Properties& properties, std::vector<MemberType>& members,
                 std::unordered_set<std::string>& known) {
  for (const CF::DataType& each : properties) {
    const auto type = declared_type_of(each.value());
    if (!type || type->form == PropertyForm::structure || type->form == PropertyForm::structure_sequence)
      continue;
    if (known.insert(each.id()).second)
      members.push_back({each.id(), type->type, type->form == PropertyForm::sequence});
  }
}

}  // namespace

CORBA::Any any_of(const std::string& type, const std::string& text) {
  return any_of(SimpleType{type, false}, text);
}

CORBA::Any any_of(const SimpleType& type, const std::string& text) {
  CORBA::Any any;
  if (with_codec(type, [&](auto codec) { any <<= codec.mapped(type.name, text); })) return any;
  return any_holding(text);
}

CORBA::Any sequence_any(const SimpleType& type, const std::vector<std::string>& elements) {
  CORBA::Any any;
  const bool is_known = with_codec(type, [&](auto codec) {
    std::vector<typename decltype(codec)::Type> values;
    values.reserve(elements.size());
    for (const std::string& text : elements) values.push_back(codec.mapped(type.name, text));
    any <<= values;
  });
  return is_known ? any : any_holding(elements);
}

CORBA::Any any_of(const DeclaredType& type, const PropertyValue& value) {
  if (type.form != value.form) throw std::invalid_argument("the value has another form than the property");
  switch (type.form) {
    case PropertyForm::simple: return any_of(type.type, value.text);
    case PropertyForm::sequence: return sequence_any(type.type, value.elements);
    case PropertyForm::structure: return any_holding(properties_of(type.members, value.structs.at(0)));
    case PropertyForm::structure_sequence: break;
  }
  std::vector<CORBA::Any> structs;
  for (const PropertyValue::Members& each : value.structs)
    structs.push_back(any_holding(properties_of(type.members, each)));
  return any_holding(structs);
}

std::optional<std::string> text_of(const CORBA::Any& value) {
  const auto type = simple_type_of(without_alias(value.type()));
  return type ? text_of(*type, value) : std::nullopt;
}

std::optional<PropertyValue> value_of(const CORBA::Any& value) {
  if (auto flat = flat_value_of(value)) return flat;
  if (auto members = members_of(value)) return PropertyValue::structure(std::move(*members));
  std::vector<CORBA::Any> given;
  if (!(value >>= given)) return std::nullopt;
  std::vector<PropertyValue::Members> structs;
  for (const CORBA::Any& each : given) {
    auto members = members_of(each);
    if (!members) return std::nullopt;
    structs.push_back(std::move(*members));
  }
  return PropertyValue::structure_sequence(std::move(structs));
}

std::string type_name_of(const CORBA::Any& value) {
  const auto type = simple_type_of(without_alias(value.type()));
  return type && !type->is_complex ? type->name : "";
}

std::optional<DeclaredType> declared_type_of(const CORBA::Any& value) {
  const auto type = without_alias(value.type());
  if (auto simple = simple_type_of(type)) return DeclaredType{PropertyForm::simple, std::move(*simple), {}};
  if (type->kind() != Kind::tk_sequence) return std::nullopt;
  if (auto element = simple_type_of(without_alias(type->content_type())))
    return DeclaredType{PropertyForm::sequence, std::move(*element), {}};
  DeclaredType declared;
  std::unordered_set<std::string> known;
  if (CF::Properties members; value >>= members) {
    declared.form = PropertyForm::structure;
    add_members(members, declared.members, known);
    return declared;
  }
  std::vector<CORBA::Any> structs;
  if (!(value >>= structs)) return std::nullopt;
  declared.form = PropertyForm::structure_sequence;
  for (const CORBA::Any& each : structs)
    if (CF::Properties members; each >>= members) add_members(members, declared.members, known);
  return declared;
}

}  // namespace orbweaver::sca
