#pragma once

#include "idlc/ir/ir.h"

/// IR of components, homes, ports and template modules, for the back ends that support them.
namespace orbweaver::idl::ir {

/// A component; also the base class of connectors and porttypes.
struct Component : Declaration {
  explicit Component(DeclKind which = DeclKind::component) : Declaration(which) {}
  bool defined = false;
  bool forward_declared = false;
  const Component* base = nullptr;           // has the same kind; null for a porttype
  std::vector<const Interface*> supports;    // components only
  std::vector<const Declaration*> contents;  // ports and attributes
};
struct Connector : Component {
  Connector() : Component(DeclKind::connector) {}
};
struct PortType : Component {
  PortType() : Component(DeclKind::porttype) {}
};

struct Port : Declaration {
  Port() : Declaration(DeclKind::port) {}
  PortRole role = PortRole::provides;
  const Declaration* target = nullptr;  // an interface, an eventtype or a porttype; null: Object
};

struct Home : Declaration {
  Home() : Declaration(DeclKind::home) {}
  const Home* base = nullptr;
  std::vector<const Interface*> supports;
  const Component* component = nullptr;  // the managed component; null only after an error
  const Value_* primary_key = nullptr;   // null: no primary key
  std::vector<const Declaration*> contents;
};

/// A template module. Its contents appear only in its instances, which are ordinary modules.
struct TemplateModule : Declaration {
  struct Parameter {
    std::string name;
    TemplateKind kind;
  };
  TemplateModule() : Declaration(DeclKind::template_module) {}
  std::vector<Parameter> parameters;
};

}  // namespace orbweaver::idl::ir
