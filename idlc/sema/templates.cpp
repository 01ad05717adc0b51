// Instantiates template modules: IDL 4.2, 7.4.12. A template's syntax tree is kept; each instance is checked
// as if the template's text were written in its place, with the arguments for the parameters. A template that
// is never instantiated is only parsed, because the meaning of its names depends on the arguments.
#include <algorithm>

#include "idlc/ir/components.h"
#include "idlc/sema/checker.h"

namespace orbweaver::idl {

using Contents = std::vector<const ir::Declaration*>;
using ir::DeclKind;
using ir::TemplateKind;

namespace {

// Limits exponential growth: each level of templates may instantiate the next level twice.
constexpr std::size_t kMaxTemplateDefinitions = 200'000;
constexpr std::size_t kMaxNestedTemplates = 200;

}  // namespace

void Checker::template_module(const tree::Definition& definition, Contents& into) {
  const auto& body = std::get<tree::TemplateModule>(definition.body);
  auto& decl = make<ir::TemplateModule>(definition.name, definition);
  decl.annotations = annotations(definition.annotations, AnnotationTarget::module);
  add(decl, definition, into);
  Scope* names = new_scope(Scope::Kind::module, scope_, decl.name, decl.span, nullptr);
  Scope* outer = std::exchange(scope_, names);
  for (const tree::TemplateParameter& each : body.parameters) {
    decl.parameters.push_back({std::string(each.name.text), each.kind});
    Symbol symbol;
    symbol.noun = "parameter of the template";
    declare(each.name, symbol);
  }
  scope_ = outer;
  templates_[&decl] = {&body, scope_};
}

void Checker::template_instance(const tree::Definition& definition, Contents& into) {
  const auto& body = std::get<tree::TemplateInstance>(definition.body);
  auto* of = static_cast<ir::TemplateModule*>(
      resolve_as(body.target, DeclKind::template_module, "a template module"));
  auto source = templates_.find(of);
  auto& decl = make<ir::Module>(definition.name, definition);
  decl.annotations = annotations(definition.annotations, AnnotationTarget::module);
  decl.instance_of = of;
  Scope* names = nullptr;
  bool endless = std::find(instantiating_.begin(), instantiating_.end(), of) != instantiating_.end();
  if (of && endless) {
    diagnostics_.error("recursive-type", body.target.span, "a template module cannot be made of itself")
        .note(of->span, "'" + of->name + "' is defined here");
  } else if (of && instantiating_.size() >= kMaxNestedTemplates) {
    diagnostics_
        .error("nesting", definition.name.span,
               "template modules use each other more than " + std::to_string(kMaxNestedTemplates) +
                   " levels deep")
        .note(of->span, "'" + of->name + "' is defined here");
  } else if (of && source != templates_.end()) {
    names = arguments(definition, *of, *source->second.body, source->second.scope);
  }
  Symbol symbol;
  symbol.declaration = &decl;
  symbol.noun = "module";
  symbol.broken = !names || definition.broken;
  // An instance may reopen a module (IDL 4.2, 7.4.12): its definitions are added to those of the module.
  Symbol* earlier = find_own(*scope_, definition.name.text);
  bool reopens = earlier && earlier->inner && earlier->name == definition.name.text && earlier->declaration &&
                 earlier->declaration->kind == DeclKind::module;
  Scope* joined = reopens ? earlier->inner : nullptr;
  if (names) {
    symbol.inner = new_scope(Scope::Kind::module, names, decl.name, decl.span, &decl);
    into.push_back(&decl);
  }
  Scope* inner = symbol.inner;
  if ((!reopens && !declare(definition.name, symbol)) || !inner) return;
  ScopeGuard entered(*this, inner, decl.name);
  std::optional<bool> outer_place = instance_in_main_file_;
  instance_in_main_file_ = decl.in_main_file;
  instantiating_.push_back(of);
  std::size_t diagnostics_before = diagnostics_.all().size();
  definitions(source->second.body->body, decl.contents);
  diagnostics_.note_since(diagnostics_before, definition.name.span, "in this module, made of the template");
  instantiating_.pop_back();
  instance_in_main_file_ = outer_place;
  if (joined) merge(*inner, *joined);
}

void Checker::merge(const Scope& from, Scope& into) {
  std::vector<const Symbol*> all;
  for (const Symbol& symbol : from.symbols) {
    if (!symbol.use) all.push_back(&symbol);
  }
  std::sort(all.begin(), all.end(), [](auto* a, auto* b) { return a->span.offset < b->span.offset; });
  Scope* outer = std::exchange(scope_, &into);
  for (const Symbol* each : all) declare({each->name, each->span, false}, *each);
  scope_ = outer;
}

bool Checker::too_many_instances(const tree::Definition& definition) {
  if (instantiating_.empty() || ++instance_definitions_ < kMaxTemplateDefinitions) return false;
  if (instance_definitions_ == kMaxTemplateDefinitions) {
    diagnostics_
        .error("nesting", definition.start,
               "template modules make more than " + std::to_string(kMaxTemplateDefinitions) +
                   " definitions here")
        .suggest("let fewer templates use each other");
  }
  return true;
}

// Makes the scope that binds the template's parameters to the arguments; reports arguments that do not match
// and returns null.
Scope* Checker::arguments(const tree::Definition& definition, const ir::TemplateModule& of,
                          const tree::TemplateModule& source, Scope* around) {
  const auto& body = std::get<tree::TemplateInstance>(definition.body);
  if (body.arguments.size() != source.parameters.size()) {
    diagnostics_
        .error("template-arguments", definition.name.span,
               "'" + of.name + "' takes " + std::to_string(source.parameters.size()) + " arguments, not " +
                   std::to_string(body.arguments.size()))
        .note(of.span, "the template is defined here");
    return nullptr;
  }
  Scope* names = new_scope(Scope::Kind::module, around, "", {}, nullptr);
  for (std::size_t i = 0; i < source.parameters.size(); ++i) {
    const tree::TemplateParameter& parameter = source.parameters[i];
    std::optional<Symbol> meaning = argument(body.arguments[i], parameter, names);
    if (!meaning) return nullptr;  // later arguments may depend on this one
    meaning->name = parameter.name.text;
    names->symbols.add(*meaning);
  }
  return names;
}

std::optional<Symbol> Checker::argument(const tree::TemplateArgument& given,
                                        const tree::TemplateParameter& wanted, Scope* names) {
  const std::string what = "the parameter '" + std::string(wanted.name.text) + "' of the template";
  auto in_names = [&](const tree::TypeSpec& spec) {
    Scope* outer = std::exchange(scope_, names);
    const ir::Type* found = type(spec, TypeUse::element);
    scope_ = outer;
    return found;
  };
  if (wanted.kind == TemplateKind::const_) {
    const ir::Type* of = in_names(wanted.type);
    if (!of) return std::nullopt;
    if (!given.value) {
      diagnostics_.error("template-arguments", given.span, what + " is a constant, not a type")
          .note(wanted.name.span, "it is declared here");
      return std::nullopt;
    }
    std::optional<ir::Value> value = evaluate(*given.value, *of);
    if (!value) return std::nullopt;
    auto& decl = make<ir::Constant>(wanted.name, wanted.name.span);
    decl.type = of;
    decl.value = *value;
    Symbol symbol;
    symbol.declaration = &decl;
    symbol.noun = "constant";
    symbol.span = wanted.name.span;
    return symbol;
  }
  Symbol symbol;
  symbol.span = wanted.name.span;
  const ir::Type* actual = nullptr;
  bool named = given.value && given.value->kind == tree::Expression::Kind::name;
  if (given.value && !named) {
    diagnostics_.error("template-arguments", given.span, what + " is a type, not a value")
        .note(wanted.name.span, "it is declared here");
    return std::nullopt;
  }
  if (named && wanted.kind == TemplateKind::exception) {
    symbol.declaration = resolve_as(*given.value->name, DeclKind::exception, "an exception");
    symbol.noun = "exception";
    return symbol.declaration ? std::optional(symbol) : std::nullopt;
  }
  if (named) {
    tree::TypeSpec spec;
    spec.kind = ir::TypeKind::declared;
    spec.span = given.value->span;
    spec.name = *given.value->name;
    actual = type(spec, TypeUse::element);
    if (!actual) return std::nullopt;
    if (actual->kind == ir::TypeKind::declared) symbol = *resolve(spec.name);
    symbol.span = wanted.name.span;
  } else {
    actual = type(given.type, TypeUse::element);
    if (!actual) return std::nullopt;
  }
  symbol.type = actual;
  if (!matches(*actual, wanted.kind)) {
    diagnostics_
        .error("template-arguments", given.span,
               "'" + ir::describe(*actual) + "' does not fit: " + what + " takes '" +
                   std::string(ir::spelling(wanted.kind)) + "'")
        .note(wanted.name.span, "it is declared here");
    return std::nullopt;
  }
  bool of_some_type = wanted.kind == TemplateKind::sequence && wanted.type.kind != ir::TypeKind::void_;
  if (!of_some_type) return symbol;
  const ir::Type* element = in_names(wanted.type);
  if (!element) return std::nullopt;
  const ir::Type& theirs = *ir::resolved(*actual).element;
  if (ir::describe(ir::resolved(*element)) == ir::describe(ir::resolved(theirs))) return symbol;
  diagnostics_
      .error("template-arguments", given.span,
             "'" + ir::describe(*actual) + "' holds " + ir::describe(theirs) + "; " + what +
                 " takes a sequence of " + ir::describe(*element))
      .note(wanted.name.span, "it is declared here");
  return std::nullopt;
}

bool Checker::matches(const ir::Type& type, TemplateKind kind) {
  const ir::Declaration* declared = ir::declared(type);
  auto is = [&](DeclKind wanted) { return declared && declared->kind == wanted; };
  switch (kind) {
    case TemplateKind::interface: return is(DeclKind::interface);
    case TemplateKind::valuetype: return is(DeclKind::value) || is(DeclKind::value_box);
    case TemplateKind::eventtype: return is(DeclKind::value) && ir::as<ir::Value_>(*declared).event;
    case TemplateKind::struct_: return is(DeclKind::struct_);
    case TemplateKind::union_: return is(DeclKind::union_);
    case TemplateKind::enum_: return is(DeclKind::enum_);
    case TemplateKind::sequence: return ir::resolved(type).kind == ir::TypeKind::sequence;
    case TemplateKind::exception: return false;
    default: return true;
  }
}

}  // namespace orbweaver::idl
