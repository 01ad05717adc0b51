#pragma once

#include <cstdint>
#include <map>
#include <string_view>

#include "idlc/ir/ir.h"
#include "idlc/parse/tree.h"
#include "idlc/sema/annotation_checker.h"
#include "idlc/sema/declaration_builder.h"

namespace orbweaver::idl {

/// Checks enums and bitmasks: IDL 4.2, 7.4.1.4.4.4.3 and 7.4.13.4.3.
class EnumChecker {
 public:
  EnumChecker(NameTable& names, AnnotationChecker& annotations, DeclarationBuilder& declarations,
              Diagnostics& diagnostics)
      : names_(names), annotations_(annotations), declarations_(declarations), diagnostics_(diagnostics) {}

  ir::Enum* check_enum(const tree::Definition& definition, Contents& into);
  void check_bitmask(const tree::Definition& definition, Contents& into);

 private:
  struct Values;

  bool check_bit_bound(const ir::Annotations& annotations, std::uint32_t max_bits, std::string_view noun);
  void check_value(const ir::Enumerator& enumerator, Values& values);
  void check_default_literal(const ir::Enumerator& enumerator, Values& values);
  void check_position(const ir::Enumerator& flag, const ir::Bitmask& bitmask,
                      std::map<std::uint32_t, Span>& taken);

  NameTable& names_;
  AnnotationChecker& annotations_;
  DeclarationBuilder& declarations_;
  Diagnostics& diagnostics_;
};

}  // namespace orbweaver::idl
