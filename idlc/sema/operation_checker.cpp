#include "idlc/sema/operation_checker.h"

#include <algorithm>
#include <cctype>
#include <unordered_set>

#include "idlc/ir/layout.h"

namespace orbweaver::idl {

using ir::TypeKind;

void OperationChecker::check_attribute(const tree::Definition& definition, Contents& into) {
  const auto& body = std::get<tree::Attribute>(definition.body);
  const ir::Annotations annotations = annotations_.check(definition.annotations, AnnotationTarget::attribute);
  const ir::Type* type = types_.check(body.type, TypeUse::result);
  reject_anonymous_type(body.type);
  if (type) reject_local_type(*type, body.type.span);
  const Contents get_raises = raises(body.get_raises), set_raises = raises(body.set_raises);
  for (const tree::Identifier& name : body.names) {
    auto& decl = declarations_.make<ir::Attribute>(name, definition);
    decl.annotations = annotations;
    decl.readonly = body.readonly;
    decl.type = or_any_type(type);
    decl.get_raises = get_raises;
    decl.set_raises = set_raises;
    Symbol symbol;
    symbol.declaration = &decl;
    symbol.noun = "attribute";
    symbol.broken = definition.broken;
    names_.declare(name, symbol);
    into.push_back(&decl);
  }
}

void OperationChecker::check_operation(const tree::Definition& definition, Contents& into) {
  const auto& body = std::get<tree::Operation>(definition.body);
  auto& decl = declarations_.make<ir::Operation>(definition.name, definition);
  decl.annotations = annotations_.check(definition.annotations, AnnotationTarget::operation);
  decl.oneway = body.oneway || find_annotation(decl.annotations, "oneway") != nullptr;
  decl.result = body.result.kind == TypeKind::void_ ? types_.basic(TypeKind::void_)
                                                    : or_any_type(types_.check(body.result, TypeUse::result));
  reject_anonymous_type(body.result);
  reject_local_type(*decl.result, body.result.span);
  declarations_.add(decl, definition, into);
  {
    const OperationScope entered(names_, decl);
    decl.parameters = parameters(body.parameters, decl.oneway);
  }
  decl.raises = raises(body.raises);
  for (const Token& context : body.contexts) {
    check_context(context);
    decl.contexts.emplace_back(context.text.substr(1, context.text.size() - 2));
  }
  if (decl.oneway) check_oneway(body, decl);
}

void OperationChecker::check_factory(const tree::Definition& definition, Contents& into) {
  const auto& body = std::get<tree::Factory>(definition.body);
  auto& decl = declarations_.make<ir::Factory>(definition.name, definition);
  if (body.finder) decl.kind = ir::DeclKind::finder;
  decl.annotations = annotations_.check(definition.annotations, AnnotationTarget::operation);
  declarations_.add(decl, definition, into);
  {
    const OperationScope entered(names_, decl);
    decl.parameters = parameters(body.parameters, false);
  }
  decl.raises = raises(body.raises);
}

// A context is the name of a property, or the beginning of names and a '*'.
void OperationChecker::check_context(const Token& context) {
  std::string_view name = context.text.substr(1, context.text.size() - 2);
  if (name.ends_with('*')) name.remove_suffix(1);
  const bool good = !name.empty() && std::isalpha(static_cast<unsigned char>(name[0])) &&
                    std::all_of(name.begin(), name.end(),
                                [](unsigned char c) { return std::isalnum(c) || c == '.' || c == '_'; });
  if (!good)
    diagnostics_.error("bad-context", context.span, "a context is a name, perhaps with a '*' at its end");
}

void OperationChecker::check_oneway(const tree::Operation& body, const ir::Operation& decl) {
  if (decl.result->kind != TypeKind::void_) {
    diagnostics_.error("oneway", body.result.span, "a one-way operation returns nothing")
        .suggest("write 'oneway void', or remove 'oneway'");
  }
  if (!body.raises.empty()) {
    diagnostics_.error("oneway", body.raises[0].span, "a one-way operation cannot raise exceptions")
        .suggest("remove 'raises', or 'oneway'");
  }
}

std::vector<ir::Parameter> OperationChecker::parameters(const std::vector<tree::Parameter>& from,
                                                        bool oneway) {
  std::vector<ir::Parameter> out;
  for (const tree::Parameter& each : from) {
    ir::Parameter checked = parameter(each);
    if (oneway && checked.direction != ir::Direction::in) {
      diagnostics_.error("oneway", each.name.span, "a one-way operation takes 'in' parameters only")
          .suggest("make '" + checked.name + "' an 'in' parameter, or remove 'oneway'");
    }
    Symbol symbol;
    symbol.noun = "parameter";
    names_.declare(each.name, symbol);
    out.push_back(std::move(checked));
  }
  return out;
}

ir::Parameter OperationChecker::parameter(const tree::Parameter& from) {
  ir::Parameter out;
  out.name = from.name.text;
  out.span = from.name.span;
  out.direction = static_cast<ir::Direction>(from.direction);
  const ir::Type* type = types_.check(from.type, TypeUse::parameter);
  out.type = or_any_type(type);
  reject_local_type(*out.type, from.type.span);
  out.annotations = annotations_.check(from.annotations, AnnotationTarget::parameter, type);
  const bool view_typedef = out.type->kind == TypeKind::declared &&
                            out.type->declaration->kind == ir::DeclKind::typedef_ &&
                            ir::as<ir::Typedef>(*out.type->declaration).view;
  // @view is an extension, and makes a type of its own.
  if (!find_annotation(out.annotations, "view"))
    reject_anonymous_type(from.type, out.direction == ir::Direction::in && type && ir::can_be_view(*type));
  out.view = type && (annotations_.is_view(out.annotations, *out.type) || view_typedef);
  if (out.view && out.direction != ir::Direction::in) {
    diagnostics_.error("view", from.name.span, "only an 'in' parameter can be a view")
        .suggest("remove @view, or make it 'in'");
  }
  return out;
}

// Reports a parameter, result or attribute type that is not a basic type, a string or a named type
// (CORBA 3.3 part 1, 7.13).
void OperationChecker::reject_anonymous_type(const tree::TypeSpec& spec, bool can_be_view) {
  const char* noun = spec.kind == TypeKind::sequence ? "a sequence"
                     : spec.kind == TypeKind::fixed  ? "a fixed-point type"
                                                     : nullptr;
  if (!noun) return;
  diagnostics_
      .error("anonymous-type", spec.span,
             std::string(noun) + " needs a name before operations and attributes can use it")
      .suggest(std::string("name it with a typedef and use that name") +
               (can_be_view ? ", or write '@view' before the parameter" : ""));
}

// Whether a raises clause names a native type, and may: in definitions whose calls stay in the process
// (CORBA 3.3 part 1, 7.13.2), as the Messaging module's exception holders do.
bool OperationChecker::is_native_exception(const tree::ScopedName& name) {
  const ir::Declaration* owner = names_.enclosing_declaration();
  const bool stays =
      owner && (owner->kind == ir::DeclKind::value ||
                (owner->kind == ir::DeclKind::interface && ir::as<ir::Interface>(*owner).local));
  if (!stays) return false;
  const Symbol* found = names_.find(name);
  return found && found->declaration && !found->broken && found->declaration->kind == ir::DeclKind::native;
}

Contents OperationChecker::raises(const std::vector<tree::ScopedName>& names) {
  Contents out;
  std::unordered_set<const ir::Declaration*> known;
  for (const tree::ScopedName& name : names) {
    if (is_native_exception(name)) {
      out.push_back(names_.resolve(name)->declaration);
      continue;
    }
    const ir::Declaration* exception = names_.resolve_as(name, ir::DeclKind::exception, "an exception");
    if (exception && known.insert(exception).second) out.push_back(exception);
  }
  return out;
}

}  // namespace orbweaver::idl
