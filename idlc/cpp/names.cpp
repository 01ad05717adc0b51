#include "idlc/cpp/names.h"

#include <algorithm>
#include <cstdio>
#include <iterator>

#include "idlc/ir/values.h"

namespace orbweaver::idl::cpp {

using namespace ir;

namespace {

constexpr std::string_view kKeywords[] = {
    "alignas",     "alignof",  "and",        "and_eq",    "asm",       "auto",         "bitand",
    "bitor",       "bool",     "break",      "case",      "catch",     "char",         "char16_t",
    "char32_t",    "char8_t",  "class",      "co_await",  "co_return", "co_yield",     "compl",
    "concept",     "const",    "const_cast", "consteval", "constexpr", "constinit",    "continue",
    "decltype",    "default",  "delete",     "do",        "double",    "dynamic_cast", "else",
    "enum",        "explicit", "export",     "extern",    "false",     "float",        "for",
    "friend",      "goto",     "if",         "inline",    "int",       "long",         "mutable",
    "namespace",   "new",      "noexcept",   "not",       "not_eq",    "nullptr",      "operator",
    "or",          "or_eq",    "private",    "protected", "public",    "register",     "reinterpret_cast",
    "requires",    "return",   "short",      "signed",    "sizeof",    "static",       "static_assert",
    "static_cast", "struct",   "switch",     "template",  "this",      "thread_local", "throw",
    "true",        "try",      "typedef",    "typeid",    "typename",  "union",        "unsigned",
    "using",       "virtual",  "void",       "volatile",  "wchar_t",   "while",        "xor",
    "xor_eq"};

constexpr std::string_view kMacros[] = {
#include "idlc/cpp/reserved_macros.def"
};

constexpr std::string_view kGlobals[] = {
#include "idlc/cpp/reserved_global_names.def"
};

// Whether a C++ identifier is reserved: keywords, macros, and `std`, which generated code uses within the
// namespaces of the user's modules.
bool is_taken(std::string_view name) {
  return std::binary_search(std::begin(kKeywords), std::end(kKeywords), name) ||
         std::binary_search(std::begin(kMacros), std::end(kMacros), name) || name.starts_with("SYS_") ||
         name.starts_with("ORBWEAVER_") || name == "std";
}

// A name that the run time declares in one of its namespaces (::orbweaver, ::IDL, ::CORBA, …).
struct RunTimeName {
  std::string_view space, name;
};
constexpr RunTimeName kRunTime[] = {
#define NAMES(space, name) {space, name},
#include "idlc/cpp/reserved_run_time_names.def"
#undef NAMES
};

std::string escape(char32_t c) {
  char buffer[16];
  if (c == '"' || c == '\\' || c == '\'') return std::string("\\") + static_cast<char>(c);
  if (c >= 0x20 && c < 0x7F) return std::string(1, static_cast<char>(c));
  if (c == '\n') return "\\n";
  if (c == '\t') return "\\t";
  // An octal escape has at most three digits, so the next character cannot lengthen it.
  std::snprintf(buffer, sizeof buffer, c < 0x100 ? "\\%03o" : "\\U%08X", static_cast<unsigned>(c));
  return buffer;
}

std::string quoted_wide(std::u32string_view text) {
  std::string out = "L\"";
  for (char32_t c : text) out += escape(c);
  return out + '"';
}

std::string integer_literal(Integer value, TypeKind kind) {
  std::string text = to_string(value);
  switch (kind) {
    case TypeKind::ulong: return text + "U";
    case TypeKind::ulonglong: return text + "ULL";
    case TypeKind::longlong:
      if (value == -(Integer{1} << 63)) return "-9223372036854775807LL - 1";
      return text + "LL";
    case TypeKind::long_:
      if (value == -(Integer{1} << 31)) return "-2147483647 - 1";
      return text;
    default: return text;
  }
}

// The C++ types of the IDL types without parameters, by TypeKind.
constexpr std::string_view kBasicNames[] = {"void",
                                            "bool",
                                            "char",
                                            "wchar_t",
                                            "std::uint8_t",
                                            "std::int8_t",
                                            "std::uint8_t",
                                            "std::int16_t",
                                            "std::uint16_t",
                                            "std::int32_t",
                                            "std::uint32_t",
                                            "std::int64_t",
                                            "std::uint64_t",
                                            "float",
                                            "double",
                                            "long double",
                                            "::CORBA::Any",
                                            "::IDL::traits<::CORBA::Object>::ref_type",
                                            "::IDL::traits<::CORBA::ValueBase>::ref_type"};
static_assert(std::size(kBasicNames) == static_cast<std::size_t>(TypeKind::value_base) + 1);

std::string fixed_name(std::size_t digits, std::size_t scale) {
  return "::IDL::Fixed<" + std::to_string(digits) + ", " + std::to_string(scale) + ">";
}

std::string basic_name(TypeKind kind) {
  const auto index = static_cast<std::size_t>(kind);
  return std::string(index < std::size(kBasicNames) ? kBasicNames[index] : "void");
}

}  // namespace

std::string identifier(std::string_view name) { return (is_taken(name) ? "_cxx_" : "") + std::string(name); }

bool run_time_declares(std::string_view space, std::string_view name) {
  return std::any_of(std::begin(kRunTime), std::end(kRunTime),
                     [&](const RunTimeName& each) { return each.space == space && each.name == name; });
}

namespace {

// Whether this is a namespace of the run time. IDL modules may share all of them except POA and OBV, which
// contain the skeletons and the state of value types.
bool is_run_time_namespace(std::string_view name) {
  return name == "POA" || name == "OBV" || name == "CORBA" || name == "IDL" || name == "Messaging" ||
         name == "PortableServer" || name == "TimeBase" || name == "orbweaver";
}

// Whether the name of a definition at global scope has another meaning there in C++.
bool taken_globally(const Declaration& declaration) {
  const std::string& name = declaration.name;
  if (is_run_time_namespace(name))
    return declaration.kind != DeclKind::module || name == "POA" || name == "OBV";
  if (!std::binary_search(std::begin(kGlobals), std::end(kGlobals), name)) return false;
  // `typedef long int32_t` and the like agree with <cstdint>.
  return declaration.kind != DeclKind::typedef_ ||
         type_name(*as<Typedef>(declaration).type) != "std::" + name;
}

// Whether the declaration would collide with the function `swap` that is generated in the namespace of each
// struct, union and enum.
bool is_named_as_swap(const Declaration& declaration) {
  return declaration.name == "swap" && declaration.kind != DeclKind::operation &&
         declaration.kind != DeclKind::attribute && declaration.kind != DeclKind::enumerator;
}

}  // namespace

std::string identifier(const Declaration& declaration) {
  const Declaration* parent = declaration.parent;
  if ((!parent && taken_globally(declaration)) || is_named_as_swap(declaration))
    return "_cxx_" + declaration.name;
  // Modules orbweaver and IDL share their namespaces with the run time. Names in module CORBA denote the run
  // time's own declarations.
  const bool shared = parent && !parent->parent && parent->kind == DeclKind::module &&
                      (parent->name == "orbweaver" || parent->name == "IDL");
  if (shared && run_time_declares(parent->name, declaration.name)) return "_cxx_" + declaration.name;
  return identifier(declaration.name);
}

bool is_run_time_native(const Declaration& declaration) {
  if (declaration.kind != DeclKind::native) return false;
  const std::string name = scoped_name(&declaration);
  return name == "::CORBA::ORB" || name == "::CORBA::Context" || name == "::CORBA::AbstractBase" ||
         name == "::PortableServer::Servant";
}

bool is_run_time_data(const Declaration& declaration) {
  static constexpr std::string_view kTypes[] = {
      "::CORBA::AttributeMode",     "::CORBA::OperationMode",      "::CORBA::ParameterMode",
      "::CORBA::ServiceDetail",     "::CORBA::ServiceInformation", "::CORBA::SetOverrideType",
      "::CORBA::completion_status", "::CORBA::exception_type",     "::IOP::IOR",
      "::IOP::ServiceContext",      "::IOP::TaggedComponent",      "::IOP::TaggedProfile"};
  return declaration.builtin &&
         std::find(std::begin(kTypes), std::end(kTypes), scoped_name(&declaration)) != std::end(kTypes);
}

bool is_run_time_value(const Declaration& declaration) {
  if (!declaration.builtin && declaration.kind != DeclKind::native) return false;
  const std::string name = scoped_name(&declaration);
  return name == "::CORBA::StringValue" || name == "::CORBA::WStringValue" || name == "::CORBA::AbstractBase";
}

std::string qualified(const Declaration& declaration) {
  std::string out;
  for (const Declaration* at = &declaration; at; at = at->parent) out = "::" + identifier(*at) + out;
  return out;
}

std::string namespace_of(const Declaration& declaration) {
  std::string out;
  for (const Declaration* at = declaration.parent; at; at = at->parent) {
    if (at->kind == DeclKind::module) out = identifier(*at) + (out.empty() ? "" : "::") + out;
  }
  return out;
}

std::string name_in_namespace(const Declaration& declaration) {
  std::string out;
  for (const Declaration* at = &declaration; at && at->kind != DeclKind::module; at = at->parent) {
    out = identifier(*at) + (out.empty() ? "" : "::") + out;
  }
  return out;
}

std::string skeleton(const Interface& interface) { return "::POA" + qualified(interface); }
std::string operations_namespace(const Interface& interface) {
  return "orbweaver::generated" + qualified(interface);
}

std::string type_name(const Type& type) {
  switch (type.kind) {
    case TypeKind::string:
      return type.bound ? "::IDL::bounded_string<" + std::to_string(type.bound) + ">" : "std::string";
    case TypeKind::wstring:
      return type.bound ? "::IDL::bounded_wstring<" + std::to_string(type.bound) + ">" : "std::wstring";
    case TypeKind::sequence: {
      std::string element = type_name(*type.element);
      return type.bound ? "::IDL::bounded_vector<" + element + ", " + std::to_string(type.bound) + ">"
                        : "std::vector<" + element + ">";
    }
    case TypeKind::map: {
      std::string both = type_name(*type.key) + ", " + type_name(*type.element);
      return type.bound ? "::IDL::bounded_map<" + both + ", " + std::to_string(type.bound) + ">"
                        : "std::map<" + both + ">";
    }
    case TypeKind::array: {
      std::string out = type_name(*type.element);
      for (auto each = type.dimensions.rbegin(); each != type.dimensions.rend(); ++each) {
        out = "std::array<" + out + ", " + std::to_string(*each) + ">";
      }
      return out;
    }
    case TypeKind::fixed: return fixed_name(type.digits, type.scale);
    case TypeKind::declared: {
      if (type.declaration->builtin && type.declaration->kind == DeclKind::typedef_)
        return type_name(*as<Typedef>(*type.declaration).type);
      std::string name = qualified(*type.declaration);
      if (is_run_time_native(*type.declaration))
        return (name == "::PortableServer::Servant" ? "::CORBA::servant_reference<"
                                                    : "::CORBA::object_reference<") +
               name + ">";
      return is_reference(type) ? "::IDL::traits<" + name + ">::ref_type" : name;
    }
    default: return basic_name(type.kind);
  }
}

std::string view_name(const Type& type) {
  const Type& real = resolved(type);
  if (real.kind == TypeKind::string) return "std::string_view";
  return "::orbweaver::span<const " + type_name(*real.element) + ">";
}

bool is_reference(const Type& type) {
  const Type& real = resolved(type);
  if (real.kind == TypeKind::object || real.kind == TypeKind::value_base) return true;
  if (real.kind != TypeKind::declared) return false;
  const DeclKind kind = real.declaration->kind;
  return kind == DeclKind::interface || kind == DeclKind::value || kind == DeclKind::value_box ||
         is_run_time_native(*real.declaration);
}

bool is_scalar(const Type& type) {
  const Type& real = resolved(type);
  if (real.kind == TypeKind::declared)
    return real.declaration->kind == DeclKind::enum_ || real.declaration->kind == DeclKind::bitmask;
  return real.kind >= TypeKind::boolean && real.kind <= TypeKind::longdouble;
}

std::string in_type(const Type& type) {
  if (is_scalar(type) || is_reference(type)) return type_name(type);
  return "const " + type_name(type) + "&";
}

std::string parameter_type(const Parameter& parameter) {
  if (parameter.view) {
    // A typedef with @view names the view type.
    bool named = parameter.type->kind == TypeKind::declared && as<Typedef>(*parameter.type->declaration).view;
    return named ? type_name(*parameter.type) : view_name(*parameter.type);
  }
  if (parameter.direction == Direction::in) return in_type(*parameter.type);
  return type_name(*parameter.type) + "&";
}

std::string initialiser(const Type& type) {
  const Type& real = resolved(type);
  if (real.kind == TypeKind::boolean) return " = false";
  if (real.kind == TypeKind::char_) return " = '\\0'";
  if (real.kind == TypeKind::wchar) return " = L'\\0'";
  if (is_floating(real.kind))
    return real.kind == TypeKind::float_       ? " = 0.0F"
           : real.kind == TypeKind::longdouble ? " = 0.0L"
                                               : " = 0.0";
  if (is_integer(real.kind)) return " = 0";
  if (real.kind == TypeKind::array) return "{}";
  if (real.kind == TypeKind::declared && real.declaration->kind == DeclKind::enum_) {
    return " = " + literal(as<Enum>(*real.declaration).enumerators[0], real);
  }
  if (real.kind == TypeKind::declared && real.declaration->kind == DeclKind::bitmask) return " = {}";
  return "";
}

std::string type_name(const Constant& constant) {
  const Type& real = resolved(*constant.type);
  const auto* value = std::get_if<Fixed>(&constant.value);
  if (real.kind != TypeKind::fixed || real.digits != 0 || !value) return type_name(*constant.type);
  const std::string digits = to_string(value->digits < 0 ? -value->digits : value->digits);
  const auto scale = static_cast<std::size_t>(value->scale);
  return fixed_name(std::max(digits.size(), scale), scale);
}

std::string literal(const Value& value, const Type& type) {
  TypeKind kind = resolved(type).kind;
  if (auto* b = std::get_if<bool>(&value)) return *b ? "true" : "false";
  if (auto* c = std::get_if<char>(&value)) return "'" + escape(static_cast<unsigned char>(*c)) + "'";
  if (auto* i = std::get_if<Integer>(&value)) {
    if (kind == TypeKind::declared)
      return "static_cast<" + type_name(resolved(type)) + ">(" + to_string(*i) + "ULL)";  // a bitmask
    return integer_literal(*i, kind);
  }
  if (auto* d = std::get_if<long double>(&value)) {
    return to_string(*d, kind) + (kind == TypeKind::float_ ? "F" : kind == TypeKind::longdouble ? "L" : "");
  }
  if (auto* s = std::get_if<std::string>(&value)) return string_literal(*s);
  if (auto* w = std::get_if<WideText>(&value)) {
    return kind == TypeKind::wchar ? "L'" + escape(w->text[0]) + "'" : quoted_wide(w->text);
  }
  if (auto* f = std::get_if<Fixed>(&value)) return string_literal(to_string(*f));
  if (auto* e = std::get_if<const Enumerator*>(&value))
    return qualified(*(*e)->owner) + "::" + identifier((*e)->name);
  return "0";
}

std::string string_literal(std::string_view text) {
  std::string out = "\"";
  for (char c : text) out += escape(static_cast<unsigned char>(c));
  return out + '"';
}

}  // namespace orbweaver::idl::cpp
