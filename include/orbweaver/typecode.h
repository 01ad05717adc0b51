#pragma once

#include <orbweaver/cdr/codec.h>
#include <orbweaver/exception.h>
#include <orbweaver/typecode_fwd.h>

#include <atomic>
#include <cstdint>
#include <iosfwd>
#include <string>

namespace orbweaver::typecode {
class Graph;
struct Access;
}  // namespace orbweaver::typecode

namespace CORBA {

/// CORBA 3.3 part 1, 8.11.1. All of them, so that descriptions of what this ORB has no run time for pass
/// through it.
enum class TCKind : std::uint32_t {
  tk_null,
  tk_void,
  tk_short,
  tk_long,
  tk_ushort,
  tk_ulong,
  tk_float,
  tk_double,
  tk_boolean,
  tk_char,
  tk_octet,
  tk_any,
  tk_TypeCode,
  tk_Principal,
  tk_objref,
  tk_struct,
  tk_union,
  tk_enum,
  tk_string,
  tk_sequence,
  tk_array,
  tk_alias,
  tk_except,
  tk_longlong,
  tk_ulonglong,
  tk_longdouble,
  tk_wchar,
  tk_wstring,
  tk_fixed,
  tk_value,
  tk_value_box,
  tk_native,
  tk_abstract_interface,
  tk_local_interface,
  tk_component,
  tk_home,
  tk_event
};

using Visibility = std::int16_t;
inline constexpr Visibility PRIVATE_MEMBER = 0;
inline constexpr Visibility PUBLIC_MEMBER = 1;
using ValueModifier = std::int16_t;

/// What a type is, at run time (CORBA 3.3 part 1, 8.11). Immutable; shared by reference; any thread.
///
/// Those of IDL known to the compiler are constants that cost nothing until they are used. Those that
/// arrive or are made at run time live in a graph, which is freed as a whole with its last reference:
/// recursive types point back into it.
class TypeCode final {
 public:
  using _ref_type = typecode_reference;

  /// The operation does not apply to this kind.
  class BadKind final : public UserException {
   public:
    const char* _name() const noexcept override { return "CORBA::TypeCode::BadKind"; }
    const char* _rep_id() const noexcept override { return "IDL:omg.org/CORBA/TypeCode/BadKind:1.0"; }
    [[noreturn]] void _raise() const override { throw *this; }
    std::size_t _bound() const override { return 0; }
    void _encode(orbweaver::cdr::Encoder&) const override {}
  };
  /// No member has that index.
  class Bounds final : public UserException {
   public:
    const char* _name() const noexcept override { return "CORBA::TypeCode::Bounds"; }
    const char* _rep_id() const noexcept override { return "IDL:omg.org/CORBA/TypeCode/Bounds:1.0"; }
    [[noreturn]] void _raise() const override { throw *this; }
    std::size_t _bound() const override { return 0; }
    void _encode(orbweaver::cdr::Encoder&) const override {}
  };

  TCKind kind() const noexcept { return kind_; }
  /// Every operation gives the same for both, names included.
  bool equal(const typecode_reference& other) const;
  /// Values of one can be taken for values of the other: aliases are looked through, names do not matter,
  /// and repository ids decide where both have one.
  bool equivalent(const typecode_reference& other) const;
  /// The same type without its names.
  typecode_reference get_compact_typecode() const;

  // All below raise BadKind where the kind has no such thing, and Bounds for an index beyond the last.
  std::string id() const;
  std::string name() const;
  std::uint32_t member_count() const;
  std::string member_name(std::uint32_t index) const;
  typecode_reference member_type(std::uint32_t index) const;
  /// Of a union; for the default case an octet of 0.
  Any member_label(std::uint32_t index) const;
  typecode_reference discriminator_type() const;
  /// -1: the union has no default case.
  std::int32_t default_index() const;
  /// The bound of a string or sequence (0: none), the elements of an array.
  std::uint32_t length() const;
  typecode_reference content_type() const;
  std::uint16_t fixed_digits() const;
  std::int16_t fixed_scale() const;
  Visibility member_visibility(std::uint32_t index) const;
  ValueModifier type_modifier() const;
  /// Nil where there is none.
  typecode_reference concrete_base_type() const;

