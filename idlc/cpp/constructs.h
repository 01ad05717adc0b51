#pragma once

#include <string>
#include <vector>

#include "idlc/ir/ir.h"

/// Text generators, one for each construct. Each function returns whole lines for one place in one of the
/// four generated files.
namespace orbweaver::idl::cpp {

// types.cpp: declarations in fooC.h, within the namespace or class that the type belongs to
std::string constant(const ir::Constant& constant, bool in_class);
std::string enumeration(const ir::Enum& decl);
std::string alias(const ir::Typedef& decl);
std::string native(const ir::Native& decl);
/// `types`: the declarations nested in the struct.
std::string structure(const ir::Struct& decl, const std::string& types);
std::string exception(const ir::Exception& decl, const std::string& types);
std::string exception_body(const ir::Exception& decl);  // fooC.cpp

// unions.cpp
std::string union_(const ir::Union& decl, const std::string& types);
/// The operand of a switch over the discriminator `value`. A boolean is cast to int, because Clang warns
/// about a switch over a bool.
std::string switch_operand(const ir::Union& decl, const std::string& value);
std::string union_select(const ir::Union& decl);  // fooC.cpp
std::string union_codec(const ir::Union& decl);
std::string union_codec_body(const ir::Union& decl);

// bits.cpp
std::string bitmask(const ir::Bitmask& decl);
std::string bitmask_operators(const ir::Bitmask& decl);
std::string bitset(const ir::Bitset& decl);
std::string integer_type_of(const ir::Declaration& decl);      // "std::uint32_t"
std::string integer_typecode_of(const ir::Declaration& decl);  // "ulong"
std::string bits_codec(const ir::Declaration& decl);
std::string bits_print_body(const ir::Declaration& decl);

// codecs.cpp: specialisations of orbweaver::cdr::Codec
/// The type in a Codec that says that it holds values; empty if it does not.
std::string value_scope(const ir::Declaration& decl);
std::string codec(const ir::Declaration& decl);       // fooC.h
std::string codec_body(const ir::Declaration& decl);  // fooC.cpp

// print.cpp: operator<<
std::string print_declaration(const ir::Declaration& decl);  // fooC.h, after the type
std::string print_body(const ir::Declaration& decl);         // fooC.cpp

// stubs.cpp
std::string forward_declaration(const ir::Interface& decl);  // "class Echo;"
std::string interface_traits(const ir::Interface& decl);
/// `types`: the declarations nested in the interface. `more_functions`: further public member functions.
std::string stub(const ir::Interface& decl, const std::string& types, const std::string& more_functions);
std::string stub_body(const ir::Interface& decl);

// forward_interfaces.cpp: forward-declared interfaces, whose classes are unknown
/// For fooC.h of the file that declares the interface.
std::string forward_interface_declarations(const ir::Interface& decl);
/// For fooC.cpp of that file: its TypeCode, unless the program has that of the file that defines it.
std::string forward_interface_typecode(const ir::Interface& decl);
/// For fooC.cpp of the file that defines an interface which an included file forward-declares.
std::string forward_interface_definitions(const ir::Interface& decl);

// skeletons.cpp
std::string skeleton_class(const ir::Interface& decl);
std::string servant_traits(const ir::Interface& decl);
std::string operations_declared(const ir::Interface& decl);  // fooS.h
std::string operations_defined(const ir::Interface& decl);   // fooC.cpp
std::string serve_functions(const ir::Interface& decl);      // fooS.cpp
std::string dispatch(const ir::Interface& decl);             // fooS.cpp

/// One remote call: an operation, or an accessor of an attribute.
struct Call {
  std::string wire_name;  // "say", "_get_level"
  std::string cpp_name;   // "say", "level"
  std::string label;      // "op_say", "get_level": used in the names of generated constants
  bool oneway = false;
  const ir::Type* result = nullptr;
  std::vector<ir::Parameter> parameters;
  std::vector<std::string> contexts;  // patterns; if there are any, a CORBA::Context is the last parameter
  std::vector<const ir::Declaration*> raises;
};
/// The calls of the operations and attributes among declarations, in order.
std::vector<Call> calls_of(const std::vector<const ir::Declaration*>& contents);
/// The calls that an interface declares, in order, without inherited ones.
std::vector<Call> calls_of(const ir::Interface& decl);
/// Whether values of value types, or references to abstract interfaces, are sent with the request (in and
/// inout parameters) or with the reply (the result, and out and inout parameters).
bool sends_values(const Call& call);
bool returns_values(const Call& call);
/// Whether a parameter or the result has a native type, so that the call cannot leave the process.
bool has_native_type(const Call& call);
/// The statement of a stub or skeleton for such a call.
std::string raise_native_type(const ir::Interface& decl, const Call& call);
/// The C++ signature of a call: "std::string say(const std::string& text)".
std::string signature(const Call& call, const std::string& name_prefix, std::string_view tail, int column);

/// Names in the dispatch function of a skeleton.
struct SkeletonNames {
  std::string class_name;  // without its namespace
  std::string skeleton;    // with it
  std::string (*skeleton_of)(const ir::Interface& owner);
  std::string (*serve_function)(const ir::Interface& owner, const Call& call);
};
/// The function `_dispatch` of a skeleton, with the table of the operations of the interface and its bases.
std::string dispatch_function(const ir::Interface& decl, const SkeletonNames& names);

/// A perfect hash: a seed and a table size (a power of two) with which no two of `names` have the same slot.
struct HashTable {
  std::uint32_t seed = 0;
  std::vector<int> slots;  // index of the name in each slot, or -1
};
HashTable perfect_hash(const std::vector<std::string>& names);

/// A two-level perfect hash for many names, for which no single seed suffices: the hash with seed 0 selects
/// one of `seeds` (their number is a power of two), with which the name has a slot of its own. Built in time
/// linear in the number of names.
struct TwoLevelHash {
  std::vector<std::uint32_t> seeds;
  std::vector<int> slots;
};
inline constexpr std::size_t kMaxSingleLevelNames = 128;
TwoLevelHash two_level_hash(const std::vector<std::string>& names);

}  // namespace orbweaver::idl::cpp
