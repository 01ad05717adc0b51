#include "idlc/sema/annotation_rules.h"

#include <vector>

#include "idlc/source/edit_distance.h"

namespace orbweaver::idl {
namespace {

using P = AnnotationParameter;
using Type = P::Type;

constexpr P kFlag{"value", Type::boolean, false};
constexpr P kOfElement{"value", Type::of_element};

constexpr StandardAnnotation kStandard[] = {
    {"view", true, {}},
    {"id", false, {{"value", Type::ulong_}}},
    {"autoid", false, {{"value", Type::one_of, false, " SEQUENTIAL HASH "}}},
    {"hashid", false, {{"value", Type::text, false}}},
    {"optional", false, {kFlag}},
    {"position", true, {{"value", Type::ushort_}}},
    {"value", false, {{"value", Type::any}}},
    {"extensibility", false, {{"value", Type::one_of, true, " FINAL APPENDABLE MUTABLE "}}, false, true},
    {"final", true, {}, false, true},
    {"appendable", false, {}, false, true},
    {"mutable", false, {}, false, true},
    {"key", true, {kFlag}},
    {"must_understand", false, {kFlag}},
    {"default_literal", true, {}},
    {"default", false, {kOfElement}},
    {"range", true, {{"min", Type::of_element}, {"max", Type::of_element}}},
    {"min", true, {kOfElement}},
    {"max", true, {kOfElement}},
    {"unit", true, {{"value", Type::text}}},
    {"bit_bound", true, {{"value", Type::longlong}}},
    {"external", false, {kFlag}},
    {"nested", true, {kFlag}},
    {"verbatim",
     true,
     {{"language", Type::text, false},
      {"placement", Type::one_of, false,
       " BEGIN_FILE BEFORE_DECLARATION BEGIN_DECLARATION END_DECLARATION AFTER_DECLARATION END_FILE "},
      {"text", Type::text}},
     true},
    {"service", true, {{"platform", Type::text, false}}, true},
    {"oneway", true, {kFlag}},
    {"ami", false, {kFlag}},
    {"topic", true, {{"name", Type::text, false}, {"platform", Type::text, false}}, true},
    {"try_construct", false, {{"value", Type::one_of, false, " DISCARD USE_DEFAULT TRIM "}}},
    {"non_serialized", false, {kFlag}},
    {"data_representation", false, {{"allowed_kinds", Type::any}}},
    {"ignore_literal_names", false, {kFlag}},
};

}  // namespace

const StandardAnnotation* standard_annotation_named(std::string_view name) {
  for (const StandardAnnotation& rule : kStandard) {
    if (rule.name == name) return &rule;
  }
  return nullptr;
}

std::string_view nearest_annotation(std::string_view name) {
  std::vector<std::string_view> known;
  for (const StandardAnnotation& rule : kStandard) known.push_back(rule.name);
  return nearest(name, known);
}

}  // namespace orbweaver::idl
