#include "idlc/sema/annotation_checker.h"

#include <algorithm>
#include <set>
#include <unordered_set>
#include <utility>
#include <vector>

#include "idlc/ir/layout.h"

namespace orbweaver::idl {

using ir::TypeKind;

const ir::AnnotationUse* find_annotation(const ir::Annotations& annotations, std::string_view name) {
  for (const ir::AnnotationUse& each : annotations) {
    if (each.name == name) return &each;
  }
  return nullptr;
}

const ir::Integer* integer_argument(const ir::Annotations& annotations, std::string_view name) {
  const ir::AnnotationUse* use = find_annotation(annotations, name);
  return use && !use->arguments.empty() ? std::get_if<ir::Integer>(&use->arguments[0].value) : nullptr;
}

ir::Annotations AnnotationChecker::check(const tree::Annotations& annotations,
                                         const tree::Declarator& declarator, AnnotationTarget target,
                                         const ir::Type* about) {
  if (!declarator.dimensions.empty()) about = nullptr;  // IDL defines no annotation values of array type
  ir::Annotations out = check_each(annotations, target, about);
  for (ir::AnnotationUse& each : check_each(declarator.annotations, target, about))
    out.push_back(std::move(each));
  check_repeated(out);
  check_min_max(out);
  return out;
}

ir::Annotations AnnotationChecker::check(const tree::Annotations& annotations, AnnotationTarget target,
                                         const ir::Type* about) {
  ir::Annotations out = check_each(annotations, target, about);
  check_repeated(out);
  return out;
}

ir::Annotations AnnotationChecker::check_each(const tree::Annotations& annotations, AnnotationTarget target,
                                              const ir::Type* about) {
  ir::Annotations out;
  for (const tree::Annotation& each : annotations) {
    ir::AnnotationUse use;
    use.span = each.span;
    use.name = each.name.parts.back().text;
    // A user-defined annotation takes precedence over a standard one of the same name.
    const bool simple = each.name.parts.size() == 1;
    const ir::AnnotationDeclaration* own = simple ? names_.annotation_named(use.name) : nullptr;
    if (own) {
      user_defined(each, use, *own);
    } else if (const StandardAnnotation* rule = standard_annotation_named(use.name)) {
      standard(each, use, *rule, target, about);
    } else {
      const std::string near(nearest_annotation(use.name));
      diagnostics_
          .warning("unknown-annotation", each.span,
                   "annotation '@" + use.name + "' is not known and is ignored")
          .suggest(near.empty() ? "declare it: '@annotation " + use.name + " { … };'"
                                : "did you mean '@" + near + "'?");
    }
    out.push_back(std::move(use));
  }
  return out;
}

// Checks the form of the arguments: a single unnamed value, or named values with distinct names
// (IDL 4.2, 7.4.15.4.2, rule 226).
bool AnnotationChecker::well_formed(const tree::Annotation& annotation) {
  std::set<std::string_view> names;
  for (const Argument& each : annotation.arguments) {
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

// Reports a standard annotation that one declaration has twice, and two kinds of extensibility. IDL 4.2 (8.3)
// defines no meaning for them. Annotations of users, and those for one language or platform, may be repeated.
void AnnotationChecker::check_repeated(const ir::Annotations& annotations) {
  std::vector<std::pair<const StandardAnnotation*, const ir::AnnotationUse*>> seen;
  for (const ir::AnnotationUse& each : annotations) {
    const StandardAnnotation* rule = standard_annotation_named(each.name);
    if (!rule || rule->repeatable || names_.annotation_named(each.name)) continue;
    const auto conflicts = [&](const auto& other) {
      return other.first == rule || (rule->extensibility && other.first->extensibility);
    };
    const auto earlier = std::find_if(seen.begin(), seen.end(), conflicts);
    if (earlier == seen.end()) {
      seen.emplace_back(rule, &each);
      continue;
    }
    diagnostics_
        .error("bad-annotation", each.span,
               earlier->first == rule ? "this declaration has the annotation '@" + each.name + "' already"
                                      : "'@" + each.name + "' contradicts '@" + earlier->second->name + "'")
        .note(earlier->second->span, "the other annotation is here");
  }
}

// Reports a lower limit (@min, @range) that is greater than the upper limit (@max, @range).
void AnnotationChecker::check_min_max(const ir::Annotations& annotations) {
  const auto number = [&](std::string_view name, std::string_view member) -> std::optional<long double> {
    const ir::AnnotationUse* use = find_annotation(annotations, name);
    if (!use) return std::nullopt;
    for (const auto& each : use->arguments) {
      if (!member.empty() && each.name != member) continue;
      if (auto* whole = std::get_if<ir::Integer>(&each.value)) return static_cast<long double>(*whole);
      if (auto* real = std::get_if<long double>(&each.value)) return *real;
    }
    return std::nullopt;
  };
  auto min = number("range", "min"), max = number("range", "max");
  if (!min) min = number("min", "");
  if (!max) max = number("max", "");
  if (!min || !max || *min <= *max) return;
  const ir::AnnotationUse* where = find_annotation(annotations, "range");
  diagnostics_.error("bad-annotation", (where ? where : find_annotation(annotations, "max"))->span,
                     "the minimum is above the maximum");
}

// The value of an argument that is not evaluated: its text.
ir::Value AnnotationChecker::as_written(const tree::Expression& expression) const {
  return ir::Value(std::string(sources_.text(expression.span)));
}

namespace {

bool is_constant_type(TypeKind kind) {
  switch (kind) {
    case TypeKind::boolean:
    case TypeKind::char_:
    case TypeKind::wchar:
    case TypeKind::string:
    case TypeKind::wstring:
    case TypeKind::fixed: return true;
    default: return ir::is_integer(kind) || ir::is_floating(kind);
  }
}

}  // namespace

std::optional<ir::Value> AnnotationChecker::value_of_type(const tree::Expression& expression,
                                                          const ir::Type& type) {
  const ir::Type& real = ir::resolved(type);
  const ir::DeclKind* declared = real.kind == TypeKind::declared ? &real.declaration->kind : nullptr;
  if (declared && *declared == ir::DeclKind::enum_) {
    const bool simple = expression.kind == tree::Expression::Kind::name && expression.name->parts.size() == 1;
    const ir::Enumerator* named =
        simple ? enumerator_named(ir::as<ir::Enum>(*real.declaration), expression.name->parts[0].text)
               : nullptr;
    return named ? ir::Value(named) : constants_.evaluate(expression, real);
  }
  if (ir::is_floating(real.kind)) return floating_value(expression, real);
  const bool bitmask = declared && *declared == ir::DeclKind::bitmask;
  return bitmask || is_constant_type(real.kind) ? constants_.evaluate(expression, real)
                                                : as_written(expression);
}

std::optional<ir::Value> AnnotationChecker::floating_value(const tree::Expression& expression,
                                                           const ir::Type& type) {
  const tree::Expression& operand =
      expression.kind == tree::Expression::Kind::unary ? *expression.right : expression;
  const bool whole = operand.kind == tree::Expression::Kind::literal &&
                     operand.literal[0].kind == TokenKind::number &&
                     operand.literal[0].text.find_first_not_of("0123456789") == std::string_view::npos;
  if (!whole) return constants_.evaluate(expression, type);
  const std::optional<ir::Integer> value = constants_.integer(expression, TypeKind::longlong);
  return value ? std::optional<ir::Value>(static_cast<long double>(*value)) : std::nullopt;
}

const ir::Enumerator* AnnotationChecker::enumerator_named(const ir::Enum& decl, std::string_view name) {
  auto [names, fresh] = enumerators_.try_emplace(&decl);
  if (fresh) {
    for (const ir::Enumerator* each : decl.enumerators) names->second.emplace(each->name, each);
  }
  const auto found = names->second.find(name);
  return found == names->second.end() ? nullptr : found->second;
}

// A declaration that uses itself is indexed again when it is complete.
const AnnotationChecker::DeclaredMembers& AnnotationChecker::members_of(
    const ir::AnnotationDeclaration& rule) {
  DeclaredMembers& members = members_[&rule];
  if (members.indexed == rule.members.size()) return members;
  members = {};
  for (const auto& each : rule.members) {
    members.by_name[each.name] = &each;
    if (std::holds_alternative<std::monostate>(each.default_value)) members.required.push_back(&each);
  }
  members.indexed = rule.members.size();
  return members;
}

// An argument without a name is for the only member, or for the member `value`.
void AnnotationChecker::user_defined(const tree::Annotation& annotation, ir::AnnotationUse& use,
                                     const ir::AnnotationDeclaration& rule) {
  if (!well_formed(annotation)) return;
  const DeclaredMembers& members = members_of(rule);
  std::unordered_set<std::string_view> given;
  for (const Argument& each : annotation.arguments) {
    const std::string_view name = !each.name.empty()         ? std::string_view(each.name.text)
                                  : rule.members.size() == 1 ? std::string_view(rule.members[0].name)
                                                             : "value";
    const auto member = members.by_name.find(name);
    if (member == members.by_name.end()) {
      diagnostics_
          .error("bad-annotation", each.name.empty() ? annotation.span : each.name.span,
                 "'@" + use.name + "' has no member '" + std::string(name) + "'")
          .note(rule.span, "declared here");
      continue;
    }
    given.insert(name);
    std::optional<ir::Value> value = member_value(*each.value, *member->second->type, rule);
    if (value) use.arguments.push_back({member->second->name, *value});
  }
  if (annotation.arguments.size() >= rule.members.size()) return;
  for (const auto* member : members.required) {
    if (given.contains(member->name)) continue;
    if (diagnostics_.too_many_errors()) return;
    diagnostics_
        .error("bad-annotation", annotation.span,
               "'@" + use.name + "' needs a value for '" + member->name + "'")
        .note(rule.span, "declared here");
  }
}

// Names that the annotation itself declares need no scope.
std::optional<ir::Value> AnnotationChecker::member_value(const tree::Expression& expression,
                                                         const ir::Type& type,
                                                         const ir::AnnotationDeclaration& rule) {
  if (type.kind == TypeKind::any) return as_written(expression);
  Scope* own = names_.scope_of(rule);
  const bool simple = expression.kind == tree::Expression::Kind::name && expression.name->parts.size() == 1;
  const bool within = own && simple && names_.find_own(*own, expression.name->parts[0].text);
  const ScopeGuard entered(names_, within ? *own : names_.current());
  return value_of_type(expression, type);
}

bool AnnotationChecker::is_view(const ir::Annotations& annotations, const ir::Type& type) {
  const ir::AnnotationUse* use = find_annotation(annotations, "view");
  if (!use) return false;
  if (ir::can_be_view(type)) return true;
  const ir::Type& real = ir::resolved(type);
  const bool sequence = real.kind == TypeKind::sequence;
  diagnostics_
      .error("view", use->span,
             sequence ? "the elements of " + ir::describe(real) + " cannot be seen in place"
                      : ir::describe(type) + " cannot be seen in place")
      .suggest(sequence
                   ? "a view's elements are octets, characters, numbers, or structs of these without padding"
                   : "@view is for strings and for sequences of fixed-size elements");
  return false;
}

}  // namespace orbweaver::idl
