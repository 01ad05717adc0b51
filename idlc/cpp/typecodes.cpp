// TypeCodes (CORBA 3.3 part 1, 8.11): a constant a type, which refers to those of its parts. They lie in
// orbweaver::generated, where other files' constants reach them before anything has run; `_tc_` names are
// references to them.
#include "idlc/cpp/typecodes.h"

#include "idlc/cpp/constructs.h"
#include "idlc/cpp/names.h"
#include "idlc/cpp/text.h"

namespace orbweaver::idl::cpp {

using namespace ir;

namespace {

const std::string kNoName = R"("")";

std::string constant_name(const Declaration& made) {
  return "::" + constants_namespace(made) + "::_tc_" + made.name;
}

std::string basic_typecode(TypeKind kind) {
  switch (kind) {
    case TypeKind::octet:
    case TypeKind::uint8:
      return "octet";
    case TypeKind::short_:
      return "short";
    case TypeKind::ushort:
      return "ushort";
    case TypeKind::long_:
      return "long";
    case TypeKind::ulong:
      return "ulong";
    case TypeKind::ulonglong:
      return "ulonglong";
    case TypeKind::longlong:
      return "longlong";
    case TypeKind::longdouble:
      return "longdouble";
    case TypeKind::object:
      return "Object";
    default:
      return std::string(
          spelling(kind));  // void, boolean, char, wchar, int8, float, double, any, string, wstring
  }
}

// Negative octets and large unsigned numbers as the bits that the run time keeps.
std::string label_of(const Value& value, const Type& discriminator) {
  Integer n = number_of(value);
  if (resolved(discriminator).kind == TypeKind::int8) n &= 0xff;
  n = static_cast<std::int64_t>(n);
  Type type;
  type.kind = n == static_cast<std::int32_t>(n) ? TypeKind::long_ : TypeKind::longlong;
  return literal(Value{n}, type);
}

std::string member(std::string_view name, const std::string& type, const std::string& label = "") {
  return "{" + quoted(name) + ", " + type + (label.empty() ? "" : ", " + label) + "}";
}

}  // namespace

bool has_typecode(const Declaration& made) {
  switch (made.kind) {
    case DeclKind::struct_:
    case DeclKind::union_:
    case DeclKind::enum_:
    case DeclKind::exception:
    case DeclKind::typedef_:
    case DeclKind::bitmask:
    case DeclKind::bitset:
    case DeclKind::interface:
      return true;
    default:
      return false;
  }
}

std::string constants_namespace(const Declaration& made) {
  std::string out;
  for (const Declaration* at = made.parent; at; at = at->parent) out = "::" + identifier(*at) + out;
  return "orbweaver::generated" + out;
}

std::string typecode_declared(const Declaration& made) {
  return has_typecode(made) ? "extern const ::CORBA::TypeCode _tc_" + made.name + ";\n" : "";
}

std::string typecode_reference_declared(const Declaration& made, bool in_class) {
  if (!has_typecode(made)) return {};
  return std::string(in_class ? "static" : "extern") + " const ::CORBA::typecode_reference _tc_" + made.name +
         ";\n";
}

std::string typecode_of(const Declaration& made) {
  // Typedefs are other names for C++ types that have a TypeCode; local objects do not travel.
  if (!has_typecode(made) || made.kind == DeclKind::typedef_) return {};
  if (made.kind == DeclKind::interface && as<Interface>(made).local) return {};
  return "template <>\nstruct TypeCodeOf<" + qualified(made) + "> : TypeCodeIs<" + constant_name(made) +
         "> {};\n";
}

std::string typecode_reference_defined(const Declaration& made) {
  if (!has_typecode(made)) return {};
  std::string scope = name_in_namespace(made);
  scope.resize(scope.size() - identifier(made).size());
  return "const ::CORBA::typecode_reference " + scope + "_tc_" + made.name +
         "{\n    ::CORBA::typecode_reference::Constant{},\n    ::orbweaver::typecode::constant(" +
         constant_name(made) + ")};\n";
}

std::string TypeCodes::constant(const std::string& how, const std::string& name, std::string_view kind,
                                Arguments arguments) {
  arguments.insert(arguments.begin(), "::CORBA::TCKind::tk_" + std::string(kind));
  return list(how + " ::CORBA::TypeCode " + name + "{", arguments, "};\n");
}

// A constant for a type that has no name, once in a file.
std::string TypeCodes::unnamed(const std::string& key, std::string_view kind, const Arguments& arguments) {
  auto [at, fresh] = unnamed_.insert({key, ""});
  if (fresh) {
    const std::string name = "_type_" + std::to_string(unnamed_.size());
    at->second = "&::" + space_ + "::" + name;
    before_ += constant("static constexpr", name, kind, arguments);
  }
  return at->second;
}

std::string TypeCodes::of(const Type& type) {
  const std::string bound = std::to_string(type.bound);
  const auto without_names = [](const std::string& content, const std::string& length) {
    return Arguments{kNoName, kNoName, "nullptr", "0", content, length};
  };
  switch (type.kind) {
    case TypeKind::string:
    case TypeKind::wstring:
      if (type.bound == 0) break;
      return unnamed(describe(type), spelling(type.kind), without_names("nullptr", bound));
    case TypeKind::sequence:
      return unnamed(describe(type), "sequence", without_names(of(*type.element), bound));
    case TypeKind::map:
      return unnamed(describe(type), "sequence", without_names(pair(type), bound));
    case TypeKind::array: {
      // Of several dimensions: arrays within an array.
      std::string element = of(*type.element);
      std::string key = describe(*type.element);
      for (auto each = type.dimensions.rbegin(); each != type.dimensions.rend(); ++each) {
        key += "[" + std::to_string(*each) + "]";
        element = unnamed("array " + key, "array", without_names(element, std::to_string(*each)));
      }
      return element;
    }
    case TypeKind::declared:
      if (type.declaration->builtin && type.declaration->kind == DeclKind::typedef_) return builtin(*type.declaration);
      return is_typecode(type) ? "&::orbweaver::typecode::k_TypeCode"
                               : "&" + constant_name(*type.declaration);
    default:
      break;
  }
  return "&::orbweaver::typecode::k_" + basic_typecode(type.kind);
}

// A typedef in the compiler's own orb.idl: no file has its constant.
std::string TypeCodes::builtin(const Declaration& made) {
  return unnamed(scoped_name(&made), "alias",
                 {quoted(made.repository_id()), quoted(made.name), "nullptr", "0", of(*as<Typedef>(made).type)});
}

// What a map is a sequence of: CORBA has no kind for it.
std::string TypeCodes::pair(const Type& map) {
  const std::vector<std::string> both{member("key", of(*map.key)), member("value", of(*map.element))};
  const std::string members = "_pair_" + std::to_string(unnamed_.size() + 1);
  Type unbounded = map;
  unbounded.bound = 0;
  const std::string key = "pair " + describe(unbounded);
  if (!unnamed_.contains(key)) before_ += table(members, both);
  return unnamed(key, "struct", {kNoName, kNoName, members, "2"});
}

std::string TypeCodes::table(const std::string& name, const std::vector<std::string>& members) {
  return list("static constexpr ::CORBA::TypeCode::Member " + name + "[] = {", members, "};\n");
}

// An inherited struct's members stand ahead of its own, where they lie on the wire; one without members is an
// octet there.
std::vector<std::string> TypeCodes::fields_of(const Struct& made) {
  std::vector<std::string> members;
  for (const Struct* each : line_of(made)) {
    if (each->base != nullptr && members.empty())
      members.push_back(member(each->base->name, "&" + constant_name(*each->base)));
    for (const Field& field : each->fields) members.push_back(member(field.name, of(*field.type)));
  }
  return members;
}

// The table that the members of `made` begin; it is made for the first struct of the file that needs it.
std::string TypeCodes::table_of(const Struct& made) {
  const Struct& last = tables_.last_of_chain(made);
  const auto [at, fresh] = table_names_.try_emplace(&last, "_members_" + made.name);
  if (!fresh) return at->second;
  const std::string defined = table(at->second, fields_of(last));
  before_ += defined;
  std::string name = at->second;
  if (&last != &made) at->second = "::" + space_ + "::" + name;
  return name;
}

std::vector<std::string> TypeCodes::cases_of(const Union& made, int& default_index) {
  std::vector<std::string> members;
  for (const UnionCase& each : made.cases) {
    const std::string type = of(*each.field.type);
    for (const Value& label : each.labels)
      members.push_back(member(each.field.name, type, label_of(label, *made.discriminator)));
    if (!each.is_default) continue;
    default_index = static_cast<int>(members.size());
    members.push_back(member(each.field.name, type));
  }
  return members;
}

std::string TypeCodes::defined(const Declaration& made) {
  if (!has_typecode(made)) return {};
  space_ = constants_namespace(made);
  before_.clear();
  Arguments arguments{quoted(made.repository_id()), quoted(made.name)}, rest;
  const std::string name = "_tc_" + made.name;
  std::vector<std::string> members;
  std::string kind;
  switch (made.kind) {
    case DeclKind::struct_:
      kind = "struct";
      if (const std::size_t count = tables_.count(as<Struct>(made)); count > 0)
        arguments.insert(arguments.end(), {table_of(as<Struct>(made)), std::to_string(count)});
      break;
    case DeclKind::exception:
      kind = "except";
      for (const Field& each : as<Exception>(made).fields)
        members.push_back(member(each.name, of(*each.type)));
      break;
    case DeclKind::enum_:
      kind = "enum";
      for (const Enumerator* each : as<Enum>(made).enumerators)
        members.push_back("{" + quoted(each->name) + "}");
      break;
    case DeclKind::union_: {
      kind = "union";
      int other = -1;
      members = cases_of(as<Union>(made), other);
      rest = {of(*as<Union>(made).discriminator), "0", std::to_string(other)};
      break;
    }
    case DeclKind::typedef_:
      kind = "alias";
      rest = {of(*as<Typedef>(made).type)};
      break;
    case DeclKind::bitmask:
    case DeclKind::bitset:
      kind = "alias";
      rest = {"&::orbweaver::typecode::k_" + holder_typecode(made)};
      break;
    default:
      kind = as<Interface>(made).local ? "local_interface" : "objref";
      break;
  }
  std::string listed;
  if (!members.empty()) {
    listed = table("_members_" + made.name, members);
    arguments.insert(arguments.end(), {"_members_" + made.name, std::to_string(members.size())});
  } else if (!rest.empty()) {
    arguments.insert(arguments.end(), {"nullptr", "0"});
  }
  arguments.insert(arguments.end(), rest.begin(), rest.end());
  return before_ + listed + constant("constexpr", name, kind, arguments);
}

}  // namespace orbweaver::idl::cpp
