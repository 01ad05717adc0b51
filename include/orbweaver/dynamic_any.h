#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <orbweaver/any.h>
#include <orbweaver/object.h>
#include <orbweaver/typecode.h>

namespace CORBA {
class AbstractBase;
class ValueBase;
}  // namespace CORBA

/// @file
/// Dynamic management of anys (CORBA 3.3 part 1, 13): values of types that the program knows at run time only
/// are read, changed and made, component by component. Programs link orbweaver::dynamic
/// (liborbweaver-dynamic.so).
///
///     auto factory = IDL::traits<DynamicAny::DynAnyFactory>::narrow(
///         orb->resolve_initial_references("DynAnyFactory"));
///     auto sample = factory->create_dyn_any_from_type_code(type);  // struct Sample { double rate; string
///     name; } sample->insert_double(2.5); sample->next(); sample->insert_string("x"); CORBA::Any any =
///     sample->to_any();

/// Dynamic management of anys (CORBA 3.3 part 1, 13).
namespace DynamicAny {

class DynAny;
class DynAnyFactory;
class DynArray;
class DynEnum;
class DynFixed;
class DynSequence;
class DynStruct;
class DynUnion;
class DynValue;
class DynValueBox;
class DynValueCommon;

}  // namespace DynamicAny

namespace IDL {
/// @cond internal
#define ORBWEAVER_DYN_ANY_TRAITS(NAME) \
  template <>                          \
  struct traits<DynamicAny::NAME> : orbweaver::local_interface_traits<DynamicAny::NAME> {};
ORBWEAVER_DYN_ANY_TRAITS(DynAny)
ORBWEAVER_DYN_ANY_TRAITS(DynAnyFactory)
ORBWEAVER_DYN_ANY_TRAITS(DynArray)
ORBWEAVER_DYN_ANY_TRAITS(DynEnum)
ORBWEAVER_DYN_ANY_TRAITS(DynFixed)
ORBWEAVER_DYN_ANY_TRAITS(DynSequence)
ORBWEAVER_DYN_ANY_TRAITS(DynStruct)
ORBWEAVER_DYN_ANY_TRAITS(DynUnion)
ORBWEAVER_DYN_ANY_TRAITS(DynValue)
ORBWEAVER_DYN_ANY_TRAITS(DynValueBox)
ORBWEAVER_DYN_ANY_TRAITS(DynValueCommon)
#undef ORBWEAVER_DYN_ANY_TRAITS
/// @endcond
}  // namespace IDL

