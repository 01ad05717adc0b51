#pragma once

#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "idlc/cpp/member_tables.h"
#include "idlc/ir/ir.h"

/// Generates the TypeCodes of a file: fooC.h declares a constant and a `_tc_` name for each type; fooC.cpp
/// defines them.
namespace orbweaver::idl::cpp {

bool has_typecode(const ir::Declaration& decl);

// fooC.h
/// The namespace of a type's constant: "orbweaver::generated::Test" for a type in ::Test.
std::string constants_namespace(const ir::Declaration& decl);
std::string typecode_declared(const ir::Declaration& decl);  // for constants_namespace(decl)
std::string typecode_reference_declared(const ir::Declaration& decl, bool in_class);
std::string typecode_of(const ir::Declaration& decl);  // for namespace orbweaver

// fooC.cpp
std::string typecode_reference_defined(const ir::Declaration& decl);

/// Generates the TypeCode constants of one file, including those of anonymous types.
class TypeCodes {
 public:
  explicit TypeCodes(const std::vector<const ir::Struct*>& structs) : tables_(structs) {}
  /// The definition of a type's constant, for the namespace constants_namespace(decl).
  std::string defined(const ir::Declaration& decl);

 private:
  using Arguments = std::vector<std::string>;  // arguments of TypeCode's constructor after the kind

  std::string of(const ir::Type& type);  // "&::orbweaver::typecode::k_long"
  std::string builtin(const ir::Declaration& decl);
  std::string pair(const ir::Type& map);
  std::string unnamed(const std::string& key, std::string_view kind, const Arguments& arguments);
  static std::string constant(const std::string& how, const std::string& name, std::string_view kind,
                              Arguments arguments);
  static std::string table(const std::string& name, const std::vector<std::string>& members);
  std::string table_of(const ir::Struct& decl);
  std::vector<std::string> fields_of(const ir::Struct& decl);
  std::vector<std::string> cases_of(const ir::Union& decl, int& default_index);

  MemberTables tables_;
  std::unordered_map<const ir::Struct*, std::string> table_names_;  // by the last struct of the chain
  std::map<std::string, std::string> unnamed_;  // address expressions of anonymous types, by description
  std::string space_, before_;  // current definition: its namespace, and preceding definitions
};

}  // namespace orbweaver::idl::cpp
