#pragma once

#include "dynamic/any/node.h"

namespace orbweaver::dynamic {

/// An enumerator.
class EnumNode final : public Node, public virtual DynamicAny::DynEnum {
 public:
  explicit EnumNode(const CORBA::TypeCode& type) : Node(type) {}
  std::string get_as_string() override;
  void set_as_string(const std::string& value) override;
  std::uint32_t get_as_ulong() override;
  void set_as_ulong(std::uint32_t value) override;
};

/// A fixed-point number.
class FixedNode final : public Node, public virtual DynamicAny::DynFixed {
 public:
  explicit FixedNode(const CORBA::TypeCode& type) : Node(type) {}
  std::string get_value() override;
  bool set_value(const std::string& val) override;
};

}  // namespace orbweaver::dynamic
