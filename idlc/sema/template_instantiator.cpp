#include "idlc/sema/template_instantiator.h"

#include <algorithm>

namespace orbweaver::idl {

using ir::DeclKind;

namespace {

// Limits exponential growth: each level of templates may instantiate the next level twice.
constexpr std::size_t kMaxTemplateDefinitions = 200'000;
constexpr std::size_t kMaxNestedTemplates = 200;

}  // namespace

void TemplateInstantiator::declare(const tree::Definition& definition, Contents& into) {
  const auto& body = std::get<tree::TemplateModule>(definition.body);
  auto& decl = declarations_.make<ir::TemplateModule>(definition.name, definition);
  decl.annotations = annotations_.check(definition.annotations, AnnotationTarget::module);
  declarations_.add(decl, definition, into);
  Scope& outer = names_.current();
  const ScopeGuard entered(names_,
                           names_.make_scope(Scope::Kind::module, &outer, decl.name, decl.span, nullptr));
  for (const tree::TemplateParameter& each : body.parameters) {
    decl.parameters.push_back({std::string(each.name.text), each.kind});
    Symbol symbol;
    symbol.noun = "parameter of the template";
    names_.declare(each.name, symbol);
  }
  templates_[&decl] = {&body, &outer};
}

void TemplateInstantiator::instantiate(const tree::Definition& definition, Contents& into) {
  const auto& body = std::get<tree::TemplateInstance>(definition.body);
  auto* of = static_cast<ir::TemplateModule*>(
      names_.resolve_as(body.target, DeclKind::template_module, "a template module"));
  auto& decl = declarations_.make<ir::Module>(definition.name, definition);
  decl.annotations = annotations_.check(definition.annotations, AnnotationTarget::module);
  decl.instance_of = of;
  const Template* source = usable_template(definition, of);
  Scope* arguments = source ? bind_arguments(definition, *of, *source) : nullptr;
  // An instance may reopen a module (IDL 4.2, 7.4.12): its definitions are added to those of the module.
  Scope* reopened = module_to_reopen(definition.name);
  Symbol symbol;
  symbol.declaration = &decl;
  symbol.noun = "module";
  symbol.broken = !arguments || definition.broken;
  if (arguments) {
    symbol.inner = &names_.make_scope(Scope::Kind::module, arguments, decl.name, decl.span, &decl);
    into.push_back(&decl);
  }
  if ((!reopened && !names_.declare(definition.name, symbol)) || !arguments) return;
  const DeclarationBuilder::Body entered(declarations_, *symbol.inner, decl.name);
  const DeclarationBuilder::TemplateInstance instance(declarations_, decl);
  instantiating_.push_back(of);
  const std::size_t diagnostics_before = diagnostics_.all().size();
  definitions_.check_all(source->body->body, decl.contents);
  diagnostics_.note_since(diagnostics_before, definition.name.span, "in this module, made of the template");
  instantiating_.pop_back();
  if (reopened) merge(*symbol.inner, *reopened);
}

// The text of a template that is not being instantiated already; null: reported.
const TemplateInstantiator::Template* TemplateInstantiator::usable_template(
    const tree::Definition& definition, const ir::TemplateModule* of) {
  if (!of) return nullptr;
  if (std::find(instantiating_.begin(), instantiating_.end(), of) != instantiating_.end()) {
    diagnostics_
        .error("recursive-type", std::get<tree::TemplateInstance>(definition.body).target.span,
               "a template module cannot be made of itself")
        .note(of->span, "'" + of->name + "' is defined here");
    return nullptr;
  }
  if (instantiating_.size() >= kMaxNestedTemplates) {
    diagnostics_
        .error("nesting", definition.name.span,
               "template modules use each other more than " + std::to_string(kMaxNestedTemplates) +
                   " levels deep")
        .note(of->span, "'" + of->name + "' is defined here");
    return nullptr;
  }
  const auto source = templates_.find(of);
  return source == templates_.end() ? nullptr : &source->second;
}

Scope* TemplateInstantiator::module_to_reopen(const tree::Identifier& name) {
  const Symbol* earlier = names_.find_own(names_.current(), name.text);
  const bool module = earlier && earlier->name == name.text && earlier->declaration &&
                      earlier->declaration->kind == DeclKind::module;
  return module ? earlier->inner : nullptr;
}

// Declares the names of an instance in the module that it reopens.
void TemplateInstantiator::merge(const Scope& from, Scope& into) {
  std::vector<const Symbol*> all;
  for (const Symbol& symbol : from.symbols) {
    if (!symbol.from_use) all.push_back(&symbol);
  }
  std::sort(all.begin(), all.end(), [](auto* a, auto* b) { return a->span.offset < b->span.offset; });
  const ScopeGuard entered(names_, into);
  for (const Symbol* each : all) names_.declare({each->name, each->span, false}, *each);
}

bool TemplateInstantiator::too_many_definitions(const tree::Definition& definition) {
  if (instantiating_.empty() || ++definition_count_ < kMaxTemplateDefinitions) return false;
  if (definition_count_ == kMaxTemplateDefinitions) {
    diagnostics_
        .error("nesting", definition.start,
               "template modules make more than " + std::to_string(kMaxTemplateDefinitions) +
                   " definitions here")
        .suggest("let fewer templates use each other");
  }
  return true;
}

}  // namespace orbweaver::idl
