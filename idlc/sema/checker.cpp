#include "idlc/sema/checker.h"

#include <utility>

namespace orbweaver::idl {

std::unique_ptr<SemanticChecker> make_semantic_checker(const TranslationUnit& preprocessed,
                                                       const Sources& sources, Diagnostics& diagnostics) {
  return std::make_unique<Checker>(preprocessed, sources, diagnostics);
}

Checker::Checker(const TranslationUnit& preprocessed, const Sources& sources, Diagnostics& diagnostics)
    : preprocessed_(preprocessed), sources_(sources), diagnostics_(diagnostics) {
  unit_->main_path = sources.file(preprocessed.main_file).path();
  declare_builtins();
}

std::unique_ptr<ir::Unit> Checker::finish() {
  unit_->files = preprocessed_.files;
  unit_->includes = preprocessed_.includes;
  for (const ir::Declaration* each : unit_->contents) {
    if (each->builtin || each->in_main_file || !each->span.known()) continue;
    const std::string& path = sources_.file(each->span.file).path();
    const bool orb = path.ends_with("orb.idl") && (path.size() == 7 || path[path.size() - 8] == '/');
    unit_->user_orb_idl = unit_->user_orb_idl || (orb && each->name != "CORBA");
  }
  repository_ids_.check_imported_ids();
  declarations_.check_forward_declarations();
  return std::move(unit_);
}

void Checker::module_begins(const tree::Definition& module) { open_module(module, open_contents()); }

void Checker::module_ends() { modules_.pop_back(); }

void Checker::definition(tree::DefinitionPtr definition) {
  if (is_overridden_by_user(*definition)) return;
  check(*definition, open_contents());
  // A template instance is checked as if the template's text were written here.
  if (std::holds_alternative<tree::TemplateModule>(definition->body))
    retained_templates_.push_back(std::move(definition));
}

void Checker::imported(std::vector<tree::DefinitionPtr> body) {
  const DeclarationBuilder::Body entered(declarations_, names_.global(), "");
  id_path_.set("");
  check_all(body, unit_->contents, false);
}

// Declares CORBA::TypeCode, which is visible in every file (CORBA 3.3 part 1, 7.4.1.6), whether or not it
// includes orb.idl.
void Checker::declare_builtins() {
  tree::Identifier name{"CORBA", {}, false};
  auto& module = declarations_.make<ir::Module>(name, Span{});
  Scope& scope = names_.make_scope(Scope::Kind::module, &names_.global(), "CORBA", {}, &module);
  Symbol symbol;
  symbol.declaration = &module;
  symbol.inner = &scope;
  symbol.noun = "module";
  names_.declare(name, symbol);
  const DeclarationBuilder::Body entered(declarations_, scope, "omg.org/CORBA");
  name.text = "TypeCode";
  auto& type_code = declarations_.make<ir::Interface>(name, Span{});
  symbol = {};
  symbol.declaration = &type_code;
  symbol.noun = "interface";
  symbol.forward = true;
  names_.declare(name, symbol);
}

void Checker::check_all(const std::vector<tree::DefinitionPtr>& body, Contents& into, bool last_use) {
  for (const tree::DefinitionPtr& each : body) {
    if (is_overridden_by_user(*each)) continue;
    if (diagnostics_.too_many_errors() || templates_.too_many_definitions(*each)) return;
    check(*each, into);
    if (last_use) const_cast<tree::DefinitionPtr&>(each).reset();
  }
}

bool Checker::is_overridden_by_user(const tree::Definition& definition) {
  if (!names_.is_builtin(definition.start) || std::holds_alternative<tree::Module>(definition.body))
    return false;
  const Symbol* earlier = names_.find_own(names_.current(), definition.name.text);
  return earlier && earlier->span.known() && !names_.is_builtin(earlier->span);
}

struct Checker::Visitor {
  Checker& checker;
  const tree::Definition& it;
  Contents& into;

