#pragma once

#include <cstdint>
#include <string>
#include <string_view>

/// Kinds of definitions, common to the syntax tree and the IR.
namespace orbweaver::idl::ir {

enum class DeclKind : std::uint8_t {
  module,
  interface,
  value,
  value_box,
  struct_,
  exception,
  union_,
  enum_,
  bitmask,
  bitset,
  typedef_,
  constant,
  native,
  attribute,
  operation,
  factory,
  finder,
  state_member,
  enumerator,
  annotation,
  component,
  connector,
  porttype,
  home,
  port,
  template_module,
};
std::string_view noun(DeclKind kind);          // "interface"
std::string noun_with_article(DeclKind kind);  // "an interface"

/// The role of a port; `port` and `mirrorport` stand for all ports of a porttype.
enum class PortRole : std::uint8_t {
  provides,
  uses,
  uses_multiple,
  emits,
  publishes,
  consumes,
  port,
  mirrorport
};
std::string_view spelling(PortRole role);  // "uses multiple"

/// The kind of argument that a parameter of a template module accepts.
enum class TemplateKind : std::uint8_t {
  typename_,
  interface,
  valuetype,
  eventtype,
  struct_,
  union_,
  exception,
  enum_,
  sequence,
  const_
};
std::string_view spelling(TemplateKind kind);  // "typename"

}  // namespace orbweaver::idl::ir
