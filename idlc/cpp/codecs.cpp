#include "idlc/cpp/constructs.h"
#include "idlc/cpp/names.h"
#include "idlc/cpp/text.h"
#include "idlc/cpp/values.h"
#include "idlc/ir/holds_values.h"
#include "idlc/ir/layout.h"

namespace orbweaver::idl::cpp {

using namespace ir;

namespace {

std::string enum_codec(const Enum& decl) {
  return fill(R"(template <>
struct Codec<$type$> {
  static constexpr std::size_t kMinBytes = 4, kMaxBytes = 7, kAlign = 4;
  static constexpr bool kPlain = false;
  static std::size_t bound($type$) noexcept { return kMaxBytes; }
  static void encode(Encoder& out, $type$ value) { out.put(static_cast<std::uint32_t>(value)); }
  static void decode(Decoder& in, $type$& value) {
    const auto n = in.get<std::uint32_t>();
    if (n >= $count$) return in.fail(Fault::bad_enum);
    value = static_cast<$type$>(n);
  }
};

)",
              {{"type", qualified(decl)}, {"count", std::to_string(decl.enumerators.size())}});
}

std::string struct_codec(const Struct& decl) {
  Type type;
  type.kind = TypeKind::declared;
  type.declaration = &decl;
  Layout layout = layout_of(type);
  return fill(
      R"(template <>
struct Codec<$type$> {
  static constexpr std::size_t kMinBytes = $min_bytes$, kMaxBytes = $max_bytes$, kAlign = $align$;
  static constexpr bool kPlain = $plain$;
$scope$
$proof$
  static std::size_t bound(const $type$&$fixed$
  static void encode(Encoder& out, const $type$& value);
  static void decode(Decoder& in, $type$& value);
};

)",
      {{"type", qualified(decl)},
       {"min_bytes", std::to_string(layout.min_bytes)},
       {"max_bytes", std::to_string(layout.max_bytes)},
       {"align", std::to_string(layout.align)},
       {"plain", layout.plain ? "true" : "false"},
       {"scope", value_scope(decl)},
       {"proof", layout.plain ? "  static_assert(sizeof(" + qualified(decl) + ") == kMinBytes);\n" : ""},
       {"fixed", layout.max_bytes ? ") noexcept { return kMaxBytes; }" : " value);"}});
}

std::string struct_codec_body(const Struct& decl) {
  Type type;
  type.kind = TypeKind::declared;
  type.declaration = &decl;
  bool fixed = layout_of(type).max_bytes != 0;
  std::vector<std::string> bounds;
  std::string encodes, decodes;
  if (decl.base) {
    std::string base = "Codec<" + qualified(*decl.base) + ">::";
    bounds.push_back("bound_of<" + qualified(*decl.base) + ">(value)");
    encodes += base + "encode(out, value);\n";
    decodes += base + "decode(in, value);\n";
  }
  for (const Field& field : decl.fields) {
    std::string name = identifier(field.name);
    bounds.push_back("bound_of(value." + name + "())");
    encodes += "cdr::encode(out, value." + name + "());\n";
    decodes += "cdr::decode(in, value." + name + "());\n";
  }
  // A struct without members is encoded as one octet.
  if (bounds.empty()) {
    encodes = "out.put(std::uint8_t{0});\nstatic_cast<void>(value);\n";
    decodes = "in.get<std::uint8_t>();\nstatic_cast<void>(value);\n";
  }
  if (!fixed) decodes = "if (!in.enter()) return;\n" + decodes + "in.leave();\n";
  std::string bound;
  if (!fixed) {
    bound = fill(R"(std::size_t Codec<$type$>::bound(const $type$& value) {
  return $sum$;
}

)",
                 {{"type", qualified(decl)}, {"sum", join(bounds, " +\n         ")}});
  }
  return bound + fill(R"(void Codec<$type$>::encode(Encoder& out, const $type$& value) {
$encodes$
}

void Codec<$type$>::decode(Decoder& in, $type$& value) {
$decodes$
}

)",
                      {{"type", qualified(decl)},
                       {"encodes", indented(encodes, 2)},
                       {"decodes", indented(decodes, 2)}});
}

}  // namespace

std::string value_scope(const Declaration& decl) {
  return holds_values(decl) ? "  using Scope = ValueReadScope;\n" : "";
}

std::string codec(const Declaration& decl) {
  const bool abstract = decl.kind == DeclKind::interface && as<Interface>(decl).abstract_;
  if (abstract || decl.kind == DeclKind::value || decl.kind == DeclKind::value_box) return value_codec(decl);
  if (decl.kind == DeclKind::enum_) return enum_codec(as<Enum>(decl));
  if (decl.kind == DeclKind::struct_) return struct_codec(as<Struct>(decl));
  if (decl.kind == DeclKind::union_) return union_codec(as<Union>(decl));
  if (decl.kind == DeclKind::bitmask || decl.kind == DeclKind::bitset) return bits_codec(decl);
  return {};
}

std::string codec_body(const Declaration& decl) {
  if (decl.kind == DeclKind::struct_) return struct_codec_body(as<Struct>(decl));
  if (decl.kind == DeclKind::union_) return union_codec_body(as<Union>(decl));
  return {};
}

}  // namespace orbweaver::idl::cpp
