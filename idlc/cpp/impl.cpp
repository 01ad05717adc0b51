#include "idlc/cpp/impl.h"

#include <filesystem>

#include "idlc/cpp/constructs.h"
#include "idlc/cpp/names.h"
#include "idlc/cpp/text.h"

namespace orbweaver::idl {

using namespace ir;
using namespace cpp;

namespace {

std::string class_name(const Interface& made) { return identifier(made) + "_impl"; }

// Whatever the interface or a base of it declares: a servant has to answer all of it.
std::vector<Call> every_call(const Interface& made) {
  std::vector<Call> out;
  std::vector<const Interface*> line = ancestry(made);
  for (auto each = line.rbegin(); each != line.rend(); ++each) {
    if ((*each)->builtin) continue;  // the run time's own classes differ from their IDL
    for (Call& call : calls_of(**each)) out.push_back(std::move(call));
  }
  return out;
}

std::string class_text(const Interface& made) {
  std::string operations;
  for (const Call& call : every_call(made))
    operations += signature(call, type_name(*call.result) + " ", " override;\n", 2);
  return fill(
      R"(class $class$ final : public virtual $base$ {
 public:
$operations$
};

)",
      {{"class", class_name(made)},
       {"base", made.local ? qualified(made) : "::CORBA::servant_traits<" + qualified(made) + ">::base_type"},
       {"operations", indented(operations, 2)}});
}

std::string bodies(const Interface& made) {
  std::string out;
  for (Call call : every_call(made)) {
    std::string head = type_name(*call.result) + " " + class_name(made) + "::";
    // Names come back as the parameters are put to use; until then they would only be warned of.
    std::vector<std::string> parameters;
    for (const Parameter& each : call.parameters)
      parameters.push_back(parameter_type(each) + " /*" + each.name + "*/");
    out += list(head + call.cpp_name + "(", parameters, ") {\n");
    out += "  throw ::CORBA::NO_IMPLEMENT(0, ::CORBA::CompletionStatus::COMPLETED_NO, " +
           cpp::quoted(scoped_name(&made).substr(2) + "::" + call.wire_name + " is not written yet") +
           ");\n}\n\n";
  }
  return out;
}

void each_interface(const std::vector<const Declaration*>& contents, const auto& visit) {
  for (const Declaration* each : contents) {
    if (each->kind == DeclKind::module)
      each_interface(as<Module>(*each).contents, visit);
    else if (each->kind == DeclKind::interface && each->in_main_file)
      visit(as<Interface>(*each));
  }
}

}  // namespace

std::vector<OutputFile> generate_impl(const Unit& unit) {
  std::string stem = std::filesystem::path(unit.main_path).stem().string();
  std::string classes, operations;
  each_interface(unit.contents, [&](const Interface& made) {
    classes += in_namespace(namespace_of(made), class_text(made));
    operations += in_namespace(namespace_of(made), bodies(made));
  });
  while (operations.ends_with("\n\n")) operations.pop_back();
  return {{stem + "_impl.h",
           "// A starting point made by orbweaver-idl; it is yours to edit.\n#pragma once\n\n#include \"" +
               stem + "S.h\"\n\n" + classes},
          {stem + "_impl.cpp", "#include \"" + stem + "_impl.h\"\n\n" + operations}};
}

}  // namespace orbweaver::idl
