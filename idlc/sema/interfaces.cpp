#include <algorithm>

#include "idlc/ir/layout.h"
#include "idlc/sema/checker.h"

namespace orbweaver::idl {

using Contents = std::vector<const ir::Declaration*>;

void Checker::interface(const tree::Definition& definition, Contents& into) {
  const auto& body = std::get<tree::Interface>(definition.body);
  ir::Annotations notes = annotations(definition.annotations, On::interface);
  Symbol* earlier = find_own(*scope_, definition.name.text);
  const bool free = !earlier || is_builtin(earlier->span);  // to be what it likes
  auto& made = open<ir::Interface>(definition, body.forward, into);
  bool again = !free && earlier->declaration == &made;
  if (again && (made.abstract_ != body.abstract_ || made.local != body.local) && made.span.known()) {
    diagnostics_
        .error("forward-mismatch", definition.name.span,
               "'" + made.name + "' is " +
                   (made.abstract_ ? "abstract"
                    : made.local   ? "local"
                                   : "neither abstract nor local") +
                   " where it is declared first")
        .suggest("write 'abstract' or 'local' in both places, or in neither")
        .note(earlier->span, "declared here");
  }
  made.abstract_ = body.abstract_;
  made.local = body.local;
  if (body.forward) return;
  made.annotations = std::move(notes);
  Scope* inner = new_scope(Scope::Kind::interface, scope_, made.name, made.span, &made);
  Symbol* symbol = find_own(*scope_, made.name);
  if (symbol && symbol->declaration == &made) symbol->inner = inner;
  bases(body.bases, made, *inner);
  made.defined = true;  // from here on it may be a parameter of its own operations
  inherited_clashes(made, *inner);
  Entered entered(*this, inner, made.name);
  definitions(body.body, made.contents, instantiating_.empty());
  close(*inner);
}

void Checker::bases(const std::vector<tree::ScopedName>& names, ir::Interface& made, Scope& scope) {
  std::unordered_set<const ir::Declaration*> known;
  for (const tree::ScopedName& name : names) {
    auto* base = static_cast<ir::Interface*>(resolve_as(name, ir::DeclKind::interface, "an interface"));
    if (!base) continue;
    if (!base->defined || base == &made) {
      diagnostics_
          .error("incomplete-type", name.span,
                 base == &made ? "an interface cannot inherit from itself"
                               : "the base interface '" + base->name + "' is not defined yet")
          .suggest(base == &made ? "" : "define it before this line")
          .note(base->span, base == &made ? "" : "declared ahead here");
      continue;
    }
    if (!known.insert(base).second) {
      diagnostics_.error("duplicate-base", name.span, "'" + base->name + "' is named twice as a base")
          .suggest("remove one");
      continue;
    }
    if (made.abstract_ && !base->abstract_) {
      diagnostics_
          .error("bad-base", name.span, "an abstract interface inherits from abstract interfaces only")
          .note(base->span, "'" + base->name + "' is not abstract");
    } else if (base->local && !made.local) {
      diagnostics_.error("bad-base", name.span, "only a local interface can inherit from a local one")
          .note(base->span, "'" + base->name + "' is local");
    }
    made.bases.push_back(base);
    if (auto at = scope_of_.find(base); at != scope_of_.end()) add_base(scope, *at->second);
  }
}

// What an operation or attribute takes and gives is a basic type, a string or a name (CORBA 3.3 part
// 1, 7.13).
void Checker::must_have_name(const tree::TypeSpec& spec) {
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
  ir::Annotations notes = annotations(definition.annotations, On::attribute);
  const ir::Type* of = type(body.type, Use::result);
  must_have_name(body.type);
  if (of) must_travel(*of, body.type.span);
  std::vector<const ir::Declaration*> get = raises(body.get_raises), set = raises(body.set_raises);
  for (const tree::Identifier& name : body.names) {
    auto& made = make<ir::Attribute>(name, definition);
    made.annotations = notes;
    made.readonly = body.readonly;
    made.type = of ? of : basic(ir::TypeKind::long_);
    made.get_raises = get;
    made.set_raises = set;
    Symbol symbol;
    symbol.declaration = &made;
    symbol.noun = "attribute";
    symbol.broken = definition.broken;
    declare(name, symbol);
    into.push_back(&made);
  }
}

void Checker::operation(const tree::Definition& definition, Contents& into) {
  const auto& body = std::get<tree::Operation>(definition.body);
  auto& made = make<ir::Operation>(definition.name, definition);
  made.annotations = annotations(definition.annotations, On::operation);
  made.oneway = body.oneway || find(made.annotations, "oneway") != nullptr;
  const ir::Type* result =
      body.result.kind == ir::TypeKind::void_ ? basic(ir::TypeKind::void_) : type(body.result, Use::result);
  made.result = result ? result : basic(ir::TypeKind::long_);
  must_have_name(body.result);
  must_travel(*made.result, body.result.span);
  add(made, definition, into);
  Scope* inner = new_scope(Scope::Kind::operation, scope_, made.name, made.span, nullptr);
  Scope* outer = std::exchange(scope_, inner);
  made.parameters = parameters(body.parameters, made.oneway);
  scope_ = outer;
  scopes_.pop_back();  // nothing looks into it again
  made.raises = raises(body.raises);
  for (const Token& context : body.contexts) {
    std::string_view text = context.text.substr(1, context.text.size() - 2);
    std::string_view name = text.ends_with('*') ? text.substr(0, text.size() - 1) : text;
    bool good = !name.empty() && std::isalpha(static_cast<unsigned char>(name[0])) &&
                std::all_of(name.begin(), name.end(),
                            [](unsigned char c) { return std::isalnum(c) || c == '.' || c == '_'; });
    if (!good)
      diagnostics_.error("bad-context", context.span, "a context is a name, perhaps with a '*' at its end");
    made.contexts.emplace_back(text);
  }
  if (!made.oneway) return;
  if (made.result->kind != ir::TypeKind::void_) {
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
    ir::Parameter made;
    made.name = each.name.text;
    made.span = each.name.span;
    made.direction = static_cast<ir::Direction>(each.direction);
    const ir::Type* of = type(each.type, Use::parameter);
    made.type = of ? of : basic(ir::TypeKind::long_);
    must_travel(*made.type, each.type.span);
    made.annotations = annotations(each.annotations, On::parameter, of);
    bool through_typedef = made.type->kind == ir::TypeKind::declared &&
                           made.type->declaration->kind == ir::DeclKind::typedef_ &&
                           ir::as<ir::Typedef>(*made.type->declaration).view;
    if (!find(made.annotations, "view")) must_have_name(each.type);  // @view is ours, and a type of its own
    made.view = of && (view(made.annotations, made.type) || through_typedef);
    if (made.view && made.direction != ir::Direction::in) {
      diagnostics_.error("view", each.name.span, "only an 'in' parameter can be a view")
          .suggest("remove @view, or make it 'in'");
    }
    if (oneway && made.direction != ir::Direction::in) {
      diagnostics_.error("oneway", each.name.span, "a one-way operation takes 'in' parameters only")
          .suggest("make '" + made.name + "' an 'in' parameter, or remove 'oneway'");
    }
    Symbol symbol;
    symbol.noun = "parameter";
    declare(each.name, symbol);
    out.push_back(std::move(made));
  }
  return out;
}

// A native type may be raised, by what never leaves the process (CORBA 3.3 part 1, 7.13.2): the Messaging
// module's exception holders do so.
bool Checker::raises_native(const tree::ScopedName& name) {
  const ir::Declaration* owner = scope_->owner;
  bool stays = owner && (owner->kind == ir::DeclKind::value ||
                         (owner->kind == ir::DeclKind::interface && ir::as<ir::Interface>(*owner).local));
  if (!stays) return false;
  Found found;
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
