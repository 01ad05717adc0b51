#include <algorithm>

#include "idlc/ir/layout.h"
#include "idlc/sema/checker.h"

namespace orbweaver::idl {

using Contents = std::vector<const ir::Declaration*>;

void Checker::interface(const tree::Definition& definition, Contents& into) {
  const auto& body = std::get<tree::Interface>(definition.body);
  ir::Annotations notes = annotations(definition.annotations, AnnotationTarget::interface);
  Symbol* earlier = find_own(*scope_, definition.name.text);
  const bool free = !earlier || is_builtin(earlier->span);  // no earlier user declaration to agree with
  auto& decl = open<ir::Interface>(definition, body.forward, into);
  bool again = !free && earlier->declaration == &decl;
  if (again && (decl.abstract_ != body.abstract_ || decl.local != body.local) && decl.span.known()) {
    diagnostics_
        .error("forward-mismatch", definition.name.span,
               "'" + decl.name + "' is " +
                   (decl.abstract_ ? "abstract"
                    : decl.local   ? "local"
                                   : "neither abstract nor local") +
                   " where it is declared first")
        .suggest("write 'abstract' or 'local' in both places, or in neither")
        .note(earlier->span, "declared here");
  }
  decl.abstract_ = body.abstract_;
  decl.local = body.local;
  if (body.forward) return;
  decl.annotations = std::move(notes);
  Scope* inner = new_scope(Scope::Kind::interface, scope_, decl.name, decl.span, &decl);
  Symbol* symbol = find_own(*scope_, decl.name);
  if (symbol && symbol->declaration == &decl) symbol->inner = inner;
  bases(body.bases, decl, *inner);
  decl.defined = true;  // its own operations may use it as a parameter type
  inherited_clashes(decl, *inner);
  ScopeGuard entered(*this, inner, decl.name);
  definitions(body.body, decl.contents, instantiating_.empty());
  close(*inner);
}

void Checker::bases(const std::vector<tree::ScopedName>& names, ir::Interface& decl, Scope& scope) {
  std::unordered_set<const ir::Declaration*> known;
  for (const tree::ScopedName& name : names) {
    auto* base = static_cast<ir::Interface*>(resolve_as(name, ir::DeclKind::interface, "an interface"));
    if (!base) continue;
    if (!base->defined || base == &decl) {
      diagnostics_
          .error("incomplete-type", name.span,
                 base == &decl ? "an interface cannot inherit from itself"
                               : "the base interface '" + base->name + "' is not defined yet")
          .suggest(base == &decl ? "" : "define it before this line")
          .note(base->span, base == &decl ? "" : "declared ahead here");
      continue;
    }
    if (!known.insert(base).second) {
      diagnostics_.error("duplicate-base", name.span, "'" + base->name + "' is named twice as a base")
          .suggest("remove one");
      continue;
    }
    if (decl.abstract_ && !base->abstract_) {
      diagnostics_
          .error("bad-base", name.span, "an abstract interface inherits from abstract interfaces only")
          .note(base->span, "'" + base->name + "' is not abstract");
    } else if (base->local && !decl.local) {
      diagnostics_.error("bad-base", name.span, "only a local interface can inherit from a local one")
          .note(base->span, "'" + base->name + "' is local");
    }
    decl.bases.push_back(base);
    if (auto at = scope_of_.find(base); at != scope_of_.end()) add_base(scope, *at->second);
  }
}

// Reports a parameter, result or attribute type that is not a basic type, a string or a named type
// (CORBA 3.3 part 1, 7.13).
void Checker::reject_anonymous_type(const tree::TypeSpec& spec) {
  const char* noun = spec.kind == ir::TypeKind::sequence ? "a sequence"
                     : spec.kind == ir::TypeKind::fixed  ? "a fixed-point type"
                                                         : nullptr;
  if (!noun) return;
  diagnostics_
      .error("anonymous-type", spec.span,
             std::string(noun) + " needs a name before operations and attributes can use it")
      .suggest("name it with a typedef and use that name");
}

void Checker::attribute(const tree::Definition& definition, Contents& into) {
  const auto& body = std::get<tree::Attribute>(definition.body);
  ir::Annotations notes = annotations(definition.annotations, AnnotationTarget::attribute);
  const ir::Type* of = type(body.type, TypeUse::result);
  reject_anonymous_type(body.type);
  if (of) reject_local_type(*of, body.type.span);
  std::vector<const ir::Declaration*> get = raises(body.get_raises), set = raises(body.set_raises);
  for (const tree::Identifier& name : body.names) {
    auto& decl = make<ir::Attribute>(name, definition);
    decl.annotations = notes;
    decl.readonly = body.readonly;
    decl.type = of ? of : basic(ir::TypeKind::long_);
    decl.get_raises = get;
    decl.set_raises = set;
    Symbol symbol;
    symbol.declaration = &decl;
    symbol.noun = "attribute";
    symbol.broken = definition.broken;
    declare(name, symbol);
    into.push_back(&decl);
  }
}

void Checker::operation(const tree::Definition& definition, Contents& into) {
  const auto& body = std::get<tree::Operation>(definition.body);
  auto& decl = make<ir::Operation>(definition.name, definition);
  decl.annotations = annotations(definition.annotations, AnnotationTarget::operation);
  decl.oneway = body.oneway || find(decl.annotations, "oneway") != nullptr;
  const ir::Type* result = body.result.kind == ir::TypeKind::void_ ? basic(ir::TypeKind::void_)
                                                                   : type(body.result, TypeUse::result);
  decl.result = result ? result : basic(ir::TypeKind::long_);
  reject_anonymous_type(body.result);
  reject_local_type(*decl.result, body.result.span);
  add(decl, definition, into);
  Scope* inner = new_scope(Scope::Kind::operation, scope_, decl.name, decl.span, nullptr);
  Scope* outer = std::exchange(scope_, inner);
  decl.parameters = parameters(body.parameters, decl.oneway);
  scope_ = outer;
  scopes_.pop_back();  // an operation's scope is not searched after its definition
  decl.raises = raises(body.raises);
  for (const Token& context : body.contexts) {
    std::string_view text = context.text.substr(1, context.text.size() - 2);
    std::string_view name = text.ends_with('*') ? text.substr(0, text.size() - 1) : text;
    bool good = !name.empty() && std::isalpha(static_cast<unsigned char>(name[0])) &&
                std::all_of(name.begin(), name.end(),
                            [](unsigned char c) { return std::isalnum(c) || c == '.' || c == '_'; });
    if (!good)
      diagnostics_.error("bad-context", context.span, "a context is a name, perhaps with a '*' at its end");
    decl.contexts.emplace_back(text);
  }
  if (!decl.oneway) return;
  if (decl.result->kind != ir::TypeKind::void_) {
    diagnostics_.error("oneway", body.result.span, "a one-way operation returns nothing")
        .suggest("write 'oneway void', or remove 'oneway'");
  }
  if (!body.raises.empty()) {
    diagnostics_.error("oneway", body.raises[0].span, "a one-way operation cannot raise exceptions")
        .suggest("remove 'raises', or 'oneway'");
  }
}

std::vector<ir::Parameter> Checker::parameters(const std::vector<tree::Parameter>& from, bool oneway) {
  std::vector<ir::Parameter> out;
  for (const tree::Parameter& each : from) {
    ir::Parameter param;
    param.name = each.name.text;
    param.span = each.name.span;
    param.direction = static_cast<ir::Direction>(each.direction);
    const ir::Type* of = type(each.type, TypeUse::parameter);
    param.type = of ? of : basic(ir::TypeKind::long_);
    reject_local_type(*param.type, each.type.span);
    param.annotations = annotations(each.annotations, AnnotationTarget::parameter, of);
    bool through_typedef = param.type->kind == ir::TypeKind::declared &&
                           param.type->declaration->kind == ir::DeclKind::typedef_ &&
                           ir::as<ir::Typedef>(*param.type->declaration).view;
    // @view is an extension, and makes a type of its own.
    if (!find(param.annotations, "view")) reject_anonymous_type(each.type);
    param.view = of && (view(param.annotations, param.type) || through_typedef);
    if (param.view && param.direction != ir::Direction::in) {
      diagnostics_.error("view", each.name.span, "only an 'in' parameter can be a view")
          .suggest("remove @view, or make it 'in'");
    }
    if (oneway && param.direction != ir::Direction::in) {
      diagnostics_.error("oneway", each.name.span, "a one-way operation takes 'in' parameters only")
          .suggest("make '" + param.name + "' an 'in' parameter, or remove 'oneway'");
    }
    Symbol symbol;
    symbol.noun = "parameter";
    declare(each.name, symbol);
    out.push_back(std::move(param));
  }
  return out;
}

// Whether a raises clause may name this native type: allowed in definitions whose calls stay in the process
// (CORBA 3.3 part 1, 7.13.2), as the Messaging module's exception holders do.
bool Checker::raises_native(const tree::ScopedName& name) {
  const ir::Declaration* owner = scope_->owner;
  bool stays = owner && (owner->kind == ir::DeclKind::value ||
                         (owner->kind == ir::DeclKind::interface && ir::as<ir::Interface>(*owner).local));
  if (!stays) return false;
  LookupResult found;
  for (Scope* at = name.absolute ? global_ : scope_; at && !found.symbol; at = at->outer)
    found = find_here(*at, name.parts[0].text);
  for (std::size_t i = 1; i < name.parts.size() && found.symbol && found.symbol->inner; ++i)
    found = find_here(*found.symbol->inner, name.parts[i].text);
  return found.symbol && found.symbol->declaration && !found.symbol->broken &&
         found.symbol->declaration->kind == ir::DeclKind::native;
}

std::vector<const ir::Declaration*> Checker::raises(const std::vector<tree::ScopedName>& names) {
  std::vector<const ir::Declaration*> out;
  std::unordered_set<const ir::Declaration*> known;
  for (const tree::ScopedName& name : names) {
    if (raises_native(name)) {
      out.push_back(resolve(name)->declaration);
      continue;
    }
    ir::Declaration* exception = resolve_as(name, ir::DeclKind::exception, "an exception");
    if (exception && known.insert(exception).second) out.push_back(exception);
  }
  return out;
}

}  // namespace orbweaver::idl
