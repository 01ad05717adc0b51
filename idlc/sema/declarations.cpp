#include "idlc/sema/checker.h"

namespace orbweaver::idl {

using Contents = std::vector<const ir::Declaration*>;

std::unique_ptr<SemanticChecker> make_semantic_checker(const TranslationUnit& preprocessed,
                                                       const Sources& sources, Diagnostics& diagnostics) {
  return std::make_unique<Checker>(preprocessed, sources, diagnostics);
}

Checker::Checker(const TranslationUnit& preprocessed, const Sources& sources, Diagnostics& diagnostics)
    : preprocessed_(preprocessed), sources_(sources), diagnostics_(diagnostics) {
  scope_ = global_ = new_scope(Scope::Kind::global, nullptr, "", {}, nullptr);
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
  check_imported_ids();
  check_forward_declarations();
  return std::move(unit_);
}

void Checker::module_begins(const tree::Definition& module) {
  open_module(module, modules_.empty() ? unit_->contents : modules_.back()->module_.contents);
}

void Checker::module_ends() { close_module(); }

void Checker::definition(tree::DefinitionPtr definition) {
  if (is_overridden_by_user(*definition)) return;
  check(*definition, modules_.empty() ? unit_->contents : modules_.back()->module_.contents);
  // A template instance is checked as if the template's text were written here.
  if (std::holds_alternative<tree::TemplateModule>(definition->body))
    retained_templates_.push_back(std::move(definition));
}

void Checker::imported(std::vector<tree::DefinitionPtr> body) {
  ScopeGuard entered(*this, global_, "");
  set_id_path("");
  definitions(body, unit_->contents);
}

Checker::ScopeGuard::ScopeGuard(Checker& checker, Scope* scope, std::string_view name)
    : checker_(checker), outer_(checker.scope_), id_path_(checker.id_path_), id_here_(checker.id_here_) {
  checker.scope_ = scope;
  checker.set_id_path(id_path_ + (id_path_.empty() ? "" : "/") + std::string(name));
}
Checker::ScopeGuard::~ScopeGuard() {
  checker_.scope_ = outer_;
  checker_.id_path_ = std::move(id_path_);
  checker_.id_here_ = id_here_;
}

// Declares CORBA::TypeCode, which is visible in every file (CORBA 3.3 part 1, 7.4.1.6), whether or not it
// includes orb.idl.
void Checker::declare_builtins() {
  tree::Identifier name{"CORBA", {}, false};
  auto& module = make<ir::Module>(name, Span{});
  Scope* inner = new_scope(Scope::Kind::module, global_, "CORBA", {}, &module);
  Symbol symbol;
  symbol.declaration = &module;
  symbol.inner = inner;
  symbol.noun = "module";
  declare(name, symbol);
  ScopeGuard entered(*this, inner, "omg.org/CORBA");
  name.text = "TypeCode";
  auto& type_code = make<ir::Interface>(name, Span{});
  symbol = {};
  symbol.declaration = &type_code;
  symbol.noun = "interface";
  symbol.forward = true;
  declare(name, symbol);
}

void Checker::definitions(const std::vector<tree::DefinitionPtr>& body, Contents& into, bool last_use) {
  for (const tree::DefinitionPtr& each : body) {
    if (is_overridden_by_user(*each)) continue;
    if (diagnostics_.too_many_errors() || too_many_instances(*each)) return;
    check(*each, into);
    // Frees the syntax tree early: a large definition's tree and IR need not be in memory together.
    if (last_use) const_cast<tree::DefinitionPtr&>(each).reset();
  }
}

bool Checker::is_overridden_by_user(const tree::Definition& definition) {
  if (!is_builtin(definition.start) || std::holds_alternative<tree::Module>(definition.body)) return false;
  const Symbol* earlier = find_own(*scope_, definition.name.text);
  return earlier && earlier->span.known() && !is_builtin(earlier->span);
}

void Checker::check(const tree::Definition& definition, Contents& into) {
  struct Visitor {
    Checker& check;
    const tree::Definition& it;
    Contents& into;
    void operator()(const tree::Module&) { check.module(it, into); }
    void operator()(const tree::Interface&) { check.interface(it, into); }
    void operator()(const tree::Value&) { check.value(it, into); }
    void operator()(const tree::ValueBox&) { check.value_box(it, into); }
    void operator()(const tree::Struct&) { check.struct_(it, into); }
    void operator()(const tree::Exception&) { check.exception(it, into); }
    void operator()(const tree::Union&) { check.union_(it, into); }
    void operator()(const tree::Enum&) { check.enum_(it, into); }
    void operator()(const tree::Bitmask&) { check.bitmask(it, into); }
    void operator()(const tree::Bitset&) { check.bitset(it, into); }
    void operator()(const tree::Typedef&) { check.typedef_(it, into); }
    void operator()(const tree::Const&) { check.constant(it, into); }
    void operator()(const tree::Native&) { check.native(it, into); }
    void operator()(const tree::Attribute&) { check.attribute(it, into); }
    void operator()(const tree::Operation&) { check.operation(it, into); }
    void operator()(const tree::Factory&) { check.factory(it, into); }
    void operator()(const tree::StateMember&) { check.state_member(it, into); }
    void operator()(const tree::Component&) { check.component(it, into); }
    void operator()(const tree::Home&) { check.home(it, into); }
    void operator()(const tree::Port&) { check.port(it, into); }
    void operator()(const tree::TemplateModule&) { check.template_module(it, into); }
    void operator()(const tree::TemplateInstance&) { check.template_instance(it, into); }
    void operator()(const tree::TypeId& body) { check.type_id(body.target, body.text); }
    void operator()(const tree::TypePrefix& body) { check.type_prefix(body.target, body.text); }
    void operator()(const tree::Import& body) { check.import(body); }
    void operator()(const tree::AnnotationDeclaration&) { check.annotation_declaration(it, into); }
    void operator()(const tree::Pragma& body) { check.pragma(body.text, it.start); }
    void operator()(const tree::FileEnter&) {
      check.id_path_files_.push_back(std::move(check.id_path_));
      check.set_id_path("");
    }
    void operator()(const tree::FileLeave&) {
      if (check.id_path_files_.empty()) return;
      check.set_id_path(std::move(check.id_path_files_.back()));
      check.id_path_files_.pop_back();
    }
  };
  std::visit(Visitor{*this, definition, into}, definition.body);
}

void Checker::add(ir::Declaration& decl, const tree::Definition& definition, Contents& into) {
  Symbol symbol;
  symbol.declaration = &decl;
  symbol.noun = ir::noun(decl.kind).data();
  symbol.broken = definition.broken;
  declare(definition.name, symbol);
  into.push_back(&decl);
}

// Opens a module. A module may be reopened: its openings share one scope, and each has its own declaration.
void Checker::open_module(const tree::Definition& definition, Contents& into) {
  auto& decl = make<ir::Module>(definition.name, definition);
  decl.annotations = annotations(definition.annotations, AnnotationTarget::module);
  Symbol* earlier = find_own(*scope_, definition.name.text);
  Scope* inner = nullptr;
  if (earlier && earlier->declaration && earlier->declaration->kind == ir::DeclKind::module &&
      earlier->name == definition.name.text) {
    inner = earlier->inner;
    // An instance of a template module with errors has no scope; create one for what is added here.
    if (!inner) {
      inner = earlier->inner =
          new_scope(Scope::Kind::module, scope_, definition.name.text, definition.name.span, &decl);
    }
    if (!earlier->span.known()) earlier->span = definition.name.span;
  } else {
    inner = new_scope(Scope::Kind::module, scope_, definition.name.text, definition.name.span, &decl);
    Symbol symbol;
    symbol.declaration = &decl;
    symbol.inner = inner;
    symbol.noun = "module";
    declare(definition.name, symbol);
  }
  into.push_back(&decl);
  modules_.push_back(std::make_unique<OpenModule>(*this, inner, decl));
}

void Checker::close_module() { modules_.pop_back(); }

void Checker::module(const tree::Definition& definition, Contents& into) {
  open_module(definition, into);
  definitions(std::get<tree::Module>(definition.body).body, modules_.back()->module_.contents);
  close_module();
}

// While a template module is instantiated, its scope is nested in that of the template's parameters. When the
// instance is reopened later, its scope is nested in the enclosing one instead.
Checker::OpenModule::OpenModule(Checker& checker, Scope* inner, ir::Module& decl)
    : module_(decl), inner_(inner), entered_(checker, inner, decl.name),
      first_(std::exchange(inner->owner, &decl)), outer_(std::exchange(inner->outer, entered_.outer_)) {}

Checker::OpenModule::~OpenModule() {
  inner_->outer = outer_;
  if (!first_->span.known()) inner_->span = module_.span;
}

void Checker::constant(const tree::Definition& definition, Contents& into) {
  const auto& body = std::get<tree::Const>(definition.body);
  const ir::Type* of = type(body.type, TypeUse::constant);
  auto& decl = make<ir::Constant>(definition.name, definition);
  decl.annotations = annotations(definition.annotations, AnnotationTarget::declaration);
  bool ok = of != nullptr && body.value && !definition.broken;
  if (ok) {
    decl.type = of;
    std::optional<ir::Value> value = evaluate(*body.value, *of);
    ok = value.has_value();
    if (ok) decl.value = *value;
  }
  Symbol symbol;
  symbol.declaration = &decl;
  symbol.noun = "constant";
  symbol.broken = !ok || definition.broken;
  declare(definition.name, symbol);
  if (ok) into.push_back(&decl);
}

void Checker::typedef_(const tree::Definition& definition, Contents& into) {
  const auto& body = std::get<tree::Typedef>(definition.body);
  const ir::Type* base = type(body.type, TypeUse::any, &into);
  for (const tree::Declarator& declarator : body.declarators) {
    auto& decl = make<ir::Typedef>(declarator.name, definition);
    decl.annotations = annotations(definition.annotations, declarator, AnnotationTarget::typedef_, base);
    decl.type = base ? array(base, declarator) : nullptr;
    if (decl.type) decl.behind = &ir::resolved(*decl.type);
    if (decl.type) holds(decl, *decl.type);
    if (decl.type) decl.view = view(decl.annotations, decl.type);
    Symbol symbol;
    symbol.declaration = &decl;
    symbol.noun = "typedef";
    symbol.broken = !decl.type || definition.broken;
    declare(declarator.name, symbol);
    if (decl.type) into.push_back(&decl);
  }
}

void Checker::native(const tree::Definition& definition, Contents& into) {
  auto& decl = make<ir::Native>(definition.name, definition);
  decl.annotations = annotations(definition.annotations, AnnotationTarget::type);
  add(decl, definition, into);
}

void Checker::check_forward_declarations() {
  for (const ForwardDeclaration& each : forward_declarations_) {
    if (*each.defined || is_builtin(each.span)) continue;
    bool by_reference =
        each.declaration->kind == ir::DeclKind::interface || each.declaration->kind == ir::DeclKind::value ||
        each.declaration->kind == ir::DeclKind::component || each.declaration->kind == ir::DeclKind::porttype;
    std::string message = std::string(ir::noun(each.declaration->kind)) + " '" + each.declaration->name +
                          "' is declared ahead but never defined";
    if (by_reference)
      diagnostics_.warning("forward-only", each.span, message);
    else if (!names_lost())
      diagnostics_.error("forward-only", each.span, message).suggest("define it, or remove this line");
  }
}

}  // namespace orbweaver::idl
