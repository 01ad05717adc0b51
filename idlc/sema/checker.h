#pragma once

#include <memory>
#include <vector>

#include "idlc/sema/annotation_declarations.h"
#include "idlc/sema/bitset_checker.h"
#include "idlc/sema/component_checker.h"
#include "idlc/sema/enum_checker.h"
#include "idlc/sema/interface_checker.h"
#include "idlc/sema/operation_checker.h"
#include "idlc/sema/repository_ids.h"
#include "idlc/sema/sema.h"
#include "idlc/sema/struct_checker.h"
#include "idlc/sema/template_instantiator.h"
#include "idlc/sema/union_checker.h"
#include "idlc/sema/value_checker.h"

namespace orbweaver::idl {

/// Semantic checker. Passes each definition to the class for its subject, once and in order, because IDL
/// requires declaration before use; checks modules, constants, typedefs and native types itself. A class uses
/// only those that are members before it; two interfaces, NestedTypes and DefinitionChecker, call back.
/// Not thread-safe.
class Checker final : public SemanticChecker, private NestedTypes, private DefinitionChecker {
 public:
  Checker(const TranslationUnit& preprocessed, const Sources& sources, Diagnostics& diagnostics);

  void module_begins(const tree::Definition& module) override;
  void module_ends() override;
  void definition(tree::DefinitionPtr definition) override;
  void imported(std::vector<tree::DefinitionPtr> body) override;
  void definition_lost() override { names_.note_lost_definition(); }
  std::unique_ptr<ir::Unit> finish() override;

 private:
  struct Visitor;
  /// A module that is being checked. Its scope is the current one.
  struct OpenModule {
    OpenModule(DeclarationBuilder& declarations, Scope& scope, ir::Module& decl);
    OpenModule(const OpenModule&) = delete;
    OpenModule& operator=(const OpenModule&) = delete;
    ~OpenModule();
    ir::Module& module_;
    Scope& scope_;
    DeclarationBuilder::Body entered_;
    const ir::Declaration* first_;  // the first opening of this module
    Scope* outer_;
  };

  ir::Declaration* define(const tree::Definition& definition, Contents& into) override;
  void check_all(const std::vector<tree::DefinitionPtr>& body, Contents& into, bool last_use) override;
  void check(const tree::Definition& definition, Contents& into);
  void declare_builtins();
  bool is_overridden_by_user(const tree::Definition& definition);
  Contents& open_contents() { return modules_.empty() ? unit_->contents : modules_.back()->module_.contents; }

  void open_module(const tree::Definition& definition, Contents& into);
  Scope& module_scope(const tree::Identifier& name, ir::Module& decl);
  void module(const tree::Definition& definition, Contents& into);
  void constant(const tree::Definition& definition, Contents& into);
  void typedef_(const tree::Definition& definition, Contents& into);
  void native(const tree::Definition& definition, Contents& into);

  const TranslationUnit& preprocessed_;
  const Sources& sources_;
  Diagnostics& diagnostics_;
  std::unique_ptr<ir::Unit> unit_ = std::make_unique<ir::Unit>();

  IdPath id_path_{*unit_};
  NameTable names_{preprocessed_, id_path_, diagnostics_};
  RepositoryIds repository_ids_{*unit_, names_, id_path_, diagnostics_};
  DeclarationBuilder declarations_{*unit_, preprocessed_, sources_, names_, id_path_, diagnostics_};
  ConstantEvaluator constants_{names_, diagnostics_};
  AnnotationChecker annotations_{names_, constants_, sources_, diagnostics_};
  TypeTable type_table_{*unit_};
  TypeChecker types_{names_, constants_, annotations_, type_table_, *this, diagnostics_};
  LocalTypes local_types_{diagnostics_};
  BaseChecker bases_{names_, diagnostics_};
  MemberChecker members_{names_, annotations_, types_, local_types_, diagnostics_};

  StructChecker structs_{names_, annotations_, declarations_, bases_, members_};
  UnionChecker unions_{names_,        constants_, annotations_, types_,
                       declarations_, members_,   sources_,     diagnostics_};
  EnumChecker enums_{names_, annotations_, declarations_, diagnostics_};
  BitsetChecker bitsets_{names_, constants_, annotations_, types_, declarations_, bases_, diagnostics_};
  InterfaceChecker interfaces_{names_, annotations_, declarations_, bases_, *this, diagnostics_};
  OperationChecker operations_{names_, annotations_, types_, local_types_, declarations_, diagnostics_};
  ValueChecker values_{names_, annotations_, types_, declarations_, bases_, *this, diagnostics_};
  ComponentChecker components_{names_, annotations_, declarations_, bases_, *this, diagnostics_};
  TemplateInstantiator templates_{names_,        constants_, annotations_, types_,
                                  declarations_, *this,      diagnostics_};
  AnnotationDeclarations annotation_declarations_{*unit_,        names_, annotations_, types_,
                                                  declarations_, *this,  sources_,     diagnostics_};

  std::vector<std::unique_ptr<OpenModule>> modules_;  // enclosing modules, the innermost last
  std::vector<tree::DefinitionPtr> retained_templates_;
};

}  // namespace orbweaver::idl
