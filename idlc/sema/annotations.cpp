#include <array>

#include "idlc/ir/layout.h"
#include "idlc/sema/checker.h"
#include "idlc/source/similar.h"

namespace orbweaver::idl {

/// What a standard annotation (IDL 4.2, 8.3; `view` is ours) takes.
struct StandardAnnotation {
  enum class Takes : std::uint8_t { nothing, integer, optional_integer, boolean, text, any, several };
  std::string_view name;
  Takes takes;
  bool effect;  // has a meaning for data and calls that travel in GIOP
};

namespace {

using Takes = StandardAnnotation::Takes;
constexpr StandardAnnotation kStandard[] = {
    {"view", Takes::nothing, true},
    {"id", Takes::integer, false},
    {"autoid", Takes::any, false},
    {"hashid", Takes::any, false},
    {"optional", Takes::boolean, false},
    {"position", Takes::integer, true},
    {"value", Takes::any, false},
    {"extensibility", Takes::any, false},
    {"final", Takes::nothing, true},
    {"appendable", Takes::nothing, false},
    {"mutable", Takes::nothing, false},
    {"key", Takes::boolean, true},
    {"must_understand", Takes::boolean, false},
    {"default_literal", Takes::nothing, true},
    {"default", Takes::any, false},
    {"range", Takes::several, true},
    {"min", Takes::any, true},
    {"max", Takes::any, true},
    {"unit", Takes::text, true},
    {"bit_bound", Takes::integer, true},
    {"external", Takes::boolean, false},
    {"nested", Takes::boolean, true},
    {"verbatim", Takes::several, true},
    {"service", Takes::any, true},
    {"oneway", Takes::boolean, true},
    {"ami", Takes::boolean, false},
    {"topic", Takes::several, true},
    {"try_construct", Takes::any, false},
    {"non_serialized", Takes::boolean, false},
    {"data_representation", Takes::several, false},
    {"ignore_literal_names", Takes::boolean, false},
};

}  // namespace

const ir::AnnotationUse* Checker::find(const ir::Annotations& annotations, std::string_view name) {
  for (const ir::AnnotationUse& each : annotations) {
    if (each.name == name) return &each;
  }
  return nullptr;
}

ir::Annotations Checker::annotations(const tree::Annotations& all, const tree::Declarator& own, On on) {
  ir::Annotations out = annotations(all, on);
  for (ir::AnnotationUse& each : annotations(own.annotations, on)) out.push_back(std::move(each));
  return out;
}

ir::Annotations Checker::annotations(const tree::Annotations& from, On on) {
  ir::Annotations out;
  for (const tree::Annotation& each : from) {
    ir::AnnotationUse use;
    use.span = each.span;
    use.name = each.name.parts.back().text;
    // A user's own annotation counts before a standard one of the same name.
    const ir::AnnotationDeclaration* own = nullptr;
    for (Scope* at = each.name.parts.size() == 1 ? scope_ : nullptr; at && !own; at = at->outer) {
      auto found = at->symbols.find("@" + use.name);
      if (found != at->symbols.end())
        own = static_cast<ir::AnnotationDeclaration*>(found->second.declaration);
    }
    const StandardAnnotation* standard = nullptr;
    for (const StandardAnnotation& rule : kStandard) {
      if (rule.name == use.name) standard = &rule;
    }
    if (own) {
      declared_annotation(each, use, *own);
    } else if (standard) {
      standard_annotation(each, use, *standard, on);
    } else {
      std::vector<std::string_view> known;
      for (const StandardAnnotation& rule : kStandard) known.push_back(rule.name);
      std::string_view near = nearest(use.name, known);
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

void Checker::standard_annotation(const tree::Annotation& annotation, ir::AnnotationUse& use,
                                  const StandardAnnotation& rule, On on) {
  std::string name = "'@" + use.name + "'";
  bool may_be_empty = rule.takes == Takes::nothing || rule.takes == Takes::boolean ||
                      rule.takes == Takes::any || rule.takes == Takes::several ||
                      rule.takes == Takes::optional_integer;
  if (rule.takes == Takes::nothing && !annotation.arguments.empty()) {
    diagnostics_.error("bad-annotation", annotation.span, name + " takes no argument");
    return;
  }
  if (!may_be_empty && annotation.arguments.size() != 1) {
    diagnostics_.error("bad-annotation", annotation.span, name + " takes one argument")
        .suggest("write '@" + use.name + "(value)'");
    return;
  }
  for (const tree::Annotation::Argument& each : annotation.arguments) {
    std::optional<ir::Value> value;
    if (rule.takes == Takes::integer)
      value = evaluate(*each.value, *basic(ir::TypeKind::longlong));
    else if (rule.takes == Takes::boolean)
      value = evaluate(*each.value, *basic(ir::TypeKind::boolean));
    else if (rule.takes == Takes::text)
      value = evaluate(*each.value, *basic(ir::TypeKind::string));
    else
      value = ir::Value(std::string(sources_.text(each.value->span)));  // kept as written
    if (value) use.arguments.push_back({std::string(each.name.text), *value});
  }
  if (use.name == "view" && on != On::parameter && on != On::typedef_) {
    diagnostics_.error("view", annotation.span, "@view is for 'in' parameters and typedefs")
        .suggest("put it before the 'in' of a parameter, or before 'typedef'");
  }
  if (!rule.effect) {
    diagnostics_.warning("annotation-no-effect", annotation.span,
                         name + " changes nothing in what travels by GIOP");
  }
}

void Checker::declared_annotation(const tree::Annotation& annotation, ir::AnnotationUse& use,
                                  const ir::AnnotationDeclaration& rule) {
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
    std::optional<ir::Value> value =
        member->type->kind == ir::TypeKind::any
            ? std::optional(ir::Value(std::string(sources_.text(each.value->span))))
            : evaluate(*each.value, *member->type);
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

void Checker::annotation_declaration(const tree::Definition& definition,
                                     std::vector<const ir::Declaration*>& into) {
  const auto& body = std::get<tree::AnnotationDeclaration>(definition.body);
  auto& made = make<ir::AnnotationDeclaration>(definition.name, definition);
  // Annotations have names of their own: '@' keeps them apart from all others.
  Symbol symbol;
  symbol.declaration = &made;
  symbol.name = definition.name.text;
  symbol.span = definition.name.span;
  symbol.noun = "annotation";
  auto [earlier, fresh] = scope_->symbols.emplace("@" + made.name, symbol);
  if (!fresh) {
    diagnostics_.error("redefinition", made.span, "annotation '@" + made.name + "' is already declared")
        .note(earlier->second.span, "here");
    return;
  }
  Scope* inner = new_scope(Scope::Kind::constructed, scope_, made.name, made.span, &made);
  Entered entered(*this, inner, made.name);
  std::vector<const ir::Declaration*> contents;
  definitions(body.body, contents);
  for (const tree::AnnotationMember& each : body.members) {
    ir::AnnotationDeclaration::Member member;
    member.name = each.name.text;
    member.type = type(each.type, Use::constant);
    if (!member.type) continue;
    if (each.default_value && member.type->kind != ir::TypeKind::any) {
      if (auto value = evaluate(*each.default_value, *member.type)) member.default_value = *value;
    }
    made.members.push_back(std::move(member));
  }
  into.push_back(&made);
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
