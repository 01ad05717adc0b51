// Binds the arguments of a template instance to the template's parameters. Each function reports an argument
// that does not match, and returns null.
#include "idlc/sema/template_instantiator.h"

namespace orbweaver::idl {

using ir::DeclKind;
using ir::TemplateKind;

namespace {

bool matches(const ir::Type& type, TemplateKind kind) {
  const ir::Declaration* declared = ir::declared(type);
  const auto is = [&](DeclKind wanted) { return declared && declared->kind == wanted; };
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

std::string parameter_noun(const tree::TemplateParameter& parameter) {
  return "the parameter '" + std::string(parameter.name.text) + "' of the template";
}

}  // namespace

// The scope that binds the template's parameters to the arguments.
Scope* TemplateInstantiator::bind_arguments(const tree::Definition& definition, const ir::TemplateModule& of,
                                            const Template& source) {
  const auto& given = std::get<tree::TemplateInstance>(definition.body).arguments;
  const auto& wanted = source.body->parameters;
  if (given.size() != wanted.size()) {
    diagnostics_
        .error("template-arguments", definition.name.span,
               "'" + of.name + "' takes " + std::to_string(wanted.size()) + " arguments, not " +
                   std::to_string(given.size()))
        .note(of.span, "the template is defined here");
    return nullptr;
  }
  Scope& names = names_.make_scope(Scope::Kind::module, source.scope, "", {}, nullptr);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    std::optional<Symbol> meaning = bind_argument(given[i], wanted[i], names);
    if (!meaning) return nullptr;  // later arguments may depend on this one
    meaning->name = wanted[i].name.text;
    meaning->span = wanted[i].name.span;
    names.symbols.add(*meaning);
  }
  return &names;
}

// The meaning of a parameter in the instance. `names`: the scope of the parameters before it.
std::optional<Symbol> TemplateInstantiator::bind_argument(const tree::TemplateArgument& given,
                                                          const tree::TemplateParameter& wanted,
                                                          Scope& names) {
  if (wanted.kind == TemplateKind::const_) return constant_argument(given, wanted, names);
  const bool named = given.value && given.value->kind == tree::Expression::Kind::name;
  if (given.value && !named) {
    mismatch(given, wanted, parameter_noun(wanted) + " is a type, not a value");
    return std::nullopt;
  }
  if (!named || wanted.kind != TemplateKind::exception) return type_argument(given, wanted, names);
  Symbol symbol;
  symbol.noun = "exception";
  symbol.declaration = names_.resolve_as(*given.value->name, DeclKind::exception, "an exception");
  return symbol.declaration ? std::optional(symbol) : std::nullopt;
}

std::optional<Symbol> TemplateInstantiator::constant_argument(const tree::TemplateArgument& given,
                                                              const tree::TemplateParameter& wanted,
                                                              Scope& names) {
  const ir::Type* type = nullptr;
  {
    const ScopeGuard entered(names_, names);
    type = types_.check(wanted.type, TypeUse::element);
  }
  if (!type) return std::nullopt;
  if (!given.value) {
    mismatch(given, wanted, parameter_noun(wanted) + " is a constant, not a type");
    return std::nullopt;
  }
  std::optional<ir::Value> value = constants_.evaluate(*given.value, *type);
  if (!value) return std::nullopt;
  auto& decl = declarations_.make<ir::Constant>(wanted.name, wanted.name.span);
  decl.type = type;
  decl.value = *value;
  Symbol symbol;
  symbol.declaration = &decl;
  symbol.noun = "constant";
  return symbol;
}

std::optional<Symbol> TemplateInstantiator::type_argument(const tree::TemplateArgument& given,
                                                          const tree::TemplateParameter& wanted,
                                                          Scope& names) {
  Symbol symbol;
  const ir::Type* actual = nullptr;
  if (given.value) {
    tree::TypeSpec spec;
    spec.kind = ir::TypeKind::declared;
    spec.span = given.value->span;
    spec.name = *given.value->name;
    actual = types_.check(spec, TypeUse::element);
    if (actual && actual->kind == ir::TypeKind::declared) symbol = *names_.resolve(spec.name);
  } else {
    actual = types_.check(given.type, TypeUse::element);
  }
  if (!actual) return std::nullopt;
  symbol.type = actual;
  if (!matches(*actual, wanted.kind)) {
    mismatch(given, wanted,
             "'" + ir::describe(*actual) + "' does not fit: " + parameter_noun(wanted) + " takes '" +
                 std::string(ir::spelling(wanted.kind)) + "'");
    return std::nullopt;
  }
  return check_element(given, wanted, *actual, names) ? std::optional(symbol) : std::nullopt;
}

// Checks the element type of a sequence against that of a parameter such as sequence<T>.
bool TemplateInstantiator::check_element(const tree::TemplateArgument& given,
                                         const tree::TemplateParameter& wanted, const ir::Type& actual,
                                         Scope& names) {
  if (wanted.kind != TemplateKind::sequence || wanted.type.kind == ir::TypeKind::void_) return true;
  const ir::Type* element = nullptr;
  {
    const ScopeGuard entered(names_, names);
    element = types_.check(wanted.type, TypeUse::element);
  }
  if (!element) return false;
  const ir::Type& theirs = *ir::resolved(actual).element;
  if (ir::describe(ir::resolved(*element)) == ir::describe(ir::resolved(theirs))) return true;
  mismatch(given, wanted,
           "'" + ir::describe(actual) + "' holds " + ir::describe(theirs) + "; " + parameter_noun(wanted) +
               " takes a sequence of " + ir::describe(*element));
  return false;
}

void TemplateInstantiator::mismatch(const tree::TemplateArgument& given,
                                    const tree::TemplateParameter& wanted, std::string message) {
  diagnostics_.error("template-arguments", given.span, std::move(message))
      .note(wanted.name.span, "it is declared here");
}

}  // namespace orbweaver::idl
