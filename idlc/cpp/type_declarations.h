#pragma once

#include <string>

#include "idlc/cpp/cpp_generator.h"
#include "idlc/cpp/declarations.h"
#include "idlc/cpp/namespace_text.h"
#include "idlc/ir/ir.h"

namespace orbweaver::idl::cpp {

/// Generates the declarations of types and interfaces in fooC.h. `options` must outlive it.
class TypeDeclarations {
 public:
  explicit TypeDeclarations(const CppOptions& options) : options_(options) {}

  /// Forward declarations, before all types: a module may forward-declare an interface and define it where
  /// the module is reopened.
  void forward_declarations(const Contents& contents, NamespaceText& out) const;
  /// The types and interfaces of the main file, in order, each with its operators.
  void types(const Contents& contents, NamespaceText& out) const;

 private:
  std::string in_class(const Contents& contents) const;
  static std::string printers(const ir::Declaration& declaration);
  std::string type_text(const ir::Declaration& declaration, bool is_member) const;
  std::string forward_classes(const Contents& contents) const;
  void interface(const ir::Interface& decl, NamespaceText& out) const;
  void value(const ir::Value_& decl, NamespaceText& out) const;

  const CppOptions& options_;
};

}  // namespace orbweaver::idl::cpp
