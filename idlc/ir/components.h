#pragma once

#include "idlc/ir/ir.h"

/// The checked forms of components, homes, ports and template modules. Back ends that care include this.
namespace orbweaver::idl::ir {

/// A component; with kind connector or porttype, one of these.
struct Component : Declaration {
  explicit Component(DeclKind which = DeclKind::component) : Declaration(which) {}
  bool defined = false;
  bool ahead = false;
  const Component* base = nullptr;           // of the same kind; a porttype has none
  std::vector<const Interface*> supports;    // of a component
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
  const Component* component = nullptr;  // what it manages; null only after an error
  const Value_* primary_key = nullptr;   // or none
  std::vector<const Declaration*> contents;
};

/// A template module; what is in it is seen in its instances, which are modules like any other.
struct TemplateModule : Declaration {
  struct Parameter {
    std::string name;
    TemplateKind kind;
  };
  TemplateModule() : Declaration(DeclKind::template_module) {}
  std::vector<Parameter> parameters;
};

}  // namespace orbweaver::idl::ir
