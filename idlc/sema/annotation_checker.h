#pragma once

#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "idlc/ir/ir.h"
#include "idlc/parse/tree.h"
#include "idlc/sema/annotation_rules.h"
#include "idlc/sema/constant_evaluator.h"
#include "idlc/sema/name_table.h"
#include "idlc/source/sources.h"

namespace orbweaver::idl {

/// The kind of declaration that an annotation applies to.
enum class AnnotationTarget {
  declaration,
  module,
  interface,
  type,
  typedef_,
  member,
  parameter,
  enumerator,
  operation,
  attribute,
  union_
};

/// Checks the uses of annotations: the standard ones (IDL 4.2, 8.3) and those that the user declares
/// (7.4.15).
class AnnotationChecker {
 public:
  AnnotationChecker(NameTable& names, ConstantEvaluator& constants, const Sources& sources,
                    Diagnostics& diagnostics)
      : names_(names), constants_(constants), sources_(sources), diagnostics_(diagnostics) {}

  /// `about`: the annotated declaration's type, against which values are checked; may be null.
  ir::Annotations check(const tree::Annotations& annotations, AnnotationTarget target,
                        const ir::Type* about = nullptr);
  /// The annotations of a whole declaration together with those of one of its declarators.
  ir::Annotations check(const tree::Annotations& annotations, const tree::Declarator& declarator,
                        AnnotationTarget target, const ir::Type* about = nullptr);

  /// Whether the annotations make a view of this type. Reports a type that cannot be one.
  bool is_view(const ir::Annotations& annotations, const ir::Type& type);

  /// The value of an annotation's member of this type. As in the examples of DDS-XTypes, an enumerator's name
  /// needs no scope, and an integer is accepted for a floating-point type.
  std::optional<ir::Value> value_of_type(const tree::Expression& expression, const ir::Type& type);

 private:
  using Argument = tree::Annotation::Argument;

  ir::Annotations check_each(const tree::Annotations& annotations, AnnotationTarget target,
                             const ir::Type* about);
  bool well_formed(const tree::Annotation& annotation);
  void check_repeated(const ir::Annotations& annotations);
  void check_min_max(const ir::Annotations& annotations);
  ir::Value as_written(const tree::Expression& expression) const;

  void standard(const tree::Annotation& annotation, ir::AnnotationUse& use, const StandardAnnotation& rule,
                AnnotationTarget target, const ir::Type* about);
  bool check_argument_count(const tree::Annotation& annotation, const StandardAnnotation& rule);
  void report_unknown_argument(const Argument& argument, const StandardAnnotation& rule);
  void check_required(const tree::Annotation& annotation, const StandardAnnotation& rule);
  std::optional<ir::Value> argument_value(const tree::Expression& expression,
                                          const AnnotationParameter& parameter, AnnotationTarget target,
                                          const ir::Type* about);
  std::optional<ir::Value> one_of(const tree::Expression& expression, std::string_view words);

  void user_defined(const tree::Annotation& annotation, ir::AnnotationUse& use,
                    const ir::AnnotationDeclaration& rule);
  struct DeclaredMembers;
  const DeclaredMembers& members_of(const ir::AnnotationDeclaration& rule);
  std::optional<ir::Value> member_value(const tree::Expression& expression, const ir::Type& type,
                                        const ir::AnnotationDeclaration& rule);

  std::optional<ir::Value> floating_value(const tree::Expression& expression, const ir::Type& type);
  const ir::Enumerator* enumerator_named(const ir::Enum& decl, std::string_view name);

  NameTable& names_;
  ConstantEvaluator& constants_;
  const Sources& sources_;
  Diagnostics& diagnostics_;
  /// The members of a user-defined annotation.
  struct DeclaredMembers {
    std::unordered_map<std::string_view, const ir::AnnotationDeclaration::Member*> by_name;
    std::vector<const ir::AnnotationDeclaration::Member*> required;  // without a default value
    std::size_t indexed = 0;                                         // all of them
  };
  std::unordered_map<const ir::AnnotationDeclaration*, DeclaredMembers> members_;
  // The enumerators by name, of each enum that has been the type of an annotation's value.
  std::unordered_map<const ir::Enum*, std::unordered_map<std::string_view, const ir::Enumerator*>>
      enumerators_;
};

/// The use of the annotation with this name; null if there is none.
const ir::AnnotationUse* find_annotation(const ir::Annotations& annotations, std::string_view name);
/// The integer that is the first argument of this annotation; null if there is none.
const ir::Integer* integer_argument(const ir::Annotations& annotations, std::string_view name);

}  // namespace orbweaver::idl