  /// For generated code: a member, an enumerator or a union's case.
  struct Member {
    const char* name = "";
    const TypeCode* type = nullptr;
    std::int64_t label = 0;
    Visibility visibility = PRIVATE_MEMBER;
  };
  /// For generated code: a constant. `content` is the element, the aliased type, the discriminator or the
  /// concrete base; `length` the bound or the digits; `extra` the default index, the scale or the modifier.
  constexpr explicit TypeCode(TCKind kind, const char* id = "", const char* name = "",
                              const Member* members = nullptr, std::uint32_t member_count = 0,
                              const TypeCode* content = nullptr, std::uint32_t length = 0,
                              std::int32_t extra = 0) noexcept
      : kind_(kind),
        length_(length),
        extra_(extra),
        member_count_(member_count),
        id_(id),
        name_(name),
        members_(members),
        content_(content) {}
  TypeCode(const TypeCode&) = delete;
  TypeCode& operator=(const TypeCode&) = delete;

  void _add_ref() const noexcept {
    if (graph_ != nullptr) share();
  }
  void _remove_ref() const noexcept {
    if (graph_ != nullptr) unshare();
  }

 private:
  friend class orbweaver::typecode::Graph;
  friend struct orbweaver::typecode::Access;
  void share() const noexcept;
  void unshare() const noexcept;
  const Member& member(std::uint32_t index) const;

  TCKind kind_;
  std::uint32_t length_;
  std::int32_t extra_;
  std::uint32_t member_count_;
  const char* id_;
  const char* name_;
  const Member* members_;
  const TypeCode* content_;
  orbweaver::typecode::Graph* graph_ = nullptr;  // null: a constant
  // What is worked out once, by whichever thread needs it first; release W1 pairs with acquire R1.
  mutable std::atomic<const std::string*> wire_{nullptr};
  mutable std::atomic<std::uint64_t> layout_{0};
  mutable std::atomic<const std::uint32_t*> cases_{nullptr};  // typecode_cases.cpp
};

/// As IDL would write it, short: "Radio::Sample" is "Sample", "sequence<double, 4>".
std::ostream& operator<<(std::ostream& os, const typecode_reference& type);

}  // namespace CORBA

namespace orbweaver {

/// A reference to a constant.
inline CORBA::typecode_reference reference_to(const CORBA::TypeCode& type) noexcept {
  type._add_ref();
  return CORBA::typecode_reference::adopt(const_cast<CORBA::TypeCode*>(&type));
}

namespace cdr {

/// CORBA 3.3 part 2, 9.3.5.1. Nil travels as tk_null.
template <>
struct Codec<CORBA::typecode_reference> {
  static constexpr std::size_t kMinBytes = 4, kMaxBytes = 0, kAlign = 4;
  static constexpr bool kPlain = false;
  static std::size_t bound(const CORBA::typecode_reference& type);
  static void encode(Encoder& out, const CORBA::typecode_reference& type);
  static void decode(Decoder& in, CORBA::typecode_reference& type);
};

}  // namespace cdr

/// The TypeCodes of what IDL has built in, as constants.
namespace typecode {
#define ORBWEAVER_BASIC_TYPECODES(X)                                                                \
  X(null)                                                                                           \
  X(void) X(short) X(long) X(ushort) X(ulong) X(float) X(double) X(boolean) X(char) X(octet) X(any) \
      X(TypeCode) X(Principal) X(longlong) X(ulonglong) X(longdouble) X(wchar) X(string) X(wstring)
#define ORBWEAVER_DECLARE_TYPECODE(NAME) extern const CORBA::TypeCode k_##NAME;
ORBWEAVER_BASIC_TYPECODES(ORBWEAVER_DECLARE_TYPECODE)
#undef ORBWEAVER_DECLARE_TYPECODE
extern const CORBA::TypeCode k_Object;
/// For generated code: what a `_tc_` constant refers to.
constexpr CORBA::TypeCode* constant(const CORBA::TypeCode& type) { return const_cast<CORBA::TypeCode*>(&type); }
/// An alias of octet: CORBA's wire knows no signed octet.
extern const CORBA::TypeCode k_int8;
}  // namespace typecode

}  // namespace orbweaver

namespace CORBA {
#define ORBWEAVER_DECLARE_TYPECODE(NAME) extern const typecode_reference _tc_##NAME;
ORBWEAVER_BASIC_TYPECODES(ORBWEAVER_DECLARE_TYPECODE)
#undef ORBWEAVER_DECLARE_TYPECODE
extern const typecode_reference _tc_Object;
}  // namespace CORBA