  void operator()(const tree::Module&) { checker.module(it, into); }
  void operator()(const tree::Interface&) { checker.interfaces_.check(it, into); }
  void operator()(const tree::Value&) { checker.values_.check_value(it, into); }
  void operator()(const tree::ValueBox&) { checker.values_.check_box(it, into); }
  void operator()(const tree::Struct&) { checker.structs_.check_struct(it, into); }
  void operator()(const tree::Exception&) { checker.structs_.check_exception(it, into); }
  void operator()(const tree::Union&) { checker.unions_.check(it, into); }
  void operator()(const tree::Enum&) { checker.enums_.check_enum(it, into); }
  void operator()(const tree::Bitmask&) { checker.enums_.check_bitmask(it, into); }
  void operator()(const tree::Bitset&) { checker.bitsets_.check(it, into); }
  void operator()(const tree::Typedef&) { checker.typedef_(it, into); }
  void operator()(const tree::Const&) { checker.constant(it, into); }
  void operator()(const tree::Native&) { checker.native(it, into); }
  void operator()(const tree::Attribute&) { checker.operations_.check_attribute(it, into); }
  void operator()(const tree::Operation&) { checker.operations_.check_operation(it, into); }
  void operator()(const tree::Factory&) { checker.operations_.check_factory(it, into); }
  void operator()(const tree::StateMember&) { checker.values_.check_state_member(it, into); }
  void operator()(const tree::Component&) { checker.components_.check_component(it, into); }
  void operator()(const tree::Home&) { checker.components_.check_home(it, into); }
  void operator()(const tree::Port&) { checker.components_.check_port(it, into); }
  void operator()(const tree::TemplateModule&) { checker.templates_.declare(it, into); }
  void operator()(const tree::TemplateInstance&) { checker.templates_.instantiate(it, into); }
  void operator()(const tree::AnnotationDeclaration&) { checker.annotation_declarations_.check(it, into); }
  void operator()(const tree::TypeId& body) { checker.repository_ids_.type_id(body); }
  void operator()(const tree::TypePrefix& body) { checker.repository_ids_.type_prefix(body); }
  void operator()(const tree::Import& body) { checker.repository_ids_.import(body); }
  void operator()(const tree::Pragma& body) { checker.repository_ids_.pragma(body.text, it.start); }
  void operator()(const tree::FileEnter&) { checker.id_path_.enter_file(); }
  void operator()(const tree::FileLeave&) { checker.id_path_.leave_file(); }
};

void Checker::check(const tree::Definition& definition, Contents& into) {
  std::visit(Visitor{*this, definition, into}, definition.body);
}

ir::Declaration* Checker::define(const tree::Definition& definition, Contents& into) {
  if (std::holds_alternative<tree::Struct>(definition.body)) return structs_.check_struct(definition, into);
  if (std::holds_alternative<tree::Union>(definition.body)) return unions_.check(definition, into);
  return enums_.check_enum(definition, into);
}

void Checker::open_module(const tree::Definition& definition, Contents& into) {
  auto& decl = declarations_.make<ir::Module>(definition.name, definition);
  decl.annotations = annotations_.check(definition.annotations, AnnotationTarget::module);
  Scope& scope = module_scope(definition.name, decl);
  into.push_back(&decl);
  modules_.push_back(std::make_unique<OpenModule>(declarations_, scope, decl));
}

// A module may be reopened: its openings share one scope, and each has its own declaration.
Scope& Checker::module_scope(const tree::Identifier& name, ir::Module& decl) {
  Scope& outer = names_.current();
  Symbol* earlier = names_.find_own(outer, name.text);
  const bool reopened = earlier && earlier->declaration &&
                        earlier->declaration->kind == ir::DeclKind::module && earlier->name == name.text;
  if (!reopened) {
    Symbol symbol;
    symbol.declaration = &decl;
    symbol.inner = &names_.make_scope(Scope::Kind::module, &outer, name.text, name.span, &decl);
    symbol.noun = "module";
    names_.declare(name, symbol);
    return *symbol.inner;
  }
  // An instance of a template module with errors has no scope; create one for what is added here.
  if (!earlier->inner)
    earlier->inner = &names_.make_scope(Scope::Kind::module, &outer, name.text, name.span, &decl);
  if (!earlier->span.known()) earlier->span = name.span;
  return *earlier->inner;
}

void Checker::module(const tree::Definition& definition, Contents& into) {
  open_module(definition, into);
  check_all(std::get<tree::Module>(definition.body).body, modules_.back()->module_.contents, false);
  module_ends();
}

// While a template module is instantiated, its scope is nested in that of the template's parameters. When the
// instance is reopened later, its scope is nested in the enclosing one instead.
Checker::OpenModule::OpenModule(DeclarationBuilder& declarations, Scope& scope, ir::Module& decl)
    : module_(decl), scope_(scope), entered_(declarations, scope, decl.name),
      first_(std::exchange(scope.owner, &decl)), outer_(std::exchange(scope.outer, entered_.outer())) {}

Checker::OpenModule::~OpenModule() {
  scope_.outer = outer_;
  if (!first_->span.known()) scope_.span = module_.span;
}

void Checker::constant(const tree::Definition& definition, Contents& into) {
  const auto& body = std::get<tree::Const>(definition.body);
  const ir::Type* type = types_.check(body.type, TypeUse::constant);
  auto& decl = declarations_.make<ir::Constant>(definition.name, definition);
  decl.annotations = annotations_.check(definition.annotations, AnnotationTarget::declaration);
  bool good = type != nullptr && body.value && !definition.broken;
  if (good) {
    decl.type = type;
    std::optional<ir::Value> value = constants_.evaluate(*body.value, *type);
    good = value.has_value();
    if (good) decl.value = *value;
  }
  Symbol symbol;
  symbol.declaration = &decl;
  symbol.noun = "constant";
  symbol.broken = !good;
  names_.declare(definition.name, symbol);
  if (good) into.push_back(&decl);
}

void Checker::typedef_(const tree::Definition& definition, Contents& into) {
  const auto& body = std::get<tree::Typedef>(definition.body);
  const ir::Type* base = types_.check(body.type, TypeUse::any, &into);
  for (const tree::Declarator& declarator : body.declarators) {
    auto& decl = declarations_.make<ir::Typedef>(declarator.name, definition);
    decl.annotations =
        annotations_.check(definition.annotations, declarator, AnnotationTarget::typedef_, base);
    decl.type = base ? types_.array(base, declarator) : nullptr;
    if (decl.type) {
      decl.resolved_type = &ir::resolved(*decl.type);
      local_types_.record_part(decl, *decl.type);
      decl.view = annotations_.is_view(decl.annotations, *decl.type);
    }
    Symbol symbol;
    symbol.declaration = &decl;
    symbol.noun = "typedef";
    symbol.broken = !decl.type || definition.broken;
    names_.declare(declarator.name, symbol);
    if (decl.type) into.push_back(&decl);
  }
}

void Checker::native(const tree::Definition& definition, Contents& into) {
  auto& decl = declarations_.make<ir::Native>(definition.name, definition);
  decl.annotations = annotations_.check(definition.annotations, AnnotationTarget::type);
  declarations_.add(decl, definition, into);
}

}  // namespace orbweaver::idl
