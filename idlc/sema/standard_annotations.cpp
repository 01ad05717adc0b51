// The checks of AnnotationChecker for standard annotations: IDL 4.2, 8.3.
#include "idlc/sema/annotation_checker.h"

namespace orbweaver::idl {

using ParameterType = AnnotationParameter::Type;

namespace {

std::size_t parameter_count(const StandardAnnotation& rule) {
  std::size_t count = 0;
  for (const AnnotationParameter& each : rule.parameters) count += each.type != ParameterType::none ? 1 : 0;
  return count;
}

// The parameter that an argument is for; null if there is none. An argument without a name is for the only
// parameter.
const AnnotationParameter* parameter_for(std::string_view name, const StandardAnnotation& rule) {
  if (name.empty()) return parameter_count(rule) == 1 ? &rule.parameters[0] : nullptr;
  for (const AnnotationParameter& each : rule.parameters) {
    if (each.type != ParameterType::none && each.name == name) return &each;
  }
  return nullptr;
}

std::string quoted_name(const StandardAnnotation& rule) { return "'@" + std::string(rule.name) + "'"; }

}  // namespace

void AnnotationChecker::standard(const tree::Annotation& annotation, ir::AnnotationUse& use,
                                 const StandardAnnotation& rule, AnnotationTarget target,
                                 const ir::Type* about) {
  const std::size_t errors_before = diagnostics_.error_count();
  if (!check_argument_count(annotation, rule) || !well_formed(annotation)) return;
  for (const Argument& each : annotation.arguments) {
    const AnnotationParameter* parameter = parameter_for(each.name.text, rule);
    if (!parameter) {
      report_unknown_argument(each, rule);
      continue;
    }
    std::optional<ir::Value> value = argument_value(*each.value, *parameter, target, about);
    if (value) use.arguments.push_back({std::string(each.name.text), *value});
  }
  if (diagnostics_.error_count() == errors_before) check_required(annotation, rule);
  if (rule.name == "view" && target != AnnotationTarget::parameter && target != AnnotationTarget::typedef_) {
    diagnostics_.error("view", annotation.span, "@view is for 'in' parameters and typedefs")
        .suggest("put it before the 'in' of a parameter, or before 'typedef'");
  }
  if (!rule.effect) {
    diagnostics_.warning("annotation-no-effect", annotation.span,
                         quoted_name(rule) + " has no effect on GIOP messages");
  }
}

bool AnnotationChecker::check_argument_count(const tree::Annotation& annotation,
                                             const StandardAnnotation& rule) {
  const std::size_t count = parameter_count(rule);
  if (count == 0 && !annotation.arguments.empty()) {
    diagnostics_.error("bad-annotation", annotation.span, quoted_name(rule) + " takes no argument");
    return false;
  }
  if (count == 1 && rule.parameters[0].required && annotation.arguments.size() != 1) {
    diagnostics_.error("bad-annotation", annotation.span, quoted_name(rule) + " takes one argument")
        .suggest("write '@" + std::string(rule.name) + "(value)'");
    return false;
  }
  return true;
}

void AnnotationChecker::report_unknown_argument(const Argument& argument, const StandardAnnotation& rule) {
  if (argument.name.empty()) {
    diagnostics_
        .error("bad-annotation", argument.value->span, quoted_name(rule) + " needs the name of each value")
        .suggest("write '@" + std::string(rule.name) + "(name = value, …)'");
    return;
  }
  diagnostics_.error("bad-annotation", argument.name.span,
                     quoted_name(rule) + " has no member '" + std::string(argument.name.text) + "'");
}

// Reports the first required parameter without an argument. With one parameter, its argument has been
// counted.
void AnnotationChecker::check_required(const tree::Annotation& annotation, const StandardAnnotation& rule) {
  if (parameter_count(rule) == 1) return;
  for (const AnnotationParameter& each : rule.parameters) {
    if (each.type == ParameterType::none || !each.required) continue;
    bool given = false;
    for (const Argument& argument : annotation.arguments) given = given || argument.name.text == each.name;
    if (given) continue;
    diagnostics_.error("bad-annotation", annotation.span,
                       quoted_name(rule) + " needs a value for '" + std::string(each.name) + "'");
    return;
  }
}

std::optional<ir::Value> AnnotationChecker::argument_value(const tree::Expression& expression,
                                                           const AnnotationParameter& parameter,
                                                           AnnotationTarget target, const ir::Type* about) {
  switch (parameter.type) {
    case ParameterType::boolean: return constants_.evaluate(expression, ir::TypeKind::boolean);
    case ParameterType::ushort_: return constants_.evaluate(expression, ir::TypeKind::ushort);
    case ParameterType::ulong_: return constants_.evaluate(expression, ir::TypeKind::ulong);
    case ParameterType::longlong: return constants_.evaluate(expression, ir::TypeKind::longlong);
    case ParameterType::text: return constants_.evaluate(expression, ir::TypeKind::string);
    case ParameterType::of_element: return about ? value_of_type(expression, *about) : as_written(expression);
    case ParameterType::one_of: return one_of(expression, parameter.words);
    default:
      // @value on an enumerator takes an integer.
      return target == AnnotationTarget::enumerator ? constants_.evaluate(expression, ir::TypeKind::longlong)
                                                    : as_written(expression);
  }
}

// One of these words, each of which has a blank before and after it.
std::optional<ir::Value> AnnotationChecker::one_of(const tree::Expression& expression,
                                                   std::string_view words) {
  const bool named = expression.kind == tree::Expression::Kind::name;
  const std::string word(named ? expression.name->parts.back().text : std::string_view());
  if (named && words.find(" " + word + " ") != std::string_view::npos) return as_written(expression);
  std::string list;
  for (char c : words.substr(1, words.size() - 2)) list += c == ' ' ? ", " : std::string(1, c);
  diagnostics_
      .error(
          "bad-annotation", expression.span,
          "'" + std::string(sources_.text(expression.span)) + "' is not a value that this annotation takes")
      .suggest("its values are " + list);
  return std::nullopt;
}

}  // namespace orbweaver::idl
