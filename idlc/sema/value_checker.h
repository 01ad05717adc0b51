#pragma once

#include "idlc/ir/ir.h"
#include "idlc/parse/tree.h"
#include "idlc/sema/annotation_checker.h"
#include "idlc/sema/base_checker.h"
#include "idlc/sema/declaration_builder.h"
#include "idlc/sema/definition_checker.h"
#include "idlc/sema/type_checker.h"

namespace orbweaver::idl {

/// Checks value types and value boxes: CORBA 3.3 part 1, 7.9.
class ValueChecker {
 public:
  ValueChecker(NameTable& names, AnnotationChecker& annotations, TypeChecker& types,
               DeclarationBuilder& declarations, BaseChecker& bases, DefinitionChecker& definitions,
               Diagnostics& diagnostics)
      : names_(names), annotations_(annotations), types_(types), declarations_(declarations), bases_(bases),
        definitions_(definitions), diagnostics_(diagnostics) {}

  void check_value(const tree::Definition& definition, Contents& into);
  void check_box(const tree::Definition& definition, Contents& into);
  void check_state_member(const tree::Definition& definition, Contents& into);

 private:
  void check_bases(const tree::Value& body, ir::Value_& decl, Scope& scope);
  void check_base(const ir::Value_& decl, const ir::Value_& base, Span span, bool first);
  void check_supported(const tree::Value& body, ir::Value_& decl, Scope& scope);
  void check_abstract(const ir::Value_& decl);

  NameTable& names_;
  AnnotationChecker& annotations_;
  TypeChecker& types_;
  DeclarationBuilder& declarations_;
  BaseChecker& bases_;
  DefinitionChecker& definitions_;
  Diagnostics& diagnostics_;
};

}  // namespace orbweaver::idl
