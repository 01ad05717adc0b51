#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "idlc/ir/ir.h"
#include "idlc/parse/tree.h"
#include "idlc/sema/annotation_checker.h"
#include "idlc/sema/constant_evaluator.h"
#include "idlc/sema/declaration_builder.h"
#include "idlc/sema/name_table.h"
#include "idlc/sema/type_table.h"

namespace orbweaver::idl {

/// Where a type is used. `indirect`: a member with @external or @optional, whose type may be incomplete.
enum class TypeUse { any, member, indirect, element, parameter, result, constant };

/// Checks a struct, union or enum that is defined within the declaration that uses it.
class NestedTypes {
 public:
  virtual ~NestedTypes() = default;
  /// Adds the declaration to `into` and returns it.
  virtual ir::Declaration* define(const tree::Definition& definition, Contents& into) = 0;
};

/// Checks types as they are written and makes their IR. Each function reports a type that cannot be used, and
/// returns null.
class TypeChecker {
 public:
  TypeChecker(NameTable& names, ConstantEvaluator& constants, AnnotationChecker& annotations,
              TypeTable& types, NestedTypes& nested, Diagnostics& diagnostics)
      : names_(names), constants_(constants), annotations_(annotations), types_(types), nested_(nested),
        diagnostics_(diagnostics) {}

  /// `contents` receives the types that are defined within `spec`; null drops them.
  const ir::Type* check(const tree::TypeSpec& spec, TypeUse use, Contents* contents = nullptr);
  /// The type of a declarator: an array of `element` if it has dimensions, otherwise `element`.
  const ir::Type* array(const ir::Type* element, const tree::Declarator& declarator);
  /// A type without parameters.
  const ir::Type* basic(ir::TypeKind kind) { return types_.basic(kind); }

 private:
  const ir::Type* nested_type(const tree::TypeSpec& spec, Contents* contents);
  const ir::Type* named_type(const tree::TypeSpec& spec, TypeUse use);
  const ir::Type* builtin_integer(const tree::ScopedName& name);
  const ir::Type* collection(const tree::TypeSpec& spec, TypeUse use);
  const ir::Type* string(const tree::TypeSpec& spec);
  const ir::Type* fixed(const tree::TypeSpec& spec, TypeUse use);
  bool bound(const tree::TypeSpec& spec, std::string_view what, std::uint64_t maximum, ir::Type& type);

  const ir::Type* usable(const ir::Type* type, TypeUse use, Span span) {
    return reject_incomplete(*type, use, span) ? nullptr : type;
  }
  bool reject_incomplete(const ir::Type& type, TypeUse use, Span span);
  bool reject_no_type(const Symbol& symbol, const tree::TypeSpec& spec);
  bool reject_use(const ir::Declaration& declaration, const Symbol& symbol, TypeUse use, Span span);

  NameTable& names_;
  ConstantEvaluator& constants_;
  AnnotationChecker& annotations_;
  TypeTable& types_;
  NestedTypes& nested_;
  Diagnostics& diagnostics_;
};

}  // namespace orbweaver::idl
