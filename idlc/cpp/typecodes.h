#pragma once

#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "idlc/cpp/member_tables.h"
#include "idlc/ir/ir.h"

/// What generated code says about its types at run time. fooC.h declares a constant for each and a `_tc_`
/// name; fooC.cpp defines them.
namespace orbweaver::idl::cpp {

bool has_typecode(const ir::Declaration& made);

// fooC.h
/// "orbweaver::generated::Test": where the constant of a type in ::Test lies.
std::string constants_namespace(const ir::Declaration& made);
std::string typecode_declared(const ir::Declaration& made);  // there
std::string typecode_reference_declared(const ir::Declaration& made, bool in_class);
std::string typecode_of(const ir::Declaration& made);  // in orbweaver

// fooC.cpp
std::string typecode_reference_defined(const ir::Declaration& made);

/// The constants of one file, and of the types in it that have no name.
class TypeCodes {
 public:
  explicit TypeCodes(const std::vector<const ir::Struct*>& structs) : tables_(structs) {}
  /// For the namespace constants_namespace(made).
  std::string defined(const ir::Declaration& made);

 private:
  using Arguments = std::vector<std::string>;  // of TypeCode's constructor, behind the kind

  std::string of(const ir::Type& type);  // "&::orbweaver::typecode::k_long"
  std::string builtin(const ir::Declaration& made);
  std::string pair(const ir::Type& map);
  std::string unnamed(const std::string& key, std::string_view kind, const Arguments& arguments);
  static std::string constant(const std::string& how, const std::string& name, std::string_view kind,
                              Arguments arguments);
  static std::string table(const std::string& name, const std::vector<std::string>& members);
  std::string table_of(const ir::Struct& made);
  std::vector<std::string> fields_of(const ir::Struct& made);
  std::vector<std::string> cases_of(const ir::Union& made, int& default_index);

  MemberTables tables_;
  std::unordered_map<const ir::Struct*, std::string> table_names_;  // of the last structs of chains
  std::map<std::string, std::string> unnamed_;  // by what describe() says; their addresses
  std::string space_, before_;                  // of the definition being made
};

}  // namespace orbweaver::idl::cpp
