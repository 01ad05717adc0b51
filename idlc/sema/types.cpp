#include "idlc/sema/checker.h"

namespace orbweaver::idl {

using ir::DeclKind;
using ir::TypeKind;

const ir::Type* Checker::add_type(ir::Type type) {
  for (const ir::Type* part : {type.key, type.element}) {
    if (part && !type.incomplete_element) type.incomplete_element = incomplete_declaration(*part);
  }
  return &unit_->types.emplace_back(std::move(type));
}

const ir::Type* Checker::basic(TypeKind kind) {
  const ir::Type*& known = basics_[static_cast<std::size_t>(kind)];
  if (!known) {
    ir::Type new_type;
    new_type.kind = kind;
    known = add_type(new_type);
  }
  return known;
}

const ir::Type* Checker::declared_type(const ir::Declaration& declaration) {
  const ir::Type*& known = declared_types_[&declaration];
  if (!known) {
    ir::Type new_type;
    new_type.kind = TypeKind::declared;
    new_type.declaration = &declaration;
    known = add_type(new_type);
  }
  return known;
}

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

// The forward-declared struct or union that makes the type incomplete; null if the type is complete.
const ir::Declaration* Checker::incomplete_declaration(const ir::Type& type) {
  const auto undefined = [](const ir::Declaration* decl) {
    if (!decl) return false;
    if (decl->kind == DeclKind::struct_) return !ir::as<ir::Struct>(*decl).defined;
    return decl->kind == DeclKind::union_ && !ir::as<ir::Union>(*decl).defined;
  };
  const ir::Type& real = ir::resolved(type);
  const ir::Declaration* needed =
      real.kind == TypeKind::declared ? real.declaration : real.incomplete_element;
  return undefined(needed) ? needed : nullptr;
}

bool Checker::is_open(const ir::Declaration* declaration) const {
  for (const Scope* at = scope_; at; at = at->outer) {
    if (at->owner == declaration) return true;
  }
  return false;
}

// Reports a use of an incomplete type where it is not allowed; returns whether it did. A forward-declared
// type may be the element of a sequence. Such a sequence is itself incomplete: it may be the element of
// another sequence, have a typedef, and be a member of the type that it depends on (IDL 4.2, 7.4.1.4.4.4.3).
// With @external or @optional (DDS-XTypes 1.3, 7.2.2.4.4.4.7) a member may have any declared type.
bool Checker::incomplete(const ir::Type& type, TypeUse use, Span span) {
  if (use == TypeUse::element || use == TypeUse::indirect) return false;
  const ir::Declaration* missing = incomplete_declaration(type);
  if (!missing) return false;
  const bool itself = ir::resolved(type).kind == TypeKind::declared;
  const bool open = is_open(missing);
  if (itself && open && use == TypeUse::member) {
    diagnostics_
        .error("recursive-type", span,
               std::string(ir::noun(missing->kind)) + " '" + missing->name + "' cannot hold itself")
        .suggest("hold it in a sequence: 'sequence<" + missing->name + ">' or 'sequence<" + missing->name +
                 ", 1>'");
    return true;
  }
  const bool of_value = scope_->owner && scope_->owner->kind == DeclKind::value && use == TypeUse::member;
  if (open || (!itself && (use == TypeUse::any || of_value))) return false;
  diagnostics_
      .error("incomplete-type", span,
             itself ? "'" + missing->name + "' is only declared ahead here"
                    : "a sequence of '" + missing->name +
                          "', which is only declared ahead here, can be a member of '" + missing->name +
                          "' alone")
      .suggest(itself ? "define it before this line, or hold it in a sequence" : "define it before this line")
      .note(missing->span, "declared ahead here");
  return true;
}

const ir::Type* Checker::named_type(const tree::TypeSpec& spec, TypeUse use) {
  // int8 and similar names are types in IDL 4.2, but older IDL files define types with these names.
  if (spec.name.parts.size() == 1 && !spec.name.absolute) {
    std::string_view name = spec.name.parts[0].text;
    TypeKind builtin = integer_named(name);
    bool own = false;
    for (Scope* at = scope_; builtin != TypeKind::void_ && at && !own; at = at->outer)
      own = find_here(*at, name).symbol != nullptr;
    if (builtin != TypeKind::void_ && !own) return basic(builtin);
  }
  Symbol* symbol = resolve(spec.name);
  if (!symbol || symbol->broken) return nullptr;
  if (symbol->type && symbol->type->kind != TypeKind::declared) return symbol->type;
  if (!symbol->declaration || !is_type(symbol->declaration->kind)) {
    diagnostics_
        .error("wrong-kind", spec.name.span,
               "'" + std::string(spec.name.parts.back().text) + "' is not a type")
        .note(symbol->span,
              "it is " +
                  std::string(std::string_view("aeiou").find(symbol->noun[0]) == std::string_view::npos
                                  ? "a "
                                  : "an ") +
                  std::string(symbol->noun) + ", declared here");
    return nullptr;
  }
  const ir::Type* named = declared_type(*symbol->declaration);
  if (incomplete(*named, use, spec.span)) return nullptr;
  if (symbol->declaration->kind == DeclKind::typedef_ && use != TypeUse::parameter &&
      ir::as<ir::Typedef>(*symbol->declaration).view) {
    diagnostics_
        .error("view", spec.span,
               "'" + symbol->declaration->name + "' is a view; a view is for 'in' parameters only")
        .suggest("use a typedef without @view for data that is kept")
        .note(symbol->span, "declared here");
    return nullptr;
  }
  if (symbol->declaration->kind == DeclKind::native && use != TypeUse::parameter && use != TypeUse::result &&
      use != TypeUse::any) {
    diagnostics_.error("native-type", spec.span, "a native type cannot be part of data")
        .suggest("native types are for the parameters and results of local interfaces");
    return nullptr;
  }
  return named;
}

const ir::Type* Checker::type(const tree::TypeSpec& spec, TypeUse use,
                              std::vector<const ir::Declaration*>* contents) {
  switch (spec.kind) {
    case TypeKind::declared: {
      if (!spec.constructed) return named_type(spec, use);
      std::vector<const ir::Declaration*> ignored;
      ir::Declaration* decl = constructed(*spec.constructed, contents ? *contents : ignored);
      return decl ? declared_type(*decl) : nullptr;
    }
    case TypeKind::sequence: {
      annotations(spec.element->annotations, AnnotationTarget::member);
      const ir::Type* element = type(*spec.element, TypeUse::element);
      ir::Type new_type;
      new_type.kind = TypeKind::sequence;
      new_type.element = element;
      if (spec.bound) {
        auto bound = size(*spec.bound, "the bound of a sequence", 0xFFFFFFFFu);
        if (!bound) return nullptr;
        new_type.bound = *bound;
      }
      if (!element) return nullptr;
      const ir::Type* added = add_type(new_type);
      return incomplete(*added, use, spec.span) ? nullptr : added;
    }
    case TypeKind::map: {
      ir::Type new_type;
      new_type.kind = TypeKind::map;
      new_type.key = type(*spec.key, TypeUse::member);
      new_type.element = type(*spec.element, TypeUse::element);
      if (spec.bound) {
        auto bound = size(*spec.bound, "the bound of a map", 0xFFFFFFFFu);
        if (!bound) return nullptr;
        new_type.bound = *bound;
      }
      if (!new_type.key || !new_type.element) return nullptr;
      const ir::Type* added = add_type(new_type);
      return incomplete(*added, use, spec.span) ? nullptr : added;
    }
    case TypeKind::string:
    case TypeKind::wstring: {
      if (!spec.bound) return basic(spec.kind);
      ir::Type new_type;
      new_type.kind = spec.kind;
      auto bound = size(*spec.bound, "the bound of a string", 0xFFFFFFFEu);
      if (!bound) return nullptr;
      new_type.bound = *bound;
      return add_type(new_type);
    }
    case TypeKind::fixed: {
      ir::Type new_type;
      new_type.kind = TypeKind::fixed;
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
      auto digits = size(*spec.bound, "the number of digits", 31);
      auto scale = integer(*spec.scale, *basic(TypeKind::ulong));
      if (!digits || !scale) return nullptr;
      if (*scale < 0 || *scale > static_cast<ir::Integer>(*digits)) {
        diagnostics_.error("bad-fixed", spec.scale->span,
                           "the scale of a fixed-point type lies between 0 and its digits");
        return nullptr;
      }
      new_type.digits = static_cast<std::uint32_t>(*digits);
      new_type.scale = static_cast<std::uint32_t>(*scale);
      return add_type(new_type);
    }
    default: return basic(spec.kind);
  }
}

const ir::Type* Checker::array(const ir::Type* element, const tree::Declarator& declarator) {
  if (declarator.dimensions.empty()) return element;
  if (incomplete(*element, TypeUse::constant, declarator.name.span)) return nullptr;
  ir::Type new_type;
  new_type.kind = TypeKind::array;
  new_type.element = element;
  std::uint64_t count = 1;
  for (const tree::ExpressionPtr& each : declarator.dimensions) {
    auto dimension = size(*each, "the size of an array", 0x7FFFFFFFu);
    if (!dimension) return nullptr;
    count *= *dimension;
    if (count > 0x7FFFFFFFu) {
      diagnostics_.error("too-large", each->span, "this array has more than 2147483647 elements");
      return nullptr;
    }
    new_type.dimensions.push_back(*dimension);
  }
  return add_type(new_type);
}

std::optional<std::uint64_t> Checker::size(const tree::Expression& expression, std::string_view what,
                                           std::uint64_t maximum) {
  std::optional<ir::Integer> value = integer(expression, *basic(TypeKind::longlong));
  if (!value) return std::nullopt;
  if (*value >= 1 && *value <= static_cast<ir::Integer>(maximum)) return static_cast<std::uint64_t>(*value);
  diagnostics_.error(
      "bad-size", expression.span,
      std::string(what) + (*value < 1 ? " is at least 1" : " is at most " + std::to_string(maximum)));
  return std::nullopt;
}

}  // namespace orbweaver::idl
