// Generates bitmasks and bitsets (IDL 4.2, 7.4.13). Both are encoded as the smallest unsigned integer that
// holds their bits.
#include "idlc/cpp/constructs.h"
#include "idlc/cpp/names.h"
#include "idlc/cpp/text.h"
#include "idlc/ir/values.h"

namespace orbweaver::idl::cpp {

using namespace ir;

namespace {

std::uint32_t bits_of(const Bitset& decl) { return decl.bits; }

std::string holder(std::uint32_t bits) {
  return bits <= 8    ? "std::uint8_t"
         : bits <= 16 ? "std::uint16_t"
         : bits <= 32 ? "std::uint32_t"
                      : "std::uint64_t";
}

std::string mask(std::uint32_t bits) { return to_string((Integer{1} << bits) - 1) + "ULL"; }

bool is_signed(const Type& type) {
  TypeKind kind = resolved(type).kind;
  return kind == TypeKind::int8 || kind == TypeKind::short_ || kind == TypeKind::long_ ||
         kind == TypeKind::longlong;
}

}  // namespace

std::string integer_type_of(const Declaration& decl) {
  return holder(decl.kind == DeclKind::bitmask ? as<Bitmask>(decl).bits : bits_of(as<Bitset>(decl)));
}

std::string integer_typecode_of(const Declaration& decl) {
  const std::string type = integer_type_of(decl);
  return type == "std::uint8_t"    ? "octet"
         : type == "std::uint16_t" ? "ushort"
         : type == "std::uint32_t" ? "ulong"
                                   : "ulonglong";
}

std::string bitmask(const Bitmask& decl) {
  std::vector<std::string> flags;
  for (const Enumerator* each : decl.flags)
    flags.push_back(identifier(each->name) + " = " + to_string(Integer{1} << each->value) +
                    (decl.bits > 32 ? "ULL" : "U"));
  return list("enum class " + identifier(decl) + " : " + holder(decl.bits) + " { ", flags, " };\n") + "\n";
}

std::string bitmask_operators(const Bitmask& decl) {
  Integer all = 0;
  for (const Enumerator* each : decl.flags) all |= Integer{1} << each->value;
  return fill(R"(constexpr $type$ operator|($type$ _a, $type$ _b) noexcept {
  return static_cast<$type$>(static_cast<$holder$>(_a) | static_cast<$holder$>(_b));
}
constexpr $type$ operator&($type$ _a, $type$ _b) noexcept {
  return static_cast<$type$>(static_cast<$holder$>(_a) & static_cast<$holder$>(_b));
}
constexpr $type$ operator^($type$ _a, $type$ _b) noexcept {
  return static_cast<$type$>(static_cast<$holder$>(_a) ^ static_cast<$holder$>(_b));
}
/// The declared flags that are not set.
constexpr $type$ operator~($type$ _a) noexcept {
  return static_cast<$type$>(~static_cast<std::uint64_t>(_a) & $all$);
}
inline $type$& operator|=($type$& _a, $type$ _b) noexcept { return _a = _a | _b; }
inline $type$& operator&=($type$& _a, $type$ _b) noexcept { return _a = _a & _b; }

)",
              {{"type", qualified(decl)}, {"holder", holder(decl.bits)}, {"all", to_string(all) + "ULL"}});
}

std::string bitset(const Bitset& decl) {
  std::string accessors;
  std::uint32_t at = decl.base ? bits_of(*decl.base) : 0;
  for (const Bitfield& field : decl.fields) {
    std::uint32_t first = at;
    at += field.bits;
    if (field.name.empty()) continue;
    // A signed field is sign-extended.
    std::string value = "(_bits_ >> " + std::to_string(first) + " & " + mask(field.bits) + ")";
    if (is_signed(*field.type) && field.bits < 64) {
      std::string sign = to_string(Integer{1} << (field.bits - 1)) + "ULL";
      value = "((" + value + " ^ " + sign + ") - " + sign + ")";
    }
    bool boolean = resolved(*field.type).kind == TypeKind::boolean;
    accessors += fill(
        R"($type$ $name$() const noexcept { return $get$; }
void $name$($type$ _value) noexcept {
  _bits_ = (_bits_ & ~($mask$ << $first$)) | (static_cast<std::uint64_t>(_value) & $mask$) << $first$;
}

)",
        {{"type", type_name(*field.type)},
         {"name", identifier(field.name)},
         {"get", boolean ? value + " != 0" : "static_cast<" + type_name(*field.type) + ">(" + value + ")"},
         {"mask", mask(field.bits)},
         {"first", std::to_string(first)}});
  }
  return fill(R"(class $name$$base$ {
 public:
  $name$() = default;

$accessors$
$common$
};

)",
              {{"name", identifier(decl)},
               {"base", decl.base ? " : public " + qualified(*decl.base) : ""},
               {"accessors", indented(accessors, 2)},
               {"common",
                decl.base ? "" : R"(  /// All fields as one integer, the first in the lowest bits, as in CDR.
  std::uint64_t _bits() const noexcept { return _bits_; }
  void _bits(std::uint64_t _value) noexcept { _bits_ = _value; }

 protected:
  std::uint64_t _bits_ = 0;
)"}});
}

std::string bits_codec(const Declaration& decl) {
  bool is_mask = decl.kind == DeclKind::bitmask;
  std::string type = integer_type_of(decl);
  std::uint32_t bytes = type == "std::uint8_t"    ? 1
                        : type == "std::uint16_t" ? 2
                        : type == "std::uint32_t" ? 4
                                                  : 8;
  return fill(R"(template <>
struct Codec<$type$> {
  static constexpr std::size_t kMinBytes = $bytes$, kMaxBytes = $max_bytes$, kAlign = $bytes$;
  static constexpr bool kPlain = false;
  static std::size_t bound($type$) noexcept { return kMaxBytes; }
  static void encode(Encoder& out, $type$ value) { out.put(static_cast<$holder$>($bits$)); }
  static void decode(Decoder& in, $type$& value) { $set$; }
};

)",
              {{"type", qualified(decl)},
               {"bytes", std::to_string(bytes)},
               {"max_bytes", std::to_string(2 * bytes - 1)},
               {"holder", type},
               {"bits", is_mask ? "value" : "value._bits()"},
               {"set", is_mask ? "value = static_cast<" + qualified(decl) + ">(in.get<" + type + ">())"
                               : "value._bits(in.get<" + type + ">())"}});
}

std::string bits_print_body(const Declaration& decl) {
  if (decl.kind == DeclKind::bitset) {
    std::string out = "_os << \"" + scoped_name(&decl).substr(2) + "{\";\n";
    std::string separator;
    for (const Bitfield& field : as<Bitset>(decl).fields) {
      if (field.name.empty()) continue;
      out += "_os << \"" + separator + field.name + ": \" << +_value." + identifier(field.name) + "();\n";
      separator = ", ";
    }
    return out + "return _os << '}';\n";
  }
  std::string out = "const char* _separator = \"\";\n_os << '(';\n";
  for (const Enumerator* each : as<Bitmask>(decl).flags) {
    out += "if ((_value & " + qualified(decl) + "::" + identifier(each->name) + ") != " + qualified(decl) +
           "{}) {\n  _os << _separator << " + string_literal(each->name) + ";\n  _separator = \" | \";\n}\n";
  }
  return out + "return _os << ')';\n";
}

}  // namespace orbweaver::idl::cpp
