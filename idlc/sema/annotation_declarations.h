#pragma once

#include <optional>

#include "idlc/ir/ir.h"
#include "idlc/parse/tree.h"
#include "idlc/sema/annotation_checker.h"
#include "idlc/sema/declaration_builder.h"
#include "idlc/sema/definition_checker.h"
#include "idlc/sema/type_checker.h"

namespace orbweaver::idl {

/// Checks the declarations of annotations: IDL 4.2, 7.4.15.4.1. Annotations have a name space of their own:
/// their symbols begin with '@'.
class AnnotationDeclarations {
 public:
  AnnotationDeclarations(ir::Unit& unit, NameTable& names, AnnotationChecker& annotations, TypeChecker& types,
                         DeclarationBuilder& declarations, DefinitionChecker& definitions,
                         const Sources& sources, Diagnostics& diagnostics)
      : unit_(unit), names_(names), annotations_(annotations), types_(types), declarations_(declarations),
        definitions_(definitions), sources_(sources), diagnostics_(diagnostics) {}

  void check(const tree::Definition& definition, Contents& into);

 private:
  bool declare(const ir::AnnotationDeclaration& decl, Symbol symbol);
  std::optional<ir::AnnotationDeclaration::Member> member(const tree::AnnotationMember& from);

  ir::Unit& unit_;
  NameTable& names_;
  AnnotationChecker& annotations_;
  TypeChecker& types_;
  DeclarationBuilder& declarations_;
  DefinitionChecker& definitions_;
  const Sources& sources_;
  Diagnostics& diagnostics_;
};

}  // namespace orbweaver::idl
