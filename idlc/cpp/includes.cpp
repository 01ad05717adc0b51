#include "idlc/cpp/includes.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <set>

#include "idlc/cpp/constructs.h"
#include "idlc/cpp/declarations.h"
#include "idlc/cpp/names.h"
#include "idlc/cpp/typecodes.h"
#include "idlc/cpp/values.h"
#include "idlc/ir/holds_values.h"

namespace orbweaver::idl::cpp {

using namespace ir;

namespace {

// Whether one of the types of the unit is such a type.
bool any_type(const Unit& unit, const std::function<bool(const Type&)>& is_such) {
  return std::any_of(unit.types.begin(), unit.types.end(), is_such);
}

// Whether a type is, or has elements of, a data type of <orbweaver/builtin_types.h>.
bool holds_run_time_data(const Type& type) {
  const Type& real = resolved(type);
  if (real.kind == TypeKind::map) return holds_run_time_data(*real.key) || holds_run_time_data(*real.element);
  if (real.kind == TypeKind::sequence || real.kind == TypeKind::array)
    return holds_run_time_data(*real.element);
  return real.kind == TypeKind::declared && is_run_time_data(*real.declaration);
}

bool mentions_run_time_data(const std::vector<Field>& fields) {
  return std::any_of(fields.begin(), fields.end(),
                     [](const Field& each) { return holds_run_time_data(*each.type); });
}

// Whether the C++ of a declaration itself mentions such a type.
bool mentions_run_time_data(const Declaration& decl) {
  switch (decl.kind) {
    case DeclKind::struct_: return mentions_run_time_data(as<Struct>(decl).fields);
    case DeclKind::exception: return mentions_run_time_data(as<Exception>(decl).fields);
    case DeclKind::union_: {
      const auto& cases = as<Union>(decl).cases;
      return holds_run_time_data(*as<Union>(decl).discriminator) ||
             std::any_of(cases.begin(), cases.end(),
                         [](const UnionCase& each) { return holds_run_time_data(*each.field.type); });
    }
    case DeclKind::typedef_: return holds_run_time_data(*as<Typedef>(decl).type);
    case DeclKind::constant: return holds_run_time_data(*as<Constant>(decl).type);
    case DeclKind::value_box: return holds_run_time_data(*as<ValueBox>(decl).type);
    case DeclKind::interface:
    case DeclKind::value: break;
    default: return false;
  }
  for (const Declaration* each : contents_of(decl)) {
    if (each->kind == DeclKind::state_member && holds_run_time_data(*as<StateMember>(*each).field.type))
      return true;
    if (each->kind != DeclKind::factory) continue;
    for (const Parameter& parameter : as<Factory>(*each).parameters) {
      if (holds_run_time_data(*parameter.type)) return true;
    }
  }
  for (const Call& call : calls_of(contents_of(decl))) {
    if (holds_run_time_data(*call.result)) return true;
    for (const Parameter& each : call.parameters) {
      if (holds_run_time_data(*each.type)) return true;
    }
  }
  return false;
}

// Whether the C++ of a declaration mentions value types or abstract interfaces, and their streams.
void find_values(const Declaration& decl, bool& values, bool& streams) {
  values = values || is_value(decl) || holds_values(decl);
  streams = streams || (decl.kind == DeclKind::value && is_custom(as<Value_>(decl)));
  if (decl.kind != DeclKind::interface && decl.kind != DeclKind::value) return;
  const auto use = [&](const Type& type) {
    const Declaration* const named = declared(type);
    streams = streams || (named && named->builtin && named->kind == DeclKind::value);
  };
  for (const Call& call : calls_of(contents_of(decl))) {
    values = values || sends_values(call) || returns_values(call);
    use(*call.result);
    for (const Parameter& each : call.parameters) use(*each.type);
  }
}

}  // namespace

bool uses(const Unit& unit, TypeKind kind) {
  return any_type(unit, [kind](const Type& type) { return type.kind == kind; });
}

bool has_custom_values(const Unit& unit) {
  bool found = false;
  each_declaration(unit.contents, [&](const Declaration& decl) {
    found = found || (decl.kind == DeclKind::value && is_custom(as<Value_>(decl)));
  });
  return found;
}

std::string idl_includes(const Unit& unit, std::string_view suffix) {
  std::string out;
  std::set<std::string> known;
  for (const std::string& written : unit.includes) {
    std::filesystem::path path(written);
    if (path.filename() == "orb.idl" && !unit.user_orb_idl) continue;  // its declarations are built in
    std::string line =
        "#include \"" + (path.parent_path() / path.stem()).generic_string() + std::string(suffix) + ".h\"\n";
    if (known.insert(line).second) out += line;
  }
  return out.empty() ? out : out + "\n";
}

std::string value_include(const Unit& unit) {
  bool values = false, streams = false;
  each_declaration(unit.contents, [&](const Declaration& decl) { find_values(decl, values, streams); });
  return streams  ? "#include <orbweaver/custom_marshal.h>\n"
         : values ? "#include <orbweaver/abstract_interface.h>\n"
                  : "";
}

std::string signature_includes(const Unit& unit, const CppOptions& options) {
  bool local = false, contexts = false, data = false;
  std::set<std::string> headers;
  const auto add_native = [&](const Type* type) {
    const Declaration* const named = type ? declared(*type) : nullptr;
    if (!named || !is_run_time_native(*named) || is_abstract_base(*named)) return;
    const std::string& name = named->name;
    headers.insert(name == "Context" ? "context.h" : name == "ORB" ? "orb.h" : "poa.h");
  };
  each_declaration(unit.contents, [&](const Declaration& decl) {
    local = local || (decl.kind == DeclKind::interface && as<Interface>(decl).local);
    data = data || mentions_run_time_data(decl);
    if (decl.kind != DeclKind::interface && decl.kind != DeclKind::value) return;
    for (const Call& call : calls_of(contents_of(decl))) {
      contexts = contexts || !call.contexts.empty();
      add_native(call.result);
      for (const Parameter& each : call.parameters) add_native(each.type);
    }
  });
  // Local interfaces may inherit from the run time's policies and have them as parameters.
  const bool policies = local && any_type(unit, [](const Type& type) {
                          return type.kind == TypeKind::declared && type.declaration->builtin &&
                                 type.declaration->name == "Policy";
                        });
  if (data) headers.insert("builtin_types.h");
  if (contexts) headers.insert("context.h");
  if (policies) headers.insert("policy.h");
  std::string out;
  for (const std::string& each : headers) out += "#include <orbweaver/" + each + ">\n";
  for (const std::string& each : options.includes) {
    const bool quotes = !each.starts_with('<') && !each.starts_with('"');
    out += "#include " + (quotes ? "\"" + each + "\"" : each) + "\n";
  }
  return out;
}

std::string typecode_include(const Unit& unit, const CppOptions& options) {
  if (options.micro) return {};
  const char* header = uses(unit, TypeKind::any)      ? "any.h"
                       : any_type(unit, &is_typecode) ? "typecode.h"
                                                      : "detail/typecode_fwd.h";
  return "#include <orbweaver/" + std::string(header) + ">\n";
}

}  // namespace orbweaver::idl::cpp
