#pragma once

#include <orbweaver/typecode.h>

#include <map>
#include <memory>
#include <string>
#include <unordered_map>

#include "call/value_types.h"
#include "cdr/typecode_graph.h"
#include "idlc/ir/ir.h"

namespace orbweaver::call {

/// TypeCodes of the types of a compiled IDL file, equal to those of generated code. Value types are known to
/// the process as long as it exists. Made by one thread, then read-only; the Unit must outlive it.
class IdlTypes {
 public:
  explicit IdlTypes(const idl::ir::Unit& unit);

  /// The TypeCode of a type of the Unit.
  CORBA::typecode_reference of(const idl::ir::Type& type) const;
  /// The TypeCode of a declared type or exception of the Unit.
  CORBA::typecode_reference of(const idl::ir::Declaration& declaration) const;
  /// The declared type or exception of that name, "Test::Sample", or repository id; nil: there is none.
  CORBA::typecode_reference find(const std::string& name) const;
  /// The name of a declared type, "Test::Sample", by its repository id; empty if there is none.
  std::string name_of(const std::string& repository_id) const;

 private:
  using Node = CORBA::TypeCode;
  void add(const idl::ir::Declaration& declaration);
  const Node& node(const idl::ir::Type& type);
  const Node& node(const idl::ir::Declaration& declaration);
  const Node& make(const idl::ir::Type& type);
  void complete(Node& node, const idl::ir::Declaration& declaration);
  void fields(Node& node, const std::vector<CORBA::TypeCode::Member>& members);
  Node& sequence(const Node& element, std::uint64_t bound);

  typecode::Graph* building_ = nullptr;  // while the constructor runs
  std::unordered_map<const idl::ir::Type*, const Node*> types_;
  std::unordered_map<const idl::ir::Declaration*, const Node*> declarations_;
  std::map<std::string, const Node*> by_name_;
  std::map<std::string, std::string> names_;  // by repository id
  CORBA::typecode_reference graph_;           // keeps the nodes
  KnownValues values_;
};

}  // namespace orbweaver::call
