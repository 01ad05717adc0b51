#pragma once

#include "idlc/ir/ir.h"
#include "idlc/parse/tree.h"
#include "idlc/sema/annotation_checker.h"
#include "idlc/sema/declaration_builder.h"
#include "idlc/sema/member_checker.h"
#include "idlc/sema/type_checker.h"

namespace orbweaver::idl {

/// Checks unions: IDL 4.2, 7.4.1.4.4.4.2.
class UnionChecker {
 public:
  UnionChecker(NameTable& names, ConstantEvaluator& constants, AnnotationChecker& annotations,
               TypeChecker& types, DeclarationBuilder& declarations, MemberChecker& members,
               const Sources& sources, Diagnostics& diagnostics)
      : names_(names), constants_(constants), annotations_(annotations), types_(types),
        declarations_(declarations), members_(members), sources_(sources), diagnostics_(diagnostics) {}

  ir::Union* check(const tree::Definition& definition, Contents& into);

 private:
  struct UsedLabels;

  const ir::Type* discriminator(const tree::TypeSpec& spec, Contents& contents);
  void check_labels(const tree::UnionCase& from, ir::UnionCase& to, const ir::Union& decl, UsedLabels& used);
  void check_default(const tree::CaseLabel& label, UsedLabels& used);
  void check_coverage(ir::Union& decl, const UsedLabels& used);

  NameTable& names_;
  ConstantEvaluator& constants_;
  AnnotationChecker& annotations_;
  TypeChecker& types_;
  DeclarationBuilder& declarations_;
  MemberChecker& members_;
  const Sources& sources_;
  Diagnostics& diagnostics_;
};

}  // namespace orbweaver::idl
