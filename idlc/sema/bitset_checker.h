#pragma once

#include <cstdint>
#include <optional>

#include "idlc/ir/ir.h"
#include "idlc/parse/tree.h"
#include "idlc/sema/annotation_checker.h"
#include "idlc/sema/base_checker.h"
#include "idlc/sema/declaration_builder.h"
#include "idlc/sema/type_checker.h"

namespace orbweaver::idl {

/// Checks bitsets: IDL 4.2, 7.4.13.4.2.
class BitsetChecker {
 public:
  BitsetChecker(NameTable& names, ConstantEvaluator& constants, AnnotationChecker& annotations,
                TypeChecker& types, DeclarationBuilder& declarations, BaseChecker& bases,
                Diagnostics& diagnostics)
      : names_(names), constants_(constants), annotations_(annotations), types_(types),
        declarations_(declarations), bases_(bases), diagnostics_(diagnostics) {}

  void check(const tree::Definition& definition, Contents& into);

 private:
  std::optional<ir::Bitfield> bitfield(const tree::Bitfield& field);
  void check_width(const tree::Bitfield& field, const ir::Bitfield& checked);

  NameTable& names_;
  ConstantEvaluator& constants_;
  AnnotationChecker& annotations_;
  TypeChecker& types_;
  DeclarationBuilder& declarations_;
  BaseChecker& bases_;
  Diagnostics& diagnostics_;
};

}  // namespace orbweaver::idl
