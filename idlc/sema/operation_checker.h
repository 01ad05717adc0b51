#pragma once

#include <vector>

#include "idlc/ir/ir.h"
#include "idlc/parse/tree.h"
#include "idlc/sema/annotation_checker.h"
#include "idlc/sema/declaration_builder.h"
#include "idlc/sema/local_types.h"
#include "idlc/sema/type_checker.h"

namespace orbweaver::idl {

/// Checks what an interface, value type or home offers to its callers: operations, attributes, factories and
/// finders (CORBA 3.3 part 1, 7.12 to 7.14).
class OperationChecker {
 public:
  OperationChecker(NameTable& names, AnnotationChecker& annotations, TypeChecker& types,
                   LocalTypes& local_types, DeclarationBuilder& declarations, Diagnostics& diagnostics)
      : names_(names), annotations_(annotations), types_(types), local_types_(local_types),
        declarations_(declarations), diagnostics_(diagnostics) {}

  void check_operation(const tree::Definition& definition, Contents& into);
  void check_attribute(const tree::Definition& definition, Contents& into);
  void check_factory(const tree::Definition& definition, Contents& into);

 private:
  std::vector<ir::Parameter> parameters(const std::vector<tree::Parameter>& from, bool oneway);
  ir::Parameter parameter(const tree::Parameter& from);
  Contents raises(const std::vector<tree::ScopedName>& names);
  bool is_native_exception(const tree::ScopedName& name);
  void check_context(const Token& context);
  void check_oneway(const tree::Operation& body, const ir::Operation& decl);
  void reject_anonymous_type(const tree::TypeSpec& spec, bool can_be_view = false);
  void reject_local_type(const ir::Type& type, Span span) {
    local_types_.reject_in_signature(names_.enclosing_declaration(), type, span);
  }
  /// `type`, or after an error in it a type that stands for it.
  const ir::Type* or_any_type(const ir::Type* type) {
    return type ? type : types_.basic(ir::TypeKind::long_);
  }

  NameTable& names_;
  AnnotationChecker& annotations_;
  TypeChecker& types_;
  LocalTypes& local_types_;
  DeclarationBuilder& declarations_;
  Diagnostics& diagnostics_;
};

}  // namespace orbweaver::idl
