#include "call/signatures.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "base/printable.h"
#include "call/type_names.h"
#include "idlc/driver/compile.h"
#include "idlc/ir/visit.h"
#include "idlc/source/edit_distance.h"
#include "idlc/source/render.h"

namespace orbweaver::call {

using namespace idl::ir;
using CORBA::typecode_reference;
using idl::ir::Interface;  // rather than orbweaver::Interface, of stubs
using idl::ir::Operation;

struct Idl::Text {
  idl::Sources sources;
};

namespace {

Error invalid_signature(std::string message) { return {ErrorKind::invalid, std::move(message)}; }

void add_interfaces(const std::vector<const Declaration*>& contents, std::vector<const Interface*>& all) {
  for (const Declaration* const each : contents) {
    if (each->kind == DeclKind::module) add_interfaces(as<Module>(*each).contents, all);
    if (each->kind != DeclKind::interface || each->builtin) continue;
    const auto& interface = as<Interface>(*each);
    if (interface.defined && !interface.local && std::find(all.begin(), all.end(), &interface) == all.end())
      all.push_back(&interface);
  }
}

std::string name_of(const Interface& interface) { return scoped_name(&interface).substr(2); }

const Interface* find_interface(const Idl& idl, std::string name) {
  if (name.starts_with("::")) name.erase(0, 2);
  for (const Interface* const each : idl.interfaces())
    if (name_of(*each) == name || each->repository_id() == name) return each;
  return nullptr;
}

std::vector<typecode_reference> exceptions_of(const std::vector<const Declaration*>& raises,
                                              const IdlTypes& types) {
  std::vector<typecode_reference> all;
  for (const Declaration* const each : raises) all.push_back(types.of(*each));
  return all;
}

Signature signature_of(const Interface& interface, const Operation& operation, const IdlTypes& types) {
  Signature signature;
  signature.interface = name_of(interface);
  signature.operation = operation.name;
  signature.oneway = operation.oneway;
  signature.result = types.of(*operation.result);
  for (const Parameter& each : operation.parameters) {
    const auto direction = each.direction == Direction::in    ? Signature::Direction::in
                           : each.direction == Direction::out ? Signature::Direction::out
                                                              : Signature::Direction::inout;
    signature.parameters.push_back({each.name, direction, types.of(*each.type)});
  }
  signature.exceptions = exceptions_of(operation.raises, types);
  signature.contexts = operation.contexts;
  return signature;
}

Signature getter_of(const Interface& interface, const Attribute& attribute, const IdlTypes& types) {
  return {name_of(interface),
          "_get_" + attribute.name,
          false,
          types.of(*attribute.type),
          {},
          exceptions_of(attribute.get_raises, types)};
}

Signature setter_of(const Interface& interface, const Attribute& attribute, const IdlTypes& types) {
  return {name_of(interface),
          "_set_" + attribute.name,
          false,
          CORBA::_tc_void,
          {{attribute.name, Signature::Direction::in, types.of(*attribute.type)}},
          exceptions_of(attribute.set_raises, types)};
}

/// The operations that every object has (CORBA 3.3 part 1, 8.3).
std::vector<Signature> common_operations() {
  using Direction = Signature::Direction;
  return {
      {"", "_is_a", false, CORBA::_tc_boolean, {{"logical_type_id", Direction::in, CORBA::_tc_string}}, {}},
      {"", "_non_existent", false, CORBA::_tc_boolean, {}, {}},
      {"", "_repository_id", false, CORBA::_tc_string, {}, {}}};
}

/// All signatures of an interface, those of attributes by accessor.
std::vector<Signature> signatures_of(const Interface& interface, const IdlTypes& types) {
  std::vector<Signature> all;
  for (const Declaration* const each : all_callables(interface)) {
    if (each->kind == DeclKind::operation) {
      all.push_back(signature_of(interface, as<Operation>(*each), types));
      continue;
    }
    const auto& attribute = as<Attribute>(*each);
    all.push_back(getter_of(interface, attribute, types));
    if (!attribute.readonly) all.push_back(setter_of(interface, attribute, types));
  }
  return all;
}

const Declaration* find_callable(const Interface& interface, const std::string& name) {
  const std::string attribute = name.starts_with("_get_") || name.starts_with("_set_") ? name.substr(5) : "";
  for (const Declaration* const each : all_callables(interface)) {
    if (each->name == name) return each;
    if (each->kind == DeclKind::attribute && each->name == attribute) return each;
  }
  return nullptr;
}

Result<Signature> signature_of(const Interface& interface, const Declaration& callable,
                               const std::string& name, std::size_t arguments, const IdlTypes& types) {
  if (callable.kind == DeclKind::operation) return signature_of(interface, as<Operation>(callable), types);
  const auto& attribute = as<Attribute>(callable);
  const bool sets = name.starts_with("_set_") || (!name.starts_with("_get_") && arguments > 0);
  if (!sets) return getter_of(interface, attribute, types);
  if (attribute.readonly) return invalid_signature("the attribute '" + attribute.name + "' is readonly");
  return setter_of(interface, attribute, types);
}

std::string similar_operation(const Interface& interface, const std::string& name) {
  std::vector<std::string_view> names;
  for (const Declaration* const each : all_callables(interface)) names.push_back(each->name);
  const std::string_view similar = idl::nearest(name, names);
  return similar.empty() ? "; --list shows its operations" : "; did you mean '" + std::string(similar) + "'?";
}

std::string names_of(const std::vector<const Interface*>& interfaces) {
  std::string text;
  for (const Interface* const each : interfaces) text += (text.empty() ? "" : ", ") + name_of(*each);
  return text;
}

/// The operation in the interfaces that declare it: one, or inherited from one.
Result<Signature> find_anywhere(const Idl& idl, const std::string& name, std::size_t arguments) {
  std::vector<const Interface*> having;
  std::vector<const Declaration*> callables;
  for (const Interface* const each : idl.interfaces()) {
    const Declaration* const callable = find_callable(*each, name);
    if (callable == nullptr || std::find(callables.begin(), callables.end(), callable) != callables.end())
      continue;
    having.push_back(each);
    callables.push_back(callable);
  }
  if (having.size() == 1) return signature_of(*having[0], *callables[0], name, arguments, idl.types());
  if (having.empty())
    return invalid_signature("no interface of the IDL has an operation '" + printable(name, 80) + "'");
  return invalid_signature("'" + printable(name, 80) + "' is an operation of " + names_of(having) +
                           ": name the interface with --interface");
}

std::string direction_of(Signature::Direction direction) {
  return direction == Signature::Direction::in    ? "in "
         : direction == Signature::Direction::out ? "out "
                                                  : "inout ";
}

std::string block_of(const Interface& interface, const IdlTypes& types) {
  std::string text = name_of(interface) + "\n";
  for (const Signature& each : signatures_of(interface, types)) text += "  " + to_text(each, types) + "\n";
  return text;
}

}  // namespace

Result<std::shared_ptr<const Idl>> Idl::compile(const IdlOptions& options) {
  const auto text = std::make_shared<Text>();
  std::string main_file = "// the IDL of a command\n";
  for (const std::string& file : options.files) {
    if (file.find_first_of("\"\n\\") != std::string::npos)
      return invalid_signature("the name of an IDL file contains no quotes, backslashes and line ends: " +
                               printable(file));
    const auto loaded = text->sources.load(file);
    if (loaded.file == nullptr) return invalid_signature("'" + printable(file) + "' " + loaded.problem);
    main_file += "#include \"" + file + "\"\n";
  }
  idl::PreprocessOptions preprocess;
  preprocess.include_dirs = options.include_folders;
  preprocess.defines = options.defines;
  idl::WarningPolicy no_warnings;
  no_warnings.all_off = true;
  idl::Diagnostics diagnostics(no_warnings);
  const std::uint32_t id = text->sources.add("(the IDL)", main_file);
  idl::CompileResult compiled = idl::compile(text->sources, id, preprocess, diagnostics);
  if (compiled.unit == nullptr) return invalid_signature(idl::render_text(diagnostics, text->sources, false));
  auto made = std::make_shared<Idl>();
  made->text_ = text;
  made->types_ = std::make_unique<IdlTypes>(*compiled.unit);
  made->unit_ = std::move(compiled.unit);
  add_interfaces(made->unit_->contents, made->interfaces_);
  return std::shared_ptr<const Idl>(std::move(made));
}

Result<Signature> find_signature(const Idl& idl, const std::string& interface, const std::string& name,
                                 std::size_t arguments) {
  for (Signature& each : common_operations())
    if (each.operation == name) return std::move(each);
  if (idl.interfaces().empty()) return invalid_signature("name the IDL of the object with --idl FILE");
  if (interface.empty()) return find_anywhere(idl, name, arguments);
  const Interface* const found = find_interface(idl, interface);
  if (found == nullptr)
    return invalid_signature("the IDL does not declare the interface " + printable(interface, 200));
  const Declaration* const callable = find_callable(*found, name);
  if (callable == nullptr)
    return invalid_signature(name_of(*found) + " has no operation '" + printable(name, 80) + "'" +
                             similar_operation(*found, name));
  return signature_of(*found, *callable, name, arguments, idl.types());
}

std::string to_text(const Signature& signature, const IdlTypes& types) {
  std::string text = (signature.oneway ? "oneway " : "") + type_name(*signature.result, types) + " " +
                     signature.operation + "(";
  const char* between = "";
  for (const Signature::Parameter& each : signature.parameters) {
    text += between + direction_of(each.direction) + type_name(*each.type, types) + " " + each.name;
    between = ", ";
  }
  text += ")";
  between = " raises (";
  for (const typecode_reference& each : signature.exceptions) {
    text += between + type_name(*each, types);
    between = ", ";
  }
  if (!signature.exceptions.empty()) text += ")";
  between = " context (";
  for (const std::string& each : signature.contexts) {
    text += between + ('"' + each + '"');
    between = ", ";
  }
  return text + (signature.contexts.empty() ? "" : ")");
}

std::vector<std::string> callable_names(const Idl& idl) {
  std::set<std::string> names;
  for (const Interface* const interface : idl.interfaces())
    for (const Declaration* const each : all_callables(*interface)) names.insert(each->name);
  return {names.begin(), names.end()};
}

Result<std::string> list_operations(const Idl& idl, const std::string& interface) {
  if (idl.interfaces().empty()) return invalid_signature("name the IDL of the object with --idl FILE");
  if (!interface.empty()) {
    const Interface* const found = find_interface(idl, interface);
    if (found == nullptr)
      return invalid_signature("the IDL does not declare the interface " + printable(interface, 200));
    return block_of(*found, idl.types());
  }
  std::string text;
  for (const Interface* const each : idl.interfaces())
    text += (text.empty() ? "" : "\n") + block_of(*each, idl.types());
  return text;
}

}  // namespace orbweaver::call
