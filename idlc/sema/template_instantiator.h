#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "idlc/ir/components.h"
#include "idlc/sema/annotation_checker.h"
#include "idlc/sema/declaration_builder.h"
#include "idlc/sema/definition_checker.h"
#include "idlc/sema/type_checker.h"

namespace orbweaver::idl {

/// Declares and instantiates template modules: IDL 4.2, 7.4.12. A template's syntax tree is kept; each
/// instance is checked as if the template's text were written in its place, with the arguments for the
/// parameters. A template that is never instantiated is only parsed, because the meaning of its names depends
/// on the arguments.
class TemplateInstantiator {
 public:
  TemplateInstantiator(NameTable& names, ConstantEvaluator& constants, AnnotationChecker& annotations,
                       TypeChecker& types, DeclarationBuilder& declarations, DefinitionChecker& definitions,
                       Diagnostics& diagnostics)
      : names_(names), constants_(constants), annotations_(annotations), types_(types),
        declarations_(declarations), definitions_(definitions), diagnostics_(diagnostics) {}

  /// Declares a template module. Its tree must outlive this object.
  void declare(const tree::Definition& definition, Contents& into);
  void instantiate(const tree::Definition& definition, Contents& into);
  /// Counts a definition of an instance. Returns whether there are too many; reports that once.
  bool too_many_definitions(const tree::Definition& definition);

 private:
  struct Template {
    const tree::TemplateModule* body;
    Scope* scope;  // the enclosing scope
  };

  const Template* usable_template(const tree::Definition& definition, const ir::TemplateModule* of);
  Scope* module_to_reopen(const tree::Identifier& name);
  void merge(const Scope& from, Scope& into);

  // template_arguments.cpp
  Scope* bind_arguments(const tree::Definition& definition, const ir::TemplateModule& of,
                        const Template& source);
  std::optional<Symbol> bind_argument(const tree::TemplateArgument& given,
                                      const tree::TemplateParameter& wanted, Scope& names);
  std::optional<Symbol> constant_argument(const tree::TemplateArgument& given,
                                          const tree::TemplateParameter& wanted, Scope& names);
  std::optional<Symbol> type_argument(const tree::TemplateArgument& given,
                                      const tree::TemplateParameter& wanted, Scope& names);
  bool check_element(const tree::TemplateArgument& given, const tree::TemplateParameter& wanted,
                     const ir::Type& actual, Scope& names);
  void mismatch(const tree::TemplateArgument& given, const tree::TemplateParameter& wanted,
                std::string message);

  NameTable& names_;
  ConstantEvaluator& constants_;
  AnnotationChecker& annotations_;
  TypeChecker& types_;
  DeclarationBuilder& declarations_;
  DefinitionChecker& definitions_;
  Diagnostics& diagnostics_;
  std::unordered_map<const ir::Declaration*, Template> templates_;
  std::vector<const ir::Declaration*> instantiating_;  // templates being instantiated, the innermost last
  std::size_t definition_count_ = 0;
};

}  // namespace orbweaver::idl
