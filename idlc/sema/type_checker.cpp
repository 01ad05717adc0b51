#include "idlc/sema/type_checker.h"

namespace orbweaver::idl {

using ir::DeclKind;
using ir::TypeKind;

namespace {

TypeKind integer_named(std::string_view name) {
  switch (keyword_of(name)) {
    case Keyword::int8_: return TypeKind::int8;
    case Keyword::uint8_: return TypeKind::uint8;
    case Keyword::int16_: return TypeKind::short_;
    case Keyword::uint16_: return TypeKind::ushort;
    case Keyword::int32_: return TypeKind::long_;
    case Keyword::uint32_: return TypeKind::ulong;
    case Keyword::int64_: return TypeKind::longlong;
    case Keyword::uint64_: return TypeKind::ulonglong;
    default: return TypeKind::void_;
  }
}

bool is_type(DeclKind kind) {
  switch (kind) {
    case DeclKind::interface:
    case DeclKind::value:
    case DeclKind::value_box:
    case DeclKind::struct_:
    case DeclKind::union_:
    case DeclKind::enum_:
    case DeclKind::bitmask:
    case DeclKind::bitset:
    case DeclKind::typedef_:
    case DeclKind::native:
    case DeclKind::component:  // means its equivalent interface (CORBA 3.3 part 3, 6.3.2)
    case DeclKind::home: return true;
    default: return false;
  }
}

}  // namespace

const ir::Type* TypeChecker::check(const tree::TypeSpec& spec, TypeUse use, Contents* contents) {
  switch (spec.kind) {
    case TypeKind::declared: return spec.constructed ? nested_type(spec, contents) : named_type(spec, use);
    case TypeKind::sequence:
    case TypeKind::map: return collection(spec, use);
    case TypeKind::string:
    case TypeKind::wstring: return string(spec);
    case TypeKind::fixed: return fixed(spec, use);
    default: return basic(spec.kind);
  }
}

const ir::Type* TypeChecker::nested_type(const tree::TypeSpec& spec, Contents* contents) {
  Contents dropped;
  const ir::Declaration* decl = nested_.define(*spec.constructed, contents ? *contents : dropped);
  return decl ? types_.declared(*decl) : nullptr;
}

// Sets the bound of a sequence, map or string, if it has one.
bool TypeChecker::bound(const tree::TypeSpec& spec, std::string_view what, std::uint64_t maximum,
                        ir::Type& type) {
  if (!spec.bound) return true;
  const std::optional<std::uint64_t> size = constants_.size(*spec.bound, what, maximum);
  type.bound = size.value_or(0);
  return size.has_value();
}

const ir::Type* TypeChecker::collection(const tree::TypeSpec& spec, TypeUse use) {
  const bool map = spec.kind == TypeKind::map;
  ir::Type type;
  type.kind = spec.kind;
  if (map)
    type.key = check(*spec.key, TypeUse::member);
  else
    annotations_.check(spec.element->annotations, AnnotationTarget::member);
  type.element = check(*spec.element, TypeUse::element);
  if (!bound(spec, map ? "the bound of a map" : "the bound of a sequence", 0xFFFFFFFFu, type)) return nullptr;
  if ((map && !type.key) || !type.element) return nullptr;
  return usable(types_.add(type), use, spec.span);
}

const ir::Type* TypeChecker::string(const tree::TypeSpec& spec) {
  if (!spec.bound) return basic(spec.kind);
  ir::Type type;
  type.kind = spec.kind;
  return bound(spec, "the bound of a string", 0xFFFFFFFEu, type) ? types_.add(type) : nullptr;
}

const ir::Type* TypeChecker::fixed(const tree::TypeSpec& spec, TypeUse use) {
  if (!spec.bound) {
    if (use == TypeUse::constant) return basic(TypeKind::fixed);
    diagnostics_.error("bad-fixed", spec.span, "a fixed-point type needs its digits and scale")
        .suggest("write fixed<digits, scale>");
    return nullptr;
  }
  if (use == TypeUse::constant) {
    diagnostics_.error("bad-fixed", spec.span,
                       "a constant is of type 'fixed' alone: its value gives digits and scale");
    return nullptr;
  }
  const auto digits = constants_.size(*spec.bound, "the number of digits", 31);
  const auto scale = constants_.integer(*spec.scale, TypeKind::ulong);
  if (!digits || !scale) return nullptr;
  if (*scale < 0 || *scale > static_cast<ir::Integer>(*digits)) {
    diagnostics_.error("bad-fixed", spec.scale->span,
                       "the scale of a fixed-point type lies between 0 and its digits");
    return nullptr;
  }
  ir::Type type;
  type.kind = TypeKind::fixed;
  type.digits = static_cast<std::uint32_t>(*digits);
  type.scale = static_cast<std::uint32_t>(*scale);
  return types_.add(type);
}

const ir::Type* TypeChecker::named_type(const tree::TypeSpec& spec, TypeUse use) {
  if (const ir::Type* integer = builtin_integer(spec.name)) return integer;
  const Symbol* symbol = names_.resolve(spec.name);
  if (!symbol || symbol->broken) return nullptr;
  if (symbol->type && symbol->type->kind != TypeKind::declared) return symbol->type;
  if (reject_no_type(*symbol, spec)) return nullptr;
  const ir::Type* named = types_.declared(*symbol->declaration);
  if (reject_incomplete(*named, use, spec.span)) return nullptr;
  return reject_use(*symbol->declaration, *symbol, use, spec.span) ? nullptr : named;
}

// int8 and similar names are types in IDL 4.2, but older IDL files define types with these names. Null: the
// name is not one of these, or it is declared.
const ir::Type* TypeChecker::builtin_integer(const tree::ScopedName& name) {
  if (name.parts.size() != 1 || name.absolute) return nullptr;
  const TypeKind kind = integer_named(name.parts[0].text);
  if (kind == TypeKind::void_) return nullptr;
  return names_.find(name) ? nullptr : basic(kind);
}

bool TypeChecker::reject_no_type(const Symbol& symbol, const tree::TypeSpec& spec) {
  if (symbol.declaration && is_type(symbol.declaration->kind)) return false;
  const std::string noun(symbol.noun);
  const bool vowel = std::string_view("aeiou").find(noun[0]) != std::string_view::npos;
  diagnostics_
      .error("wrong-kind", spec.name.span, "'" + std::string(spec.name.parts.back().text) + "' is not a type")
      .note(symbol.span, "it is " + std::string(vowel ? "an " : "a ") + noun + ", declared here");
  return true;
}

// Reports a use of a view or of a native type where it is not allowed.
bool TypeChecker::reject_use(const ir::Declaration& declaration, const Symbol& symbol, TypeUse use,
                             Span span) {
  if (declaration.kind == DeclKind::typedef_ && use != TypeUse::parameter &&
      ir::as<ir::Typedef>(declaration).view) {
    diagnostics_
        .error("view", span, "'" + declaration.name + "' is a view; a view is for 'in' parameters only")
        .suggest("use a typedef without @view for data that is kept")
        .note(symbol.span, "declared here");
    return true;
  }
  if (declaration.kind == DeclKind::native && use != TypeUse::parameter && use != TypeUse::result &&
      use != TypeUse::any) {
    diagnostics_.error("native-type", span, "a native type cannot be part of data")
        .suggest("native types are for the parameters and results of local interfaces");
    return true;
  }
  return false;
}

// Reports a use of an incomplete type where it is not allowed; returns whether it did. A forward-declared
// type may be the element of a sequence. Such a sequence is itself incomplete: it may be the element of
// another sequence, have a typedef, and be a member of the type that it depends on (IDL 4.2, 7.4.1.4.4.4.3).
// With @external or @optional (DDS-XTypes 1.3, 7.2.2.4.4.4.7) a member may have any declared type.
bool TypeChecker::reject_incomplete(const ir::Type& type, TypeUse use, Span span) {
  if (use == TypeUse::element || use == TypeUse::indirect) return false;
  const ir::Declaration* missing = incomplete_declaration(type);
  if (!missing) return false;
  const bool itself = ir::resolved(type).kind == TypeKind::declared;
  const bool open = names_.is_open(missing);
  if (itself && open && use == TypeUse::member) {
    diagnostics_
        .error("recursive-type", span,
               std::string(ir::noun(missing->kind)) + " '" + missing->name + "' cannot hold itself")
        .suggest("hold it in a sequence: 'sequence<" + missing->name + ">' or 'sequence<" + missing->name +
                 ", 1>'");
    return true;
  }
  const ir::Declaration* owner = names_.enclosing_declaration();
  const bool of_value = owner && owner->kind == DeclKind::value && use == TypeUse::member;
  if (open || (!itself && (use == TypeUse::any || of_value))) return false;
  diagnostics_
      .error("incomplete-type", span,
             itself ? "'" + missing->name + "' is only forward-declared here"
                    : "a sequence of '" + missing->name +
                          "', which is only forward-declared here, can be a member of '" + missing->name +
                          "' alone")
      .suggest(itself ? "define it before this line, or hold it in a sequence" : "define it before this line")
      .note(missing->span, "forward-declared here");
  return true;
}

const ir::Type* TypeChecker::array(const ir::Type* element, const tree::Declarator& declarator) {
  if (declarator.dimensions.empty()) return element;
  if (reject_incomplete(*element, TypeUse::constant, declarator.name.span)) return nullptr;
  ir::Type new_type;
  new_type.kind = TypeKind::array;
  new_type.element = element;
  std::uint64_t count = 1;
  for (const tree::ExpressionPtr& each : declarator.dimensions) {
    auto dimension = constants_.size(*each, "the size of an array", 0x7FFFFFFFu);
    if (!dimension) return nullptr;
    count *= *dimension;
    if (count > 0x7FFFFFFFu) {
      diagnostics_.error("too-large", each->span, "this array has more than 2147483647 elements");
      return nullptr;
    }
    new_type.dimensions.push_back(*dimension);
  }
  return types_.add(new_type);
}

}  // namespace orbweaver::idl
