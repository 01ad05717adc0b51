#pragma once

#include <map>
#include <string_view>

#include "idlc/ir/ir.h"
#include "idlc/parse/tree.h"
#include "idlc/sema/annotation_checker.h"
#include "idlc/sema/local_types.h"
#include "idlc/sema/name_table.h"
#include "idlc/sema/type_checker.h"

namespace orbweaver::idl {

/// Checks the members of structs, exceptions and unions, and declares them in the current scope.
class MemberChecker {
 public:
  MemberChecker(NameTable& names, AnnotationChecker& annotations, TypeChecker& types, LocalTypes& local_types,
                Diagnostics& diagnostics)
      : names_(names), annotations_(annotations), types_(types), local_types_(local_types),
        diagnostics_(diagnostics) {}

  using Ids = std::map<ir::Integer, Span>;  ///< the values of @id in one struct or union

  /// The type of one or more members with common annotations.
  struct MemberType {
    const ir::Type* type;  // without the dimensions of an array; null after an error
    bool indirect;         // @external or @optional: the type may be incomplete
    const tree::Annotations& annotations;
  };
  MemberType type(const tree::TypeSpec& spec, const tree::Annotations& annotations, Contents& contents);

  /// One member of the declaration that owns the current scope. Its type is null after an error.
  ir::Field member(const MemberType& type, const tree::Declarator& declarator, std::string_view comment,
                   Ids& ids);

 private:
  void check_id(const ir::Annotations& annotations, Ids& ids);

  NameTable& names_;
  AnnotationChecker& annotations_;
  TypeChecker& types_;
  LocalTypes& local_types_;
  Diagnostics& diagnostics_;
};

}  // namespace orbweaver::idl
