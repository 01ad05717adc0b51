#pragma once

#include <vector>

#include "idlc/ir/ir.h"
#include "idlc/parse/tree.h"
#include "idlc/sema/annotation_checker.h"
#include "idlc/sema/base_checker.h"
#include "idlc/sema/declaration_builder.h"
#include "idlc/sema/definition_checker.h"

namespace orbweaver::idl {

/// Checks interfaces: CORBA 3.3 part 1, 7.8.
class InterfaceChecker {
 public:
  InterfaceChecker(NameTable& names, AnnotationChecker& annotations, DeclarationBuilder& declarations,
                   BaseChecker& bases, DefinitionChecker& definitions, Diagnostics& diagnostics)
      : names_(names), annotations_(annotations), declarations_(declarations), bases_(bases),
        definitions_(definitions), diagnostics_(diagnostics) {}

  void check(const tree::Definition& definition, Contents& into);

 private:
  void check_same_modifiers(const tree::Definition& definition, const ir::Interface& decl, Span earlier);
  void check_base(const ir::Interface& decl, const ir::Interface& base, Span span);

  NameTable& names_;
  AnnotationChecker& annotations_;
  DeclarationBuilder& declarations_;
  BaseChecker& bases_;
  DefinitionChecker& definitions_;
  Diagnostics& diagnostics_;
};

}  // namespace orbweaver::idl
