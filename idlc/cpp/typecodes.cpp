// Generates TypeCodes (CORBA 3.3 part 1, 8.11): one constant for each type, which refers to those of its
// parts. They are in namespace orbweaver::generated and are constant-initialised, so that constants of other
// files can refer to them; the `_tc_` names are references to them.
#include "idlc/cpp/typecodes.h"

#include "idlc/cpp/constructs.h"
#include "idlc/cpp/names.h"
#include "idlc/cpp/text.h"
#include "idlc/ir/values.h"

namespace orbweaver::idl::cpp {

using namespace ir;

namespace {

const std::string kNoName = R"("")";

std::string constant_name(const Declaration& decl) {
  return "::" + constants_namespace(decl) + "::_tc_" + decl.name;
}

std::string basic_typecode(TypeKind kind) {
  switch (kind) {
    case TypeKind::octet:
    case TypeKind::uint8: return "octet";
    case TypeKind::short_: return "short";
    case TypeKind::ushort: return "ushort";
    case TypeKind::long_: return "long";
    case TypeKind::ulong: return "ulong";
    case TypeKind::ulonglong: return "ulonglong";
    case TypeKind::longlong: return "longlong";
    case TypeKind::longdouble: return "longdouble";
    case TypeKind::object: return "Object";
    default:
      return std::string(
          spelling(kind));  // void, boolean, char, wchar, int8, float, double, any, string, wstring
  }
}

// A label as the run time stores it: int8 as an octet, unsigned numbers as the signed ones of the same bits.
std::string label_of(const Value& value, const Type& discriminator) {
  Integer n = label_number(value);
  if (resolved(discriminator).kind == TypeKind::int8) n &= 0xff;
  n = static_cast<std::int64_t>(n);
  Type type;
  type.kind = n == static_cast<std::int32_t>(n) ? TypeKind::long_ : TypeKind::longlong;
  return literal(Value{n}, type);
}

std::string member(std::string_view name, const std::string& type, const std::string& label = "") {
  return "{" + string_literal(name) + ", " + type + (label.empty() ? "" : ", " + label) + "}";
}

}  // namespace

bool has_typecode(const Declaration& decl) {
  switch (decl.kind) {
    case DeclKind::struct_:
    case DeclKind::union_:
    case DeclKind::enum_:
    case DeclKind::exception:
    case DeclKind::typedef_:
    case DeclKind::bitmask:
    case DeclKind::bitset:
    case DeclKind::value:
    case DeclKind::value_box:
    case DeclKind::interface: return true;
    case DeclKind::native: return !is_run_time_native(decl);
    default: return false;
  }
}

std::string constants_namespace(const Declaration& decl) {
  std::string out;
  for (const Declaration* at = decl.parent; at; at = at->parent) out = "::" + identifier(*at) + out;
  return "orbweaver::generated" + out;
}

std::string typecode_declared(const Declaration& decl) {
  return has_typecode(decl) ? "extern const ::CORBA::TypeCode _tc_" + decl.name + ";\n" : "";
}

std::string typecode_reference_declared(const Declaration& decl, bool in_class) {
  if (!has_typecode(decl)) return {};
  return std::string(in_class ? "static" : "extern") + " const ::CORBA::typecode_reference _tc_" + decl.name +
         ";\n";
}

std::string typecode_of(const Declaration& decl) {
  // Typedefs are synonyms of C++ types that have a TypeCode; local objects and natives are not marshalled.
  if (!has_typecode(decl) || decl.kind == DeclKind::typedef_ || decl.kind == DeclKind::native) return {};
  if (decl.kind == DeclKind::interface && as<Interface>(decl).local) return {};
  return "template <>\nstruct TypeCodeOf<" + qualified(decl) + "> : TypeCodeOfConstant<" +
         constant_name(decl) + "> {};\n";
}

std::string typecode_reference_defined(const Declaration& decl) {
  if (!has_typecode(decl)) return {};
  std::string scope = name_in_namespace(decl);
  scope.resize(scope.size() - identifier(decl).size());
  return "const ::CORBA::typecode_reference " + scope + "_tc_" + decl.name +
         "{\n    ::CORBA::typecode_reference::Constant{},\n    ::orbweaver::typecode::constant(" +
         constant_name(decl) + ")};\n";
}

std::string TypeCodes::constant(const std::string& how, const std::string& name, std::string_view kind,
                                Arguments arguments) {
  arguments.insert(arguments.begin(), "::CORBA::TCKind::tk_" + std::string(kind));
  return list(how + " ::CORBA::TypeCode " + name + "{", arguments, "};\n");
}

// The constant of an anonymous type; defined once in a file.
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
    case TypeKind::map: return unnamed(describe(type), "sequence", without_names(pair(type), bound));
    case TypeKind::fixed:
      return unnamed(describe(type), "fixed",
                     {kNoName, kNoName, "nullptr", "0", "nullptr", std::to_string(type.digits),
                      std::to_string(type.scale)});
    case TypeKind::array: {
      // An array of several dimensions is an array of arrays.
      std::string element = of(*type.element);
      std::string key = describe(*type.element);
      for (auto each = type.dimensions.rbegin(); each != type.dimensions.rend(); ++each) {
        key += "[" + std::to_string(*each) + "]";
        element = unnamed("array " + key, "array", without_names(element, std::to_string(*each)));
      }
      return element;
    }
    case TypeKind::declared:
      if (type.declaration->builtin && type.declaration->kind == DeclKind::typedef_)
        return builtin(*type.declaration);
      if (is_run_time_value(*type.declaration)) return "&::orbweaver::typecode::k_" + type.declaration->name;
      return is_typecode(type) ? "&::orbweaver::typecode::k_TypeCode"
                               : "&" + constant_name(*type.declaration);
    default: break;
  }
  return "&::orbweaver::typecode::k_" + basic_typecode(type.kind);
}

