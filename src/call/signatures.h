#pragma once

#include <orbweaver/result.h>

#include <memory>
#include <string>
#include <vector>

#include "call/idl_types.h"
#include "idlc/ir/ir.h"

namespace orbweaver::call {

/// Where the IDL is.
struct IdlOptions {
  std::vector<std::string> files;
  std::vector<std::string> include_folders;
  std::vector<std::string> defines;
};

/// The compiled IDL of a command.
class Idl {
 public:
  /// Compiles the files; without any, only what is built in is declared. Fails with ErrorKind::invalid; the
  /// message has a line for each mistake.
  static Result<std::shared_ptr<const Idl>> compile(const IdlOptions& options);

  const idl::ir::Unit& unit() const { return *unit_; }
  const IdlTypes& types() const { return *types_; }
  /// All interfaces that are defined, with operations or attributes of their own or inherited ones.
  const std::vector<const idl::ir::Interface*>& interfaces() const { return interfaces_; }

 private:
  struct Text;
  std::shared_ptr<const Text> text_;
  std::unique_ptr<const idl::ir::Unit> unit_;
  std::unique_ptr<const IdlTypes> types_;
  std::vector<const idl::ir::Interface*> interfaces_;
};

/// What a call of an operation sends and receives.
struct Signature {
  enum class Direction { in, out, inout };
  struct Parameter {
    std::string name;
    Direction direction = Direction::in;
    CORBA::typecode_reference type;
  };

  std::string interface;  ///< "Test::Hello"; empty for an operation of all objects.
  std::string operation;  ///< As in requests: "_get_level".
  bool oneway = false;
  CORBA::typecode_reference result;
  std::vector<Parameter> parameters;
  std::vector<CORBA::typecode_reference> exceptions;
  std::vector<std::string> contexts = {};  ///< Names of the context clause.
};

/// The operation `name` of an interface. `interface`: its name or repository id, of --interface or of the
/// reference; empty: the one that has such an operation. Attributes are "_get_x" and "_set_x", or "x", which
/// is set if there are `arguments`. Every object has "_is_a", "_non_existent" and "_repository_id". Fails
/// with ErrorKind::invalid.
Result<Signature> find_signature(const Idl& idl, const std::string& interface, const std::string& name,
                                 std::size_t arguments);

/// The operation in IDL: "string greet(in string name) raises (Test::Refused)".
std::string to_text(const Signature& signature, const IdlTypes& types);

/// The names of all operations and attributes, sorted, each once.
std::vector<std::string> callable_names(const Idl& idl);

/// The operations of an interface, a line each, below a line with its name; of all if `interface` is empty.
/// Fails with ErrorKind::invalid.
Result<std::string> list_operations(const Idl& idl, const std::string& interface);

}  // namespace orbweaver::call
