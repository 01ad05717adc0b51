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
#include "idlc/source/span.h"

/// The checked IDL: every name is resolved, every constant computed, every rule kept. Plain data and all that
/// a back end sees. Declarations and types live in the Unit and are pointed at; comments lie in the Sources.
namespace orbweaver::idl::ir {

__extension__ using Integer = __int128;  // holds every value of every integer type, and room for overflow

struct Declaration;
struct Enumerator;

/// A fixed-point value: digits × 10^-scale.
struct Fixed {
  Integer digits = 0;
  int scale = 0;
  bool operator==(const Fixed&) const = default;
};
struct Wide {  // a wide character or string
  std::u32string text;
  bool operator==(const Wide&) const = default;
};
using Value = std::variant<std::monostate, bool, char, Integer, long double, std::string, Wide, Fixed,
                           const Enumerator*>;

/// How values of a type lie in CDR, in bytes.
struct Layout {
  std::uint64_t least = 0;  ///< the fewest bytes a value takes
  std::uint64_t most = 0;   ///< the most, wherever it starts, padding included; 0: not fixed
  std::uint32_t align = 1;  ///< of the strictest member
  /// The value lies in memory as in CDR: no padding, every bit pattern valid. Then `least` is its size.
  bool plain = false;
  /// Of an array or struct whose values are all of fixed size: the bytes from where writing begins to the end,
  /// padding included, where it begins that far beyond a multiple of 8.
  std::array<std::uint64_t, 8> spans{};
};

/// What layout_of() found out about an array or a struct, kept for its next question. A copy starts afresh.
struct KeptLayout {
  KeptLayout() = default;
  KeptLayout(const KeptLayout&) {}
  KeptLayout& operator=(const KeptLayout&) { return *this; }
  mutable std::unique_ptr<const Layout> layout;
  mutable bool asked = false;  // while it is being found out
};

struct Type {
  TypeKind kind = TypeKind::void_;
  const Type* element = nullptr;             // sequence, array, the value of a map
  const Type* key = nullptr;                 // map
  std::uint64_t bound = 0;                   // string, wstring, sequence, map; 0: none
  std::vector<std::uint64_t> dimensions;     // array, outermost first
  std::uint32_t digits = 0, scale = 0;       // fixed
  const Declaration* declaration = nullptr;  // declared
  /// Of a sequence or map: the struct or union behind its elements that was not defined when the type was made.
  const Declaration* awaits = nullptr;
  KeptLayout layout;  // of an array
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
  bool builtin = false;  // in the orb.idl that the compiler carries: there is no header for it
  bool id_is_whole = false;       // see id
  const std::string* id = nullptr;  // the repository id, or what it begins with: kept by the Unit
  std::string_view comment;       // as written before it, with its marks; in the Sources
  Annotations annotations;

  /// "IDL:Test/Echo:1.0"
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
  bool ahead = false;
  bool ahead_elsewhere = false;  // declared ahead by a file that the main file includes
  std::vector<const Interface*> bases;
  std::vector<const Declaration*> contents;
};

struct Field {
  std::string name;
  const Type* type = nullptr;
  bool local = false;      // holds a reference that cannot leave the process
  bool recursive = false;  // @external or @optional: holds what is not defined yet, perhaps itself
  Span span;
  std::string_view comment;  // in the Sources
  Annotations annotations;
};
struct Struct : Declaration {
  Struct() : Declaration(DeclKind::struct_) {}
  bool defined = false;
  bool ahead = false;  // declared before it is defined
  bool trailing_underscore = false;  // a member, perhaps an inherited one, has a name that ends with '_'
  const Struct* base = nullptr;
  std::vector<Field> fields;
  std::vector<const Declaration*> contents;  // types written in place
  KeptLayout layout;
};
struct Exception : Declaration {
  Exception() : Declaration(DeclKind::exception) {}
  std::vector<Field> fields;
  std::vector<const Declaration*> contents;
};

struct UnionCase {
  std::vector<Value> labels;  // none but is_default: `default:` alone
  bool is_default = false;
  Field field;
};
struct Union : Declaration {
  Union() : Declaration(DeclKind::union_) {}
  bool defined = false;
  bool ahead = false;
  const Type* discriminator = nullptr;
  std::vector<UnionCase> cases;
  /// A value that no label names and no default covers: the union may be empty then.
  bool has_implicit_default = false;
  std::vector<const Declaration*> contents;
};

struct Enumerator : Declaration {
  Enumerator() : Declaration(DeclKind::enumerator) {}
  const Declaration* owner = nullptr;  // the enum or bitmask
  std::uint32_t value = 0;             // of a bitmask: the position of the bit
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
  std::uint32_t bits = 0;  // its base's included
  std::vector<Bitfield> fields;
};

struct Typedef : Declaration {
  Typedef() : Declaration(DeclKind::typedef_) {}
  const Type* type = nullptr;
  const Type* behind = nullptr;  // what it stands for through all typedefs; null: ask resolved()
  bool view = false;             // @view
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
  bool ahead = false;
  std::vector<const Value_*> bases;
  std::vector<const Interface*> supports;
  std::vector<const Declaration*> contents;
};
struct StateMember : Declaration {
  StateMember() : Declaration(DeclKind::state_member) {}
  bool public_ = false;
  Field field;
};
struct Factory : Declaration {  // of a value type or a home; of a home, a finder too
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
  std::vector<std::string> includes;         ///< as the main file's own #include lines name them
  std::vector<const Declaration*> contents;  ///< global scope, in order; included files too
  std::vector<std::string> files;            ///< every file read, for a depfile
  bool own_orb = false;  ///< a file orb.idl was included that declares more than the compiler's has

  std::deque<std::unique_ptr<Declaration>> declarations;
  std::unordered_set<std::string> ids;  ///< see Declaration::id
  std::deque<Type> types;
};

template <typename T>
const T& as(const Declaration& declaration) {
  return static_cast<const T&>(declaration);
}

/// Behind every typedef.
const Type& resolved(const Type& type);
/// The declaration of kind T behind `type` and its typedefs, or null.
const Declaration* declared(const Type& type);
/// CORBA::TypeCode, which every IDL file knows: it travels as what it is, not as a reference.
bool is_typecode(const Type& type);
/// "::Test::Echo"; empty for the global scope.
std::string scoped_name(const Declaration* declaration, std::string_view separator = "::");
/// As a person would write the type: "sequence<Test::Sample, 8>".
std::string describe(const Type& type);
/// Every operation and attribute that an interface has, inherited ones first, each once.
std::vector<const Declaration*> all_callables(const Interface& interface);
/// The interface and all it inherits, each once, most derived first.
std::vector<const Interface*> ancestry(const Interface& interface);

}  // namespace orbweaver::idl::ir