// The constant of a typedef in the built-in orb.idl, for which no file is generated.
std::string TypeCodes::builtin(const Declaration& decl) {
  return unnamed(scoped_name(&decl), "alias",
                 {string_literal(decl.repository_id()), string_literal(decl.name), "nullptr", "0",
                  of(*as<Typedef>(decl).type)});
}

// The element struct of a map: CORBA has no TypeCode kind for maps, so a map is a sequence of pairs.
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

// The members of a struct in CDR order, inherited ones first. A base without members is listed as one member,
// because it is encoded as one octet.
std::vector<std::string> TypeCodes::fields_of(const Struct& decl) {
  std::vector<std::string> members;
  for (const Struct* each : base_chain(decl)) {
    if (each->base != nullptr && members.empty())
      members.push_back(member(each->base->name, "&" + constant_name(*each->base)));
    for (const Field& field : each->fields) members.push_back(member(field.name, of(*field.type)));
  }
  return members;
}

// The name of the table whose first members are those of `decl`; defined with the first struct that uses it.
std::string TypeCodes::table_of(const Struct& decl) {
  const Struct& last = tables_.last_of_chain(decl);
  const auto [at, fresh] = table_names_.try_emplace(&last, "_members_" + decl.name);
  if (!fresh) return at->second;
  const std::string defined = table(at->second, fields_of(last));
  before_ += defined;
  std::string name = at->second;
  if (&last != &decl) at->second = "::" + space_ + "::" + name;
  return name;
}

std::vector<std::string> TypeCodes::cases_of(const Union& decl, int& default_index) {
  std::vector<std::string> members;
  for (const UnionCase& each : decl.cases) {
    const std::string type = of(*each.field.type);
    for (const Value& label : each.labels)
      members.push_back(member(each.field.name, type, label_of(label, *decl.discriminator)));
    if (!each.is_default) continue;
    default_index = static_cast<int>(members.size());
    members.push_back(member(each.field.name, type));
  }
  return members;
}

std::string TypeCodes::defined(const Declaration& decl) {
  if (!has_typecode(decl)) return {};
  space_ = constants_namespace(decl);
  before_.clear();
  Arguments arguments{string_literal(decl.repository_id()), string_literal(decl.name)}, rest;
  const std::string name = "_tc_" + decl.name;
  std::vector<std::string> members;
  std::string kind;
  switch (decl.kind) {
    case DeclKind::struct_:
      kind = "struct";
      if (const std::size_t count = tables_.count(as<Struct>(decl)); count > 0)
        arguments.insert(arguments.end(), {table_of(as<Struct>(decl)), std::to_string(count)});
      break;
    case DeclKind::exception:
      kind = "except";
      for (const Field& each : as<Exception>(decl).fields)
        members.push_back(member(each.name, of(*each.type)));
      break;
    case DeclKind::enum_:
      kind = "enum";
      for (const Enumerator* each : as<Enum>(decl).enumerators)
        members.push_back("{" + string_literal(each->name) + "}");
      break;
    case DeclKind::union_: {
      kind = "union";
      int other = -1;
      members = cases_of(as<Union>(decl), other);
      rest = {of(*as<Union>(decl).discriminator), "0", std::to_string(other)};
      break;
    }
    case DeclKind::typedef_:
      kind = "alias";
      rest = {of(*as<Typedef>(decl).type)};
      break;
    case DeclKind::bitmask:
    case DeclKind::bitset:
      kind = "alias";
      rest = {"&::orbweaver::typecode::k_" + integer_typecode_of(decl)};
      break;
    case DeclKind::native: kind = "native"; break;
    case DeclKind::value: {
      const auto& value = as<Value_>(decl);
      kind = "value";
      for (const Declaration* each : value.contents) {
        if (each->kind != DeclKind::state_member) continue;
        const auto& state = as<StateMember>(*each);
        members.push_back(member(each->name, of(*state.field.type),
                                 state.public_ ? "0, ::CORBA::PUBLIC_MEMBER" : "0, ::CORBA::PRIVATE_MEMBER"));
      }
      const bool has_base = !value.bases.empty() && !value.bases[0]->abstract_;
      const int modifier = value.custom ? 1 : value.abstract_ ? 2 : value.truncatable ? 3 : 0;
      rest = {has_base ? "&" + constant_name(*value.bases[0]) : "nullptr", "0", std::to_string(modifier)};
      break;
    }
    case DeclKind::value_box:
      kind = "value_box";
      rest = {of(*as<ValueBox>(decl).type)};
      break;
    default:
      kind = as<Interface>(decl).local       ? "local_interface"
             : as<Interface>(decl).abstract_ ? "abstract_interface"
                                             : "objref";
      break;
  }
  std::string listed;
  if (!members.empty()) {
    listed = table("_members_" + decl.name, members);
    arguments.insert(arguments.end(), {"_members_" + decl.name, std::to_string(members.size())});
  } else if (!rest.empty()) {
    arguments.insert(arguments.end(), {"nullptr", "0"});
  }
  arguments.insert(arguments.end(), rest.begin(), rest.end());
  return before_ + listed + constant("constexpr", name, kind, arguments);
}

}  // namespace orbweaver::idl::cpp