namespace DynamicAny {

/// Declares a user exception without members: SCOPE ends with "::" in C++ and with "/" in ID.
#define ORBWEAVER_DECLARE_DYN_ANY_EXCEPTION(NAME, SCOPE, ID)                                            \
  class NAME final : public orbweaver::UserExceptionWithDetail {                                        \
   public:                                                                                              \
    /** `detail`: message. */                                                                           \
    explicit NAME(std::string detail = {}) : UserExceptionWithDetail(std::move(detail)) {}              \
    const char* _name() const noexcept override { return "DynamicAny::" SCOPE #NAME; }                  \
    const char* _rep_id() const noexcept override { return "IDL:omg.org/DynamicAny/" ID #NAME ":1.0"; } \
    [[noreturn]] void _raise() const override { throw *this; }                                          \
    std::size_t _bound() const override { return 0; }                                                   \
    void _encode(orbweaver::cdr::Encoder&) const override {}                                            \
  };

/// A value in an any would have to be truncated to a base, because its own type is not known.
ORBWEAVER_DECLARE_DYN_ANY_EXCEPTION(MustTruncate, "", "")

/// Name of a member of a struct, exception, union or value type.
using FieldName = std::string;

/// A value of a type that the program knows at run time only: an any that can be read and changed (CORBA 3.3
/// part 1, 13.2.3). The DynAnyFactory makes it; a constructed one is a DynStruct, DynUnion, DynSequence,
/// DynArray, DynEnum, DynFixed, DynValue or DynValueBox, to which it is narrowed.
///
/// A constructed value has components, themselves DynAnys, which are parts of it: a change of the component
/// changes it. The *current position* is the index of one of them, -1: none. It is 0 for a new value and
/// after each assignment, or -1 if there are no components. A component is made when it is first asked for,
/// so that a DynAny of a large type costs little. Its own current position lasts while the program has a
/// reference to it, or it is the current component.
///
/// One thread at a time for a DynAny and all of its components. After `destroy`, all functions raise
/// OBJECT_NOT_EXIST (0x4f5700e4); also those of a component that the value no longer has: an element beyond
/// a shorter length, the member of a union whose discriminator selects another. References to components do
/// not keep the whole alive, and become values of their own without it. `destroy` is not needed: the last
/// reference releases everything.
///
/// A value of a value type is one DynAny in all places that refer to it (DynValueCommon).
///
/// Functions that write a value raise IMP_LIMIT (0x4f5700e5) if that would need more than 64 MiB of initial
/// values, or types nested more than 256 deep, and MARSHAL if a value received from a peer is malformed;
/// `to_any` raises MARSHAL for values of value types nested more than 1024 deep.
class DynAny : public virtual CORBA::LocalObject {
 public:
  /// Reference to a DynAny.
  using _ref_type = CORBA::object_reference<DynAny>;

  /// The operation does not apply to this type, or the value has another one.
  ORBWEAVER_DECLARE_DYN_ANY_EXCEPTION(TypeMismatch, "DynAny::", "DynAny/")
  /// The value is not possible for this type, or there is no current component.
  ORBWEAVER_DECLARE_DYN_ANY_EXCEPTION(InvalidValue, "DynAny::", "DynAny/")

  /// The TypeCode, aliases included. It never changes.
  virtual CORBA::typecode_reference type() = 0;
  /// Replaces the value by a copy of that of `other`. Raises TypeMismatch unless its type is equivalent;
  /// BAD_PARAM (0x4f570040) for nil.
  virtual void assign(const _ref_type& other) = 0;
  /// Replaces the value by a copy of that of `value`. Raises TypeMismatch unless its type is equivalent;
  /// InvalidValue if it contains no legal value.
  virtual void from_any(const CORBA::Any& value) = 0;
  /// Returns a copy of the value, with `type()`.
  virtual CORBA::Any to_any() = 0;
  /// Returns whether the types are equivalent and the values are equal, component by component. References
  /// are compared by `_is_equivalent`, which calls no object; a NaN equals the same NaN.
  virtual bool equal(const _ref_type& other) = 0;
  /// Destroys the value and its components. Has no effect on a component of a value that exists.
  virtual void destroy() = 0;
  /// Returns a value of its own that is equal.
  virtual _ref_type copy() = 0;

  /// @name Values of basic types
  /// They set and return this value or, if it is constructed, its current component, and leave the current
  /// position. They raise TypeMismatch if that has another type or has components itself, and InvalidValue if
  /// the current position is -1, and for a string longer than its bound.
  /// @{
/// Declares the functions of one type.
#define ORBWEAVER_DYN_ANY_VALUE(NAME, IN, OUT)      \
  /** Sets a value of this type. See above. */      \
  virtual void insert_##NAME(IN value) = 0;         \
  /** Returns the value of this type. See above. */ \
  virtual OUT get_##NAME() = 0;
  ORBWEAVER_DYN_ANY_VALUE(boolean, bool, bool)
  ORBWEAVER_DYN_ANY_VALUE(octet, std::uint8_t, std::uint8_t)
  ORBWEAVER_DYN_ANY_VALUE(char, char, char)
  ORBWEAVER_DYN_ANY_VALUE(short, std::int16_t, std::int16_t)
  ORBWEAVER_DYN_ANY_VALUE(ushort, std::uint16_t, std::uint16_t)
  ORBWEAVER_DYN_ANY_VALUE(long, std::int32_t, std::int32_t)
  ORBWEAVER_DYN_ANY_VALUE(ulong, std::uint32_t, std::uint32_t)
  ORBWEAVER_DYN_ANY_VALUE(float, float, float)
  ORBWEAVER_DYN_ANY_VALUE(double, double, double)
  ORBWEAVER_DYN_ANY_VALUE(string, const std::string&, std::string)
  ORBWEAVER_DYN_ANY_VALUE(reference, const CORBA::object_reference<CORBA::Object>&,
                          CORBA::object_reference<CORBA::Object>)
  ORBWEAVER_DYN_ANY_VALUE(typecode, const CORBA::typecode_reference&, CORBA::typecode_reference)
  ORBWEAVER_DYN_ANY_VALUE(longlong, std::int64_t, std::int64_t)
  ORBWEAVER_DYN_ANY_VALUE(ulonglong, std::uint64_t, std::uint64_t)
  ORBWEAVER_DYN_ANY_VALUE(longdouble, long double, long double)
  ORBWEAVER_DYN_ANY_VALUE(wchar, wchar_t, wchar_t)
  ORBWEAVER_DYN_ANY_VALUE(wstring, const std::wstring&, std::wstring)
  ORBWEAVER_DYN_ANY_VALUE(any, const CORBA::Any&, CORBA::Any)
  /// Sets a value of a value type, or the current component, to a copy of `value`; null makes it null. Raises
  /// TypeMismatch if `value` has another type, and is not derived from it.
  virtual void insert_val(const CORBA::object_reference<CORBA::ValueBase>& value) = 0;
  /// Returns a copy of a value of a value type, or of the current component. Raises MARSHAL (0x4f4d0001) if
  /// no factory is registered for it, or for a value in it.
  virtual CORBA::object_reference<CORBA::ValueBase> get_val() = 0;
  /// Sets a reference to an abstract interface: to an object, to a copy of a value, or nil. Its interface is
  /// not checked.
  virtual void insert_abstract(const CORBA::object_reference<CORBA::AbstractBase>& value) = 0;
  /// Returns the object, or a copy of the value. Raises as get_val.
  virtual CORBA::object_reference<CORBA::AbstractBase> get_abstract() = 0;
  /// Sets a value of type any to the value of `value`. Raises BAD_PARAM (0x4f570040) for nil.
  virtual void insert_dyn_any(const _ref_type& value) = 0;
  /// Returns a DynAny of its own with the value of a value of type any.
  virtual _ref_type get_dyn_any() = 0;
  /// @}

  /// Sets the current position and returns true, or sets it to -1 and returns false if there is no component
  /// `index`.
  virtual bool seek(std::int32_t index) = 0;
  /// As seek(0).
  virtual void rewind() = 0;
  /// Advances the current position and returns true, or sets it to -1 and returns false after the last
  /// component.
  virtual bool next() = 0;
  /// Number of components: members of a struct, exception or value type that is not null; elements of a
  /// sequence or array; of a union, 2, or 1 if no member is active; otherwise 0.
  virtual std::uint32_t component_count() = 0;
  /// Returns the component at the current position; nil if that is -1. Raises TypeMismatch for types without
  /// components.
  virtual _ref_type current_component() = 0;

  /// @name Sequences and arrays of basic types
  /// They set all elements of this sequence or array, or of the current component, and return them. A
  /// sequence gets the length of `value`, and its current position is 0, or -1 if it is empty. They raise
  /// TypeMismatch if the elements have another type, and InvalidValue if the current position is -1, for more
  /// elements than the bound of a sequence, and for another number than that of an array.
  /// @{
  ORBWEAVER_DYN_ANY_VALUE(boolean_seq, const std::vector<bool>&, std::vector<bool>)
  ORBWEAVER_DYN_ANY_VALUE(octet_seq, const std::vector<std::uint8_t>&, std::vector<std::uint8_t>)
  ORBWEAVER_DYN_ANY_VALUE(char_seq, const std::vector<char>&, std::vector<char>)
  ORBWEAVER_DYN_ANY_VALUE(short_seq, const std::vector<std::int16_t>&, std::vector<std::int16_t>)
  ORBWEAVER_DYN_ANY_VALUE(ushort_seq, const std::vector<std::uint16_t>&, std::vector<std::uint16_t>)
  ORBWEAVER_DYN_ANY_VALUE(long_seq, const std::vector<std::int32_t>&, std::vector<std::int32_t>)
  ORBWEAVER_DYN_ANY_VALUE(ulong_seq, const std::vector<std::uint32_t>&, std::vector<std::uint32_t>)
  ORBWEAVER_DYN_ANY_VALUE(float_seq, const std::vector<float>&, std::vector<float>)
  ORBWEAVER_DYN_ANY_VALUE(double_seq, const std::vector<double>&, std::vector<double>)
  ORBWEAVER_DYN_ANY_VALUE(longlong_seq, const std::vector<std::int64_t>&, std::vector<std::int64_t>)
  ORBWEAVER_DYN_ANY_VALUE(ulonglong_seq, const std::vector<std::uint64_t>&, std::vector<std::uint64_t>)
  ORBWEAVER_DYN_ANY_VALUE(longdouble_seq, const std::vector<long double>&, std::vector<long double>)
  ORBWEAVER_DYN_ANY_VALUE(wchar_seq, const std::vector<wchar_t>&, std::vector<wchar_t>)
  /// @}
#undef ORBWEAVER_DYN_ANY_VALUE

 protected:
  DynAny() = default;
  ~DynAny() override;
};

/// A sequence of values in anys.
using AnySeq = std::vector<CORBA::Any>;
/// A sequence of DynAnys.
using DynAnySeq = std::vector<CORBA::object_reference<DynAny>>;

/// The name and value of a member: `NameValuePair` and `NameDynAnyPair`. A plain value.
template <class Value>
class NamePair {
 public:
  NamePair() = default;
  /// The member `id`, which may be empty where members are set.
  NamePair(FieldName id, Value value) : id_(std::move(id)), value_(std::move(value)) {}

  /// Name of the member.
  const FieldName& id() const { return id_; }
  /// The name, for modification.
  FieldName& id() { return id_; }
  /// Sets the name.
  void id(FieldName _value) { id_ = std::move(_value); }

  /// Value of the member.
  const Value& value() const { return value_; }
  /// The value, for modification.
  Value& value() { return value_; }
  /// Sets the value.
  void value(Value _value) { value_ = std::move(_value); }

 private:
  FieldName id_;
  Value value_;
};
/// The name and value of a member.
using NameValuePair = NamePair<CORBA::Any>;
/// Members, in order.
using NameValuePairSeq = std::vector<NameValuePair>;
/// The name and DynAny of a member.
using NameDynAnyPair = NamePair<CORBA::object_reference<DynAny>>;
/// Members, in order.
using NameDynAnyPairSeq = std::vector<NameDynAnyPair>;

/// A fixed-point number (CORBA 3.3 part 1, 13.2.4).
class DynFixed : public virtual DynAny {
 public:
  /// The number as text: "-12.50".
  virtual std::string get_value() = 0;
  /// Sets the number in `val`: "[+|-]digits[.digits]", where a final d or D is ignored. Digits beyond the
  /// scale are truncated. Returns whether none but zeros were. Raises TypeMismatch for other text;
  /// InvalidValue if there are too many digits before the point.
  virtual bool set_value(const std::string& val) = 0;

 protected:
  ~DynFixed() override;
};

/// An enumerator (CORBA 3.3 part 1, 13.2.5).
class DynEnum : public virtual DynAny {
 public:
  /// Name of the enumerator.
  virtual std::string get_as_string() = 0;
  /// Sets the enumerator by its name. Raises InvalidValue if there is none of that name.
  virtual void set_as_string(const std::string& value) = 0;
  /// Position of the enumerator in the IDL, from 0.
  virtual std::uint32_t get_as_ulong() = 0;
  /// Sets the enumerator by its position. Raises InvalidValue if there is none.
  virtual void set_as_ulong(std::uint32_t value) = 0;

 protected:
  ~DynEnum() override;
};

/// Functions of DynStruct and DynValue, of values with named members. Of Orbweaver.
class DynMembers : public virtual DynAny {
 public:
  /// Name of the member at the current position. Raises TypeMismatch if there are no members; InvalidValue if
  /// the position is -1.
  virtual FieldName current_member_name() = 0;
  /// Kind of the member at the current position. Raises as current_member_name.
  virtual CORBA::TCKind current_member_kind() = 0;
  /// Names and values of all members. Of a value type, raises InvalidValue if it is null.
  virtual NameValuePairSeq get_members() = 0;
  /// Sets all members. Raises TypeMismatch, and changes nothing, if one has another type, or a name that is
  /// neither empty nor its own; InvalidValue for another number of members.
  virtual void set_members(const NameValuePairSeq& value) = 0;
  /// Names of all members, and the components themselves.
  virtual NameDynAnyPairSeq get_members_as_dyn_any() = 0;
  /// Sets all members to copies of the values. Raises as set_members, and BAD_PARAM (0x4f570040) for nil.
  virtual void set_members_as_dyn_any(const NameDynAnyPairSeq& value) = 0;

 protected:
  ~DynMembers() override;
};

/// A struct or exception (CORBA 3.3 part 1, 13.2.6).
class DynStruct : public virtual DynMembers {
 protected:
  ~DynStruct() override;
};

/// A union (CORBA 3.3 part 1, 13.2.7). Component 0 is the discriminator, and component 1 the active member,
/// if there is one. A change of the discriminator that selects another member replaces the member by one with
/// the initial value of its type.
class DynUnion : public virtual DynAny {
 public:
  /// The discriminator, component 0.
  virtual _ref_type get_discriminator() = 0;
  /// Sets the discriminator to the value of `d`. The current position is then 1 if a member is active,
  /// otherwise 0. Raises TypeMismatch if `d` has another type; BAD_PARAM (0x4f570040) for nil.
  virtual void set_discriminator(const _ref_type& d) = 0;
  /// Sets the discriminator to a value that selects the default case, and the current position to 0. Raises
  /// TypeMismatch if there is no default case.
  virtual void set_to_default_member() = 0;
  /// Sets the discriminator to a value that selects no case, and the current position to 0. Raises
  /// TypeMismatch if there is no such value.
  virtual void set_to_no_active_member() = 0;
  /// Whether the discriminator selects no case.
  virtual bool has_no_active_member() = 0;
  /// Kind of the discriminator.
  virtual CORBA::TCKind discriminator_kind() = 0;
  /// Whether the discriminator selects the default case.
  virtual bool is_set_to_default_member() = 0;
  /// The active member, component 1. Raises InvalidValue if there is none.
  virtual _ref_type member() = 0;
  /// Name of the active member. Raises InvalidValue if there is none.
  virtual FieldName member_name() = 0;
  /// Kind of the active member. Raises InvalidValue if there is none.
  virtual CORBA::TCKind member_kind() = 0;

 protected:
  ~DynUnion() override;
};

/// Functions of DynSequence and DynArray, of values with elements. Of Orbweaver.
class DynElements : public virtual DynAny {
 public:
  /// Copies of all elements. Raises IMP_LIMIT (0x4f5700e5) for more than 16,777,216 elements, or 4,096 of a
  /// type without octets.
  virtual AnySeq get_elements() = 0;
  /// Sets all elements. A sequence gets their number as its length. Raises TypeMismatch, and changes nothing,
  /// if one has another type; InvalidValue for more than the bound of a sequence, and for another number than
  /// that of an array.
  virtual void set_elements(const AnySeq& value) = 0;
  /// All elements, the components themselves. Raises as get_elements.
  virtual DynAnySeq get_elements_as_dyn_any() = 0;
  /// Sets all elements to copies of the values. Raises as set_elements, and BAD_PARAM (0x4f570040) for nil.
  virtual void set_elements_as_dyn_any(const DynAnySeq& value) = 0;

 protected:
  ~DynElements() override;
};

/// A sequence (CORBA 3.3 part 1, 13.2.8).
class DynSequence : public virtual DynElements {
 public:
  /// Number of elements.
  virtual std::uint32_t get_length() = 0;
  /// Sets the number of elements. New ones have the initial value of their type; the first new one becomes
  /// the current one if the current position is -1. The current position is then -1 if its element is
  /// removed. Raises InvalidValue beyond the bound.
  virtual void set_length(std::uint32_t len) = 0;

 protected:
  ~DynSequence() override;
};

/// An array (CORBA 3.3 part 1, 13.2.9).
class DynArray : public virtual DynElements {
 protected:
  ~DynArray() override;
};

/// A value type or value box, which may be null (CORBA 3.3 part 1, 13.2.10). Initially it is. No factory is
/// needed, unless the type is a custom one.
///
/// A value to which several members or elements of one DynAny refer is one DynAny, and a change of it is a
/// change for all of them: also `assign`, `from_any` and `set_to_null`. Copies, and what is set together by
/// one call of `set_members_as_dyn_any` or `set_elements_as_dyn_any`, share as the originals do; each any has
/// values of its own. A value may contain itself. Its DynAny is not replaced with the whole: if that refers
/// to another value then, it becomes a value of its own.
///
/// The DynAny of a value of a derived type has that type, if it is known by the TypeCode of the any or by the
/// generated code of the program. Values of a custom type have no components: their program decodes and
/// encodes them.
class DynValueCommon : public virtual DynAny {
 public:
  /// Whether it is null.
  virtual bool is_null() = 0;
  /// Makes it null, without components. The current position is -1.
  virtual void set_to_null() = 0;
  /// Replaces null by members with the initial values of their types; otherwise has no effect. Raises
  /// TypeMismatch for an abstract type; MARSHAL (0x4f4d0001) for a custom one that has no factory.
  virtual void set_to_value() = 0;

 protected:
  ~DynValueCommon() override;
};

/// A value type with its state members, public and private, those of its bases first (CORBA 3.3 part 1,
/// 13.2.11). set_members makes it not null.
class DynValue : public virtual DynValueCommon, public virtual DynMembers {
 protected:
  ~DynValue() override;
};

/// A value box (CORBA 3.3 part 1, 13.2.12), whose component is the value in it.
class DynValueBox : public virtual DynValueCommon {
 public:
  /// A copy of the value in the box. Raises InvalidValue if it is null.
  virtual CORBA::Any get_boxed_value() = 0;
  /// Sets the value in the box, which is then not null. Raises TypeMismatch for a value of another type.
  virtual void set_boxed_value(const CORBA::Any& boxed) = 0;
  /// The value in the box, the component itself. Raises InvalidValue if it is null.
  virtual _ref_type get_boxed_value_as_dyn_any() = 0;
  /// As set_boxed_value, to a copy of `boxed`. Raises BAD_PARAM (0x4f570040) for nil.
  virtual void set_boxed_value_as_dyn_any(const _ref_type& boxed) = 0;

 protected:
  ~DynValueBox() override;
};

/// Makes DynAnys (CORBA 3.3 part 1, 13.2.2): the initial reference "DynAnyFactory". Any thread.
class DynAnyFactory : public virtual CORBA::LocalObject {
 public:
  /// Reference to the factory.
  using _ref_type = CORBA::object_reference<DynAnyFactory>;

  /// The TypeCode contains one of a native type, a local interface, a Principal, or an incomplete one.
  ORBWEAVER_DECLARE_DYN_ANY_EXCEPTION(InconsistentTypeCode, "DynAnyFactory::", "DynAnyFactory/")

  /// Returns a DynAny with a copy of the value. A value of a value type whose type is not known is truncated
  /// to the first base that is. Raises InconsistentTypeCode; MARSHAL if the value is malformed, or if a
  /// custom type has no factory.
  virtual CORBA::object_reference<DynAny> create_dyn_any(const CORBA::Any& value) = 0;
  /// Returns a DynAny with the initial value of a type: false, 0, empty text, nil, an empty any, the first
  /// enumerator, an empty sequence, null, and for constructed types the initial values of their components;
  /// of a union, the first member. Raises InconsistentTypeCode; BAD_PARAM (0x4f570040) for nil.
  virtual CORBA::object_reference<DynAny> create_dyn_any_from_type_code(
      const CORBA::typecode_reference& type) = 0;
  /// As create_dyn_any. Raises MustTruncate in place of truncating a value. The ORB truncates those that it
  /// receives before.
  virtual CORBA::object_reference<DynAny> create_dyn_any_without_truncation(const CORBA::Any& value) = 0;
  /// Returns a DynAny for each value. Raises as create_dyn_any, or as create_dyn_any_without_truncation.
  /// Values are shared within each any, not between them.
  virtual DynAnySeq create_multiple_dyn_anys(const AnySeq& values, bool allow_truncate) = 0;
  /// Returns the value of each DynAny. Raises BAD_PARAM (0x4f570040) for nil.
  virtual AnySeq create_multiple_anys(const DynAnySeq& values) = 0;

 protected:
  DynAnyFactory() = default;
  ~DynAnyFactory() override;
};

#undef ORBWEAVER_DECLARE_DYN_ANY_EXCEPTION

}  // namespace DynamicAny
