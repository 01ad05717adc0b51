#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_set>
#include <variant>
#include <vector>

#include "idlc/ir/kinds.h"
#include "idlc/ir/type_kind.h"
#include "idlc/source/source_span.h"

/// Intermediate representation (IR): the checked IDL, with all names resolved and all constants computed.
/// Plain data, and the only input of the back ends. The Unit owns declarations and types; comments refer to
/// the Sources.
namespace orbweaver::idl::ir {

__extension__ using Integer = __int128;  // holds all values of all IDL integer types, and detects overflow

struct Declaration;
struct Enumerator;

/// A fixed-point value: digits × 10^-scale.
struct Fixed {
  Integer digits = 0;
  int scale = 0;
  bool operator==(const Fixed&) const = default;
};
struct WideText {  // a wide character or string
  std::u32string text;
  bool operator==(const WideText&) const = default;
};
using Value = std::variant<std::monostate, bool, char, Integer, long double, std::string, WideText, Fixed,
                           const Enumerator*>;

/// Sizes and alignment of a type's values in CDR, in bytes.
struct Layout {
  std::uint64_t min_bytes = 0;  ///< minimum size
  std::uint64_t max_bytes = 0;  ///< maximum size at any offset, including padding; 0: no fixed size
  std::uint32_t align = 1;      ///< alignment of the most strictly aligned member
  /// The representation in memory equals CDR: no padding, every bit pattern valid. `min_bytes` is the size
  /// then.
  bool plain = false;
  /// For an array or struct of fixed size: spans[n] is the size, including padding, of a value that is
  /// written at an offset of n beyond a multiple of 8.
  std::array<std::uint64_t, 8> spans{};
};

/// The cached result of layout_of() for an array or a struct. A copy starts empty.
struct CachedLayout {
  CachedLayout() = default;
  CachedLayout(const CachedLayout&) {}
  CachedLayout& operator=(const CachedLayout&) { return *this; }
  mutable std::unique_ptr<const Layout> layout;
  mutable bool computing = false;
};

/// The cached answer of holds_values() for a struct, union or typedef.
struct CachedAnswer {
  mutable bool known = false, yes = false;
};

struct Type {
  TypeKind kind = TypeKind::void_;
  const Type* element = nullptr;             // sequence, array, the value of a map
  const Type* key = nullptr;                 // map
  std::uint64_t bound = 0;                   // string, wstring, sequence, map; 0: none
  std::vector<std::uint64_t> dimensions;     // array, outermost first
  std::uint32_t digits = 0, scale = 0;       // fixed
  const Declaration* declaration = nullptr;  // declared
  /// For a sequence or map: the struct or union in its elements that was not defined when the type was made.
  const Declaration* incomplete_element = nullptr;
  CachedLayout layout;  // arrays only
};

struct AnnotationUse {
  struct Argument {
    std::string name;
    Value value;
  };
  std::string name;
  std::vector<Argument> arguments;
  Span span;
};
using Annotations = std::vector<AnnotationUse>;

struct Declaration {
  explicit Declaration(DeclKind which) : kind(which) {}
  virtual ~Declaration() = default;

  std::string name;
  const Declaration* parent = nullptr;  // null at global scope
  Span span;                            // of the name
  DeclKind kind;
  bool in_main_file = true;
  bool builtin = false;             // declared in the built-in IDL: no header is generated for it
  bool id_is_complete = false;      // `id` is the whole repository id
  const std::string* id = nullptr;  // the repository id or its beginning; owned by the Unit
  std::string_view comment;         // the comment before it, with its delimiters; in the Sources
  Annotations annotations;

