#pragma once

#include <orbweaver/any.h>
#include <orbweaver/object.h>

#include <string>
#include <utility>
#include <vector>

/// @file
/// Descriptions of members for ORB::create_struct_tc, create_union_tc, create_exception_tc and
/// create_value_tc (CORBA 3.3 part 1, 14.7.2). Plain values, as thread-safe as a std::vector.

namespace CORBA {

/// A member of a struct or exception: name and type. `type_def`, its description in an interface repository,
/// is nil: this ORB has none.
class StructMember {
 public:
  StructMember() = default;
  /// A member `name` of type `type`.
  StructMember(std::string name, typecode_reference type, object_reference<Object> type_def = nullptr)
      : name_(std::move(name)), type_(std::move(type)), type_def_(std::move(type_def)) {}

  /// Name of the member.
  const std::string& name() const { return name_; }
  /// The name, for modification.
  std::string& name() { return name_; }
  /// Sets the name.
  void name(std::string _value) { name_ = std::move(_value); }

  /// Type of the member.
  const typecode_reference& type() const { return type_; }
  /// The type, for modification.
  typecode_reference& type() { return type_; }
  /// Sets the type.
  void type(typecode_reference _value) { type_ = std::move(_value); }

  /// Description of the type in an interface repository; nil.
  const object_reference<Object>& type_def() const { return type_def_; }
  /// The description, for modification. The ORB does not use it.
  object_reference<Object>& type_def() { return type_def_; }
  /// Sets the description. The ORB does not use it.
  void type_def(object_reference<Object> _value) { type_def_ = std::move(_value); }

 private:
  std::string name_;
  typecode_reference type_;
  object_reference<Object> type_def_;
};

/// A case of a union. `label` contains a value of the discriminator's type, or an octet of 0 for the default
/// case. A case with several labels is described by one UnionMember for each.
class UnionMember : public StructMember {
 public:
  UnionMember() = default;
  /// A case `label` with the member `name` of type `type`.
  UnionMember(std::string name, Any label, typecode_reference type,
              object_reference<Object> type_def = nullptr)
      : StructMember(std::move(name), std::move(type), std::move(type_def)), label_(std::move(label)) {}

  /// Label of the case.
  const Any& label() const { return label_; }
  /// The label, for modification.
  Any& label() { return label_; }
  /// Sets the label.
  void label(Any _value) { label_ = std::move(_value); }

 private:
  Any label_;
};

/// A state member of a value type. Its repository id, the id of the value type that defines it, and its
/// version are for an interface repository, of which this ORB has none.
class ValueMember : public StructMember {
 public:
  ValueMember() = default;
  /// A member `name` of type `type`; `access`: PUBLIC_MEMBER or PRIVATE_MEMBER.
  ValueMember(std::string name, std::string id, std::string defined_in, std::string version,
              typecode_reference type, object_reference<Object> type_def, Visibility access)
      : StructMember(std::move(name), std::move(type), std::move(type_def)), id_(std::move(id)),
        defined_in_(std::move(defined_in)), version_(std::move(version)), access_(access) {}

  /// Repository id. The ORB does not use it.
  const std::string& id() const { return id_; }
  /// The repository id, for modification.
  std::string& id() { return id_; }
  /// Sets the repository id.
  void id(std::string _value) { id_ = std::move(_value); }
  /// Repository id of the value type that defines the member. The ORB does not use it.
  const std::string& defined_in() const { return defined_in_; }
  /// That id, for modification.
  std::string& defined_in() { return defined_in_; }
  /// Sets that id.
  void defined_in(std::string _value) { defined_in_ = std::move(_value); }
  /// Version. The ORB does not use it.
  const std::string& version() const { return version_; }
  /// The version, for modification.
  std::string& version() { return version_; }
  /// Sets the version.
  void version(std::string _value) { version_ = std::move(_value); }
  /// Visibility: PUBLIC_MEMBER or PRIVATE_MEMBER.
  Visibility access() const { return access_; }
  /// The visibility, for modification.
  Visibility& access() { return access_; }
  /// Sets the visibility.
  void access(Visibility _value) { access_ = _value; }

 private:
  std::string id_, defined_in_, version_;
  Visibility access_ = PRIVATE_MEMBER;
};

}  // namespace CORBA
