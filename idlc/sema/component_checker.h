#pragma once

#include "idlc/ir/components.h"
#include "idlc/parse/tree.h"
#include "idlc/sema/annotation_checker.h"
#include "idlc/sema/base_checker.h"
#include "idlc/sema/declaration_builder.h"
#include "idlc/sema/definition_checker.h"

namespace orbweaver::idl {

/// Checks components, homes, porttypes and connectors: IDL 4.2, 7.4.8 to 7.4.11; CORBA 3.3 part 3, 6. The
/// bases that the component model implies (Components::CCMObject and the like) are not added: they concern
/// the code that a container generates, not the validity of the IDL.
class ComponentChecker {
 public:
  ComponentChecker(NameTable& names, AnnotationChecker& annotations, DeclarationBuilder& declarations,
                   BaseChecker& bases, DefinitionChecker& definitions, Diagnostics& diagnostics)
      : names_(names), annotations_(annotations), declarations_(declarations), bases_(bases),
        definitions_(definitions), diagnostics_(diagnostics) {}

  void check_component(const tree::Definition& definition, Contents& into);
  void check_home(const tree::Definition& definition, Contents& into);
  void check_port(const tree::Definition& definition, Contents& into);

 private:
  ir::Component& open(const tree::Definition& definition, Contents& into);
  ir::Declaration* port_target(const tree::Port& body);
  void check_event(const ir::Declaration& target, Span span);
  void check_porttype(const ir::Declaration& target, Span span);
  void check_managed_component(const tree::Home& body, const ir::Home& decl);
  void check_primary_key(const tree::Home& body, ir::Home& decl);

  NameTable& names_;
  AnnotationChecker& annotations_;
  DeclarationBuilder& declarations_;
  BaseChecker& bases_;
  DefinitionChecker& definitions_;
  Diagnostics& diagnostics_;
};

}  // namespace orbweaver::idl