  /// For example "IDL:Test/Echo:1.0".
  std::string repository_id() const;
};

struct Module : Declaration {  // one opening of a module
  Module() : Declaration(DeclKind::module) {}
  const Declaration* instance_of = nullptr;  // the template module it was made from
  std::vector<const Declaration*> contents;
};

struct Interface : Declaration {
  Interface() : Declaration(DeclKind::interface) {}
  bool abstract_ = false, local = false;
  bool defined = false;
  bool forward_declared = false;
  bool forward_declared_in_include = false;  // forward-declared by a file that the main file includes
  std::vector<const Interface*> bases;
  std::vector<const Declaration*> contents;
};

struct Field {
  std::string name;
  const Type* type = nullptr;
  bool local = false;      // contains a reference to a local object, which cannot leave the process
  bool recursive = false;  // @external or @optional, with a type that is incomplete here
  Span span;
  std::string_view comment;  // in the Sources
  Annotations annotations;
};
struct Struct : Declaration {
  Struct() : Declaration(DeclKind::struct_) {}
  bool defined = false;
  bool forward_declared = false;     // forward-declared
  bool trailing_underscore = false;  // a member, possibly inherited, has a name that ends with '_'
  const Struct* base = nullptr;
  std::vector<Field> fields;
  std::vector<const Declaration*> contents;  // types defined within members
  CachedLayout layout;
  CachedAnswer holds_values;
};
struct Exception : Declaration {
  Exception() : Declaration(DeclKind::exception) {}
  std::vector<Field> fields;
  std::vector<const Declaration*> contents;
};

struct UnionCase {
  std::vector<Value> labels;  // empty, with is_default set: only `default:`
  bool is_default = false;
  Field field;
};
struct Union : Declaration {
  Union() : Declaration(DeclKind::union_) {}
  bool defined = false;
  bool forward_declared = false;
  const Type* discriminator = nullptr;
  std::vector<UnionCase> cases;
  /// The discriminator has values without a label, and there is no default: a union may have no active
  /// member.
  bool has_implicit_default = false;
  std::vector<const Declaration*> contents;
  CachedAnswer holds_values;
};

struct Enumerator : Declaration {
  Enumerator() : Declaration(DeclKind::enumerator) {}
  const Declaration* owner = nullptr;  // the enum or bitmask
  std::uint32_t value = 0;             // position in the enum; for a bitmask: position of the bit
};
struct Enum : Declaration {
  Enum() : Declaration(DeclKind::enum_) {}
  std::vector<const Enumerator*> enumerators;
};
struct Bitmask : Declaration {
  Bitmask() : Declaration(DeclKind::bitmask) {}
  std::uint32_t bits = 32;  // @bit_bound
  std::vector<const Enumerator*> flags;
};
struct Bitfield {
  std::string name;  // empty: padding
  std::uint32_t bits = 0;
  const Type* type = nullptr;
  Span span;
};
struct Bitset : Declaration {
  Bitset() : Declaration(DeclKind::bitset) {}
  const Bitset* base = nullptr;
  std::uint32_t bits = 0;  // including those of the base
  std::vector<Bitfield> fields;
};

struct Typedef : Declaration {
  Typedef() : Declaration(DeclKind::typedef_) {}
  const Type* type = nullptr;
  const Type* resolved_type = nullptr;  // the type with all typedefs resolved; null: call resolved()
  bool view = false;                    // @view
  CachedAnswer holds_values;
};
struct Constant : Declaration {
  Constant() : Declaration(DeclKind::constant) {}
  const Type* type = nullptr;
  Value value;
};
struct Native : Declaration {
  Native() : Declaration(DeclKind::native) {}
};

struct Attribute : Declaration {
  Attribute() : Declaration(DeclKind::attribute) {}
  bool readonly = false;
  const Type* type = nullptr;
  std::vector<const Declaration*> get_raises, set_raises;
};
enum class Direction : std::uint8_t { in, out, inout };
struct Parameter {
  std::string name;
  Direction direction = Direction::in;
  const Type* type = nullptr;
  bool view = false;  // @view on the parameter, or on its typedef
  Span span;
  Annotations annotations;
};
struct Operation : Declaration {
  Operation() : Declaration(DeclKind::operation) {}
  bool oneway = false;
  const Type* result = nullptr;
  std::vector<Parameter> parameters;
  std::vector<const Declaration*> raises;
  std::vector<std::string> contexts;
};

struct ValueBox : Declaration {
  ValueBox() : Declaration(DeclKind::value_box) {}
  const Type* type = nullptr;
  std::vector<const Declaration*> contents;
};
struct Value_ : Declaration {
  Value_() : Declaration(DeclKind::value) {}
  bool abstract_ = false, custom = false, truncatable = false;
  bool event = false;  // an eventtype
  bool defined = false;
  bool forward_declared = false;
  std::vector<const Value_*> bases;
  std::vector<const Interface*> supports;
  std::vector<const Declaration*> contents;
};
struct StateMember : Declaration {
  StateMember() : Declaration(DeclKind::state_member) {}
  bool public_ = false;
  Field field;
};
struct Factory : Declaration {  // a factory of a value type or a home, or a finder of a home
  explicit Factory(DeclKind which = DeclKind::factory) : Declaration(which) {}
  std::vector<Parameter> parameters;
  std::vector<const Declaration*> raises;
};
struct AnnotationDeclaration : Declaration {
  struct Member {
    std::string name;
    const Type* type = nullptr;
    Value default_value;
  };
  AnnotationDeclaration() : Declaration(DeclKind::annotation) {}
  std::vector<Member> members;
};

struct Unit {
  std::string main_path;
  std::vector<std::string> includes;         ///< names as written in the main file's own #include lines
  std::vector<const Declaration*> contents;  ///< global scope, in order, including that of included files
  std::vector<std::string> files;            ///< every file read, for a depfile
  bool user_orb_idl = false;                 ///< an included file orb.idl declares more than the built-in one

  std::deque<std::unique_ptr<Declaration>> declarations;
  std::unordered_set<std::string> ids;  ///< see Declaration::id
  std::deque<Type> types;
};

template <typename T>
const T& as(const Declaration& declaration) {
  return static_cast<const T&>(declaration);
}

/// The type with all typedefs resolved.
const Type& resolved(const Type& type);
/// The declaration that `type` names after resolving typedefs; null if it is not a declared type.
const Declaration* declared(const Type& type);
/// Whether `type` is CORBA::TypeCode, which is declared in every IDL file. It is marshalled as a TypeCode,
/// not as an object reference.
bool is_typecode(const Type& type);
/// The fully scoped name, such as "::Test::Echo"; empty for the global scope.
std::string scoped_name(const Declaration* declaration, std::string_view separator = "::");
/// The type in IDL syntax, for messages: "sequence<Test::Sample, 8>".
std::string describe(const Type& type);
/// All operations and attributes of an interface, inherited ones first, each once.
std::vector<const Declaration*> all_callables(const Interface& interface);
/// The interface and all its bases, each once, most derived first.
std::vector<const Interface*> ancestry(const Interface& interface);

}  // namespace orbweaver::idl::ir
