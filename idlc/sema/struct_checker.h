#pragma once

#include <deque>
#include <vector>

#include "idlc/ir/ir.h"
#include "idlc/parse/tree.h"
#include "idlc/sema/annotation_checker.h"
#include "idlc/sema/base_checker.h"
#include "idlc/sema/declaration_builder.h"
#include "idlc/sema/member_checker.h"

namespace orbweaver::idl {

/// Checks structs and exceptions: IDL 4.2, 7.4.1.4.4.4.1, 7.4.2 and 7.4.13.
class StructChecker {
 public:
  StructChecker(NameTable& names, AnnotationChecker& annotations, DeclarationBuilder& declarations,
                BaseChecker& bases, MemberChecker& members)
      : names_(names), annotations_(annotations), declarations_(declarations), bases_(bases),
        members_(members) {}

  ir::Struct* check_struct(const tree::Definition& definition, Contents& into);
  void check_exception(const tree::Definition& definition, Contents& into);

 private:
  void members(const std::deque<tree::Member>& from, std::vector<ir::Field>& fields, Contents& contents);

  NameTable& names_;
  AnnotationChecker& annotations_;
  DeclarationBuilder& declarations_;
  BaseChecker& bases_;
  MemberChecker& members_;
};

}  // namespace orbweaver::idl
