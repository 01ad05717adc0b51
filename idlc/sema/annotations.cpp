#include "idlc/ir/layout.h"
#include "idlc/sema/annotation_rules.h"
#include "idlc/sema/checker.h"

namespace orbweaver::idl {

using ParameterType = AnnotationParameter::Type;

const ir::AnnotationUse* Checker::find(const ir::Annotations& annotations, std::string_view name) {
  for (const ir::AnnotationUse& each : annotations) {
    if (each.name == name) return &each;
  }
  return nullptr;
}

ir::Annotations Checker::annotations(const tree::Annotations& all, const tree::Declarator& own,
                                     AnnotationTarget on, const ir::Type* about) {
  if (!own.dimensions.empty()) about = nullptr;  // IDL defines no annotation values of array type
  ir::Annotations out = annotations(all, on, about);
  for (ir::AnnotationUse& each : annotations(own.annotations, on, about)) out.push_back(std::move(each));
  ordered(out);
  return out;
}

ir::Annotations Checker::annotations(const tree::Annotations& from, AnnotationTarget on,
                                     const ir::Type* about) {
  ir::Annotations out;
  for (const tree::Annotation& each : from) {
    ir::AnnotationUse use;
    use.span = each.span;
    use.name = each.name.parts.back().text;
    // A user-defined annotation takes precedence over a standard one of the same name.
    const ir::AnnotationDeclaration* own = nullptr;
    for (Scope* at = each.name.parts.size() == 1 ? scope_ : nullptr; at && !own; at = at->outer) {
      const std::string name = "@" + use.name;
      const Symbol* found = at->symbols.find(name);
      if (found && found->name == name) own = static_cast<ir::AnnotationDeclaration*>(found->declaration);
    }
    if (own) {
      declared_annotation(each, use, *own);
    } else if (const StandardAnnotation* standard = standard_annotation_named(use.name)) {
      standard_annotation(each, use, *standard, on, about);
    } else {
      std::string_view near = nearest_annotation(use.name);
      diagnostics_
          .warning("unknown-annotation", each.span,
                   "annotation '@" + use.name + "' is not known and is ignored")
          .suggest(near.empty() ? "declare it: '@annotation " + use.name + " { … };'"
                                : "did you mean '@" + std::string(near) + "'?");
    }
    out.push_back(std::move(use));
  }
  return out;
}

// Checks the form of the arguments: a single unnamed value, or named values with distinct names
// (IDL 4.2, 7.4.15.4.2, rule 226).
bool Checker::well_formed(const tree::Annotation& annotation) {
  std::set<std::string_view> names;
  for (const tree::Annotation::Argument& each : annotation.arguments) {
    const bool alone = annotation.arguments.size() == 1;
    if (each.name.empty() && alone) continue;
    if (each.name.empty()) {
      diagnostics_
          .error("bad-annotation", each.value->span, "an annotation with several values names each of them")
          .suggest("write '@" + std::string(annotation.name.parts.back().text) + "(name = value, …)'");
      return false;
    }
    if (names.insert(each.name.text).second) continue;
    diagnostics_.error("bad-annotation", each.name.span,
                       "'" + std::string(each.name.text) + "' has a value already in this annotation");
    return false;
  }
  return true;
}

void Checker::standard_annotation(const tree::Annotation& annotation, ir::AnnotationUse& use,
                                  const StandardAnnotation& rule, AnnotationTarget on,
                                  const ir::Type* about) {
  const std::string name = "'@" + use.name + "'";
  const std::size_t errors_before = diagnostics_.error_count();
  std::size_t known = 0, required = 0;
  for (const AnnotationParameter& each : rule.parameters) {
    if (each.type == ParameterType::none) continue;
    ++known;
    required += each.required ? 1 : 0;
  }
  if (known == 0 && !annotation.arguments.empty()) {
    diagnostics_.error("bad-annotation", annotation.span, name + " takes no argument");
    return;
  }
  if (required == 1 && known == 1 && annotation.arguments.size() != 1) {
    diagnostics_.error("bad-annotation", annotation.span, name + " takes one argument")
        .suggest("write '@" + use.name + "(value)'");
    return;
  }
  if (!well_formed(annotation)) return;
  for (const tree::Annotation::Argument& each : annotation.arguments) {
    const AnnotationParameter* parameter = nullptr;
    for (const AnnotationParameter& candidate : rule.parameters) {
      if (candidate.type == ParameterType::none) continue;
      if (each.name.empty() ? known == 1 : candidate.name == each.name.text) parameter = &candidate;
    }
    if (!parameter) {
      diagnostics_
          .error("bad-annotation", each.name.empty() ? each.value->span : each.name.span,
                 each.name.empty() ? name + " needs the name of each value"
                                   : name + " has no member '" + std::string(each.name.text) + "'")
          .suggest(each.name.empty() ? "write '@" + use.name + "(name = value, …)'" : "");
      continue;
    }
    std::optional<ir::Value> value = argument_value(*each.value, *parameter, on, about);
    if (value) use.arguments.push_back({std::string(each.name.text), *value});
  }
  for (const AnnotationParameter& each : rule.parameters) {
    if (each.type == ParameterType::none || !each.required || diagnostics_.error_count() != errors_before)
      continue;
    bool given = known == 1;
    for (const auto& argument : annotation.arguments) given = given || argument.name.text == each.name;
    if (!given)
      diagnostics_.error("bad-annotation", annotation.span,
                         name + " needs a value for '" + std::string(each.name) + "'");
  }
  if (use.name == "view" && on != AnnotationTarget::parameter && on != AnnotationTarget::typedef_) {
    diagnostics_.error("view", annotation.span, "@view is for 'in' parameters and typedefs")
        .suggest("put it before the 'in' of a parameter, or before 'typedef'");
  }
  if (!rule.effect) {
    diagnostics_.warning("annotation-no-effect", annotation.span, name + " has no effect on GIOP messages");
  }
}

std::optional<ir::Value> Checker::argument_value(const tree::Expression& expression,
                                                 const AnnotationParameter& parameter, AnnotationTarget on,
                                                 const ir::Type* about) {
  const auto as_written = [&] { return ir::Value(std::string(sources_.text(expression.span))); };
  switch (parameter.type) {
    case ParameterType::boolean: return evaluate(expression, *basic(ir::TypeKind::boolean));
    case ParameterType::ushort_: return evaluate(expression, *basic(ir::TypeKind::ushort));
    case ParameterType::ulong_: return evaluate(expression, *basic(ir::TypeKind::ulong));
    case ParameterType::longlong: return evaluate(expression, *basic(ir::TypeKind::longlong));
    case ParameterType::text: return evaluate(expression, *basic(ir::TypeKind::string));
    case ParameterType::of_element: return about ? value_of_type(expression, *about) : as_written();
    case ParameterType::one_of: {
      const bool named = expression.kind == tree::Expression::Kind::name;
      const std::string word(named ? expression.name->parts.back().text : std::string_view());
      if (named && parameter.words.find(" " + word + " ") != std::string_view::npos) return as_written();
      std::string words;
      for (char c : parameter.words.substr(1, parameter.words.size() - 2))
        words += c == ' ' ? ", " : std::string(1, c);
      diagnostics_
          .error("bad-annotation", expression.span,
                 "'" + std::string(sources_.text(expression.span)) +
                     "' is not a value that this annotation takes")
          .suggest("its values are " + words);
      return std::nullopt;
    }
    default:
      // @value on an enumerator takes an integer.
      return on == AnnotationTarget::enumerator ? evaluate(expression, *basic(ir::TypeKind::longlong))
                                                : as_written();
  }
}

// Evaluates an annotation's value that has the type of the annotated declaration. As in the examples of
// DDS-XTypes, an enumerator's name needs no scope, and an integer is accepted for a floating-point type.
std::optional<ir::Value> Checker::value_of_type(const tree::Expression& expression, const ir::Type& type) {
  const ir::Type& real = ir::resolved(type);
  const bool is_enum = real.kind == ir::TypeKind::declared && real.declaration->kind == ir::DeclKind::enum_;
  if (is_enum && expression.kind == tree::Expression::Kind::name && expression.name->parts.size() == 1) {
    if (const ir::Enumerator* one =
            enumerator_named(ir::as<ir::Enum>(*real.declaration), expression.name->parts[0].text))
      return ir::Value(one);
  }
  if (ir::is_floating(real.kind)) {
    const tree::Expression* operand =
        expression.kind == tree::Expression::Kind::unary ? expression.right.get() : &expression;
    const bool whole = operand->kind == tree::Expression::Kind::literal &&
                       operand->literal[0].kind == TokenKind::number &&
                       operand->literal[0].text.find_first_not_of("0123456789") == std::string_view::npos;
    if (!whole) return evaluate(expression, real);
    const std::optional<ir::Integer> value = integer(expression, *basic(ir::TypeKind::longlong));
    return value ? std::optional<ir::Value>(static_cast<long double>(*value)) : std::nullopt;
  }
  const bool bitmask = real.kind == ir::TypeKind::declared && real.declaration->kind == ir::DeclKind::bitmask;
  const bool constant = is_enum || bitmask || ir::is_integer(real.kind) ||
                        real.kind == ir::TypeKind::boolean || real.kind == ir::TypeKind::char_ ||
                        real.kind == ir::TypeKind::wchar || real.kind == ir::TypeKind::string ||
                        real.kind == ir::TypeKind::wstring || real.kind == ir::TypeKind::fixed;
  if (constant) return evaluate(expression, real);
  return ir::Value(std::string(sources_.text(expression.span)));
}

const ir::Enumerator* Checker::enumerator_named(const ir::Enum& decl, std::string_view name) {
  auto [names, fresh] = enumerators_.try_emplace(&decl);
  if (fresh) {
    for (const ir::Enumerator* each : decl.enumerators) names->second.emplace(each->name, each);
  }
  const auto found = names->second.find(name);
  return found == names->second.end() ? nullptr : found->second;
}

// Reports a lower limit (@min, @range) that is greater than the upper limit (@max, @range).
void Checker::ordered(const ir::Annotations& all) {
  const auto number = [&](std::string_view annotation,
                          std::string_view member) -> std::optional<long double> {
    const ir::AnnotationUse* use = find(all, annotation);
    for (const auto& each : use ? use->arguments : std::vector<ir::AnnotationUse::Argument>()) {
      if (!member.empty() && each.name != member) continue;
      if (auto* whole = std::get_if<ir::Integer>(&each.value)) return static_cast<long double>(*whole);
      if (auto* real = std::get_if<long double>(&each.value)) return *real;
    }
    return std::nullopt;
  };
  const auto range_min = number("range", "min"), range_max = number("range", "max");
  const auto least = range_min ? range_min : number("min", ""),
             most = range_max ? range_max : number("max", "");
  if (!least || !most || *least <= *most) return;
  const ir::AnnotationUse* where = find(all, "range");
  diagnostics_.error("bad-annotation", (where ? where : find(all, "max"))->span,
                     "the minimum is above the maximum");
}

void Checker::declared_annotation(const tree::Annotation& annotation, ir::AnnotationUse& use,
                                  const ir::AnnotationDeclaration& rule) {
  if (!well_formed(annotation)) return;
  for (const tree::Annotation::Argument& each : annotation.arguments) {
    std::string_view wanted = each.name.empty() ? "value" : each.name.text;
    const ir::AnnotationDeclaration::Member* member = nullptr;
    for (const auto& candidate : rule.members) {
      if (candidate.name == wanted || (each.name.empty() && rule.members.size() == 1)) member = &candidate;
    }
    if (!member) {
      diagnostics_
          .error("bad-annotation", each.name.empty() ? annotation.span : each.name.span,
                 "'@" + use.name + "' has no member '" + std::string(wanted) + "'")
          .note(rule.span, "declared here");
      continue;
    }
    std::optional<ir::Value> value;
    if (member->type->kind == ir::TypeKind::any) {
      value = ir::Value(std::string(sources_.text(each.value->span)));
    } else {
      // Names that the annotation itself declares need no scope.
      Scope* own = scope_of_[&rule];
      const bool name =
          each.value->kind == tree::Expression::Kind::name && each.value->name->parts.size() == 1;
      const bool within = own && name && find_own(*own, each.value->name->parts[0].text);
      Scope* outer = std::exchange(scope_, within ? own : scope_);
      value = value_of_type(*each.value, *member->type);
      scope_ = outer;
    }
    if (value) use.arguments.push_back({member->name, *value});
  }
  for (const auto& member : rule.members) {
    bool given = std::holds_alternative<std::monostate>(member.default_value) == false;
    for (const auto& argument : use.arguments) given = given || argument.name == member.name;
    if (!given && annotation.arguments.size() < rule.members.size()) {
      diagnostics_
          .error("bad-annotation", annotation.span,
                 "'@" + use.name + "' needs a value for '" + member.name + "'")
          .note(rule.span, "declared here");
    }
  }
}

namespace {

bool may_be_annotation_member(const ir::Type& type) {
  const ir::Type& real = ir::resolved(type);
  switch (real.kind) {
    case ir::TypeKind::declared:
      return real.declaration->kind == ir::DeclKind::enum_ || real.declaration->kind == ir::DeclKind::bitmask;
    case ir::TypeKind::sequence:
    case ir::TypeKind::array:
    case ir::TypeKind::map:
    case ir::TypeKind::object:
    case ir::TypeKind::value_base:
    case ir::TypeKind::void_: return false;
    default: return true;
  }
}

}  // namespace

void Checker::annotation_declaration(const tree::Definition& definition,
                                     std::vector<const ir::Declaration*>& into) {
  const auto& body = std::get<tree::AnnotationDeclaration>(definition.body);
  auto& decl = make<ir::AnnotationDeclaration>(definition.name, definition);
  // Annotations have a separate name space: their symbols begin with '@'.
  Symbol symbol;
  symbol.declaration = &decl;
  symbol.name = *intern_id("@" + decl.name);
  symbol.span = definition.name.span;
  symbol.noun = "annotation";
  const auto [earlier, fresh] = scope_->symbols.add(symbol);
  if (!fresh) {
    diagnostics_.error("redefinition", decl.span, "annotation '@" + decl.name + "' is already declared")
        .note(earlier->span, "here");
    return;
  }
  Scope* inner = new_scope(Scope::Kind::constructed, scope_, decl.name, decl.span, &decl);
  ScopeGuard entered(*this, inner, decl.name);
  std::vector<const ir::Declaration*> contents;
  definitions(body.body, contents);
  for (const tree::AnnotationMember& each : body.members) {
    ir::AnnotationDeclaration::Member member;
    member.name = each.name.text;
    member.type = type(each.type, TypeUse::constant);
    if (!member.type) continue;
    // IDL 4.2, 7.4.15.4.1: a member's type is a constant type or any.
    if (!may_be_annotation_member(*member.type)) {
      diagnostics_
          .error("bad-annotation", each.type.span,
                 "a member of an annotation cannot be of type " + ir::describe(*member.type))
          .suggest("its members are numbers, booleans, characters, strings, enumerators or any");
      continue;
    }
    if (each.default_value && member.type->kind != ir::TypeKind::any) {
      if (auto value = value_of_type(*each.default_value, *member.type)) member.default_value = *value;
    } else if (each.default_value) {
      member.default_value = ir::Value(std::string(sources_.text(each.default_value->span)));
    }
    decl.members.push_back(std::move(member));
  }
  into.push_back(&decl);
}

bool Checker::view(const ir::Annotations& annotations, const ir::Type* type) {
  const ir::AnnotationUse* use = find(annotations, "view");
  if (!use) return false;
  if (ir::can_be_view(*type)) return true;
  const ir::Type& real = ir::resolved(*type);
  bool sequence = real.kind == ir::TypeKind::sequence;
  diagnostics_
      .error("view", use->span,
             sequence ? "the elements of " + ir::describe(real) + " cannot be seen in place"
                      : ir::describe(*type) + " cannot be seen in place")
      .suggest(sequence
                   ? "a view's elements are octets, characters, numbers, or structs of these without padding"
                   : "@view is for strings and for sequences of fixed-size elements");
  return false;
}

}  // namespace orbweaver::idl
