#pragma once

#include <string>

#include "idlc/ir/ir.h"

/// One small template a construct. Each function returns whole lines for one place in one of the four files.
namespace orbweaver::idl::cpp {

// types.cpp: what fooC.h declares in the namespace (or class) that it belongs to
std::string constant(const ir::Constant& constant, bool in_class);
std::string enumeration(const ir::Enum& made);
std::string alias(const ir::Typedef& made);
/// `types`: what is declared within it.
std::string structure(const ir::Struct& made, const std::string& types);
std::string exception(const ir::Exception& made, const std::string& types);
std::string exception_body(const ir::Exception& made);  // fooC.cpp

// unions.cpp
ir::Integer number_of(const ir::Value& label);
std::string union_(const ir::Union& made, const std::string& types);
/// What a switch looks at: `value`, the discriminator; as a number where it is a boolean, as Clang wishes.
std::string switched(const ir::Union& made, const std::string& value);
std::string union_select(const ir::Union& made);  // fooC.cpp
std::string union_codec(const ir::Union& made);
std::string union_codec_body(const ir::Union& made);

// bits.cpp
std::string bitmask(const ir::Bitmask& made);
std::string bitmask_operators(const ir::Bitmask& made);
std::string bitset(const ir::Bitset& made);
std::string holder_of(const ir::Declaration& made);        // "std::uint32_t"
std::string holder_typecode(const ir::Declaration& made);  // "ulong"
std::string bits_codec(const ir::Declaration& made);
std::string bits_print_body(const ir::Declaration& made);

// codecs.cpp: specialisations of orbweaver::cdr::Codec
std::string codec(const ir::Declaration& made);       // fooC.h
std::string codec_body(const ir::Declaration& made);  // fooC.cpp

// print.cpp: operator<<
std::string print_declaration(const ir::Declaration& made);  // fooC.h, behind the type
std::string print_body(const ir::Declaration& made);         // fooC.cpp

// stubs.cpp
std::string interface_ahead(const ir::Interface& made);  // "class Echo;"
std::string interface_traits(const ir::Interface& made);
std::string stub(const ir::Interface& made,
                 const std::string& types);  // `types`: what the interface declares
std::string stub_body(const ir::Interface& made);

// ahead.cpp: interfaces that are declared and not defined, so that their classes are unknown
/// fooC.h of the file that declares it.
std::string declared_only(const ir::Interface& made);
/// fooC.cpp of the file that defines what an included file declares so.
std::string defined_for_others(const ir::Interface& made);

// skeletons.cpp
std::string skeleton_class(const ir::Interface& made);
std::string servant_traits(const ir::Interface& made);
std::string operations_declared(const ir::Interface& made);  // fooS.h
std::string operations_defined(const ir::Interface& made);   // fooC.cpp
std::string serve_functions(const ir::Interface& made);      // fooS.cpp
std::string dispatch(const ir::Interface& made);             // fooS.cpp

/// One call as it travels: an operation, or an attribute's accessor.
struct Call {
  std::string wire_name;  // "say", "_get_level"
  std::string cpp_name;   // "say", "level"
  std::string label;      // "op_say", "get_level": what generated constants are named after
  bool oneway = false;
  const ir::Type* result = nullptr;
  std::vector<ir::Parameter> parameters;
  std::vector<const ir::Declaration*> raises;
};
/// The calls that an interface itself declares, in order.
std::vector<Call> calls_of(const ir::Interface& made);
/// "std::string say(const std::string& text)"
std::string signature(const Call& call, const std::string& name_prefix, std::string_view tail, int column);

/// A seed and a size (a power of two) under which no two of `names` meet.
struct HashTable {
  std::uint32_t seed = 0;
  std::vector<int> slots;  // which name is in it, or -1
};
HashTable perfect_hash(const std::vector<std::string>& names);

/// For many names, where no seed would do for all of them: the hash under seed 0 chooses a seed of `seeds` (a power of
/// two of them), under which the name has a slot of its own. Linear in the number of names.
struct TwoLevelHash {
  std::vector<std::uint32_t> seeds;
  std::vector<int> slots;
};
inline constexpr std::size_t kMostInOneLevel = 128;
TwoLevelHash two_level_hash(const std::vector<std::string>& names);

}  // namespace orbweaver::idl::cpp
