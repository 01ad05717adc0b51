#pragma once

#include <orbweaver/detail/cdr/codec.h>
#include <orbweaver/detail/typecode_fwd.h>
#include <orbweaver/exception.h>

#include <atomic>
#include <cstdint>
#include <iosfwd>
#include <string>

namespace orbweaver::typecode {
class Graph;
struct Access;
}  // namespace orbweaver::typecode

namespace CORBA {

/// Kinds of types (CORBA 3.3 part 1, 8.11.1), including those that this ORB does not support, whose TypeCodes
/// it can receive and send on.
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

/// Visibility of a member of a value type.
using Visibility = std::int16_t;
inline constexpr Visibility PRIVATE_MEMBER = 0;  ///< A private member.
inline constexpr Visibility PUBLIC_MEMBER = 1;   ///< A public member.
/// Modifier of a value type: none, custom, abstract or truncatable (0 to 3).
using ValueModifier = std::int16_t;

/// Run-time description of an IDL type (CORBA 3.3 part 1, 8.11). Immutable; shared by reference; any thread.
///
/// TypeCodes of types known to the IDL compiler are constants, without cost until they are used. Those
/// received or created at run time belong to a graph, which is freed as a whole with its last reference:
/// recursive types refer back into it.
class TypeCode final {
 public:
  /// Counted reference to a TypeCode.
  using _ref_type = typecode_reference;

  /// Raised by an operation that does not apply to this kind.
  class BadKind final : public orbweaver::UserExceptionWithDetail {
   public:
    /// `detail`: message.
    explicit BadKind(std::string detail = {}) : UserExceptionWithDetail(std::move(detail)) {}
    const char* _name() const noexcept override { return "CORBA::TypeCode::BadKind"; }
    const char* _rep_id() const noexcept override { return "IDL:omg.org/CORBA/TypeCode/BadKind:1.0"; }
    [[noreturn]] void _raise() const override { throw *this; }
    std::size_t _bound() const override { return 0; }
    void _encode(orbweaver::cdr::Encoder&) const override {}
  };
  /// Raised for the index of a member that does not exist.
  class Bounds final : public orbweaver::UserExceptionWithDetail {
   public:
    /// `detail`: message.
    explicit Bounds(std::string detail = {}) : UserExceptionWithDetail(std::move(detail)) {}
    const char* _name() const noexcept override { return "CORBA::TypeCode::Bounds"; }
    const char* _rep_id() const noexcept override { return "IDL:omg.org/CORBA/TypeCode/Bounds:1.0"; }
    [[noreturn]] void _raise() const override { throw *this; }
    std::size_t _bound() const override { return 0; }
    void _encode(orbweaver::cdr::Encoder&) const override {}
  };

  /// The kind of the type. Raises nothing.
  TCKind kind() const noexcept { return kind_; }
  /// Returns whether every operation has the same result for both, names included.
  bool equal(const typecode_reference& other) const;
  /// Returns whether values of one type can be used as values of the other: aliases are resolved, names are
  /// ignored, and repository ids decide if both have one.
  bool equivalent(const typecode_reference& other) const;
  /// Returns the same type without its names.
  typecode_reference get_compact_typecode() const;

  /// @name Properties of the type
  /// They raise BadKind if the kind does not have the property, Bounds for a member index out of range, and
  /// BAD_TYPECODE (OMG minor 1) for a recursive placeholder that is not yet part of its type. Returned values
  /// are copies. CORBA 3.3 part 1, 8.11.2.
  /// @{

  /// Repository id; may be empty.
  std::string id() const;
  /// Name without its scope; may be empty.
  std::string name() const;
  /// Number of members, enumerators or union cases. A case with several labels counts once for each.
  std::uint32_t member_count() const;
  /// Name of member `index`, from 0.
  std::string member_name(std::uint32_t index) const;
  /// Type of member `index`.
  typecode_reference member_type(std::uint32_t index) const;
  /// Label of case `index` of a union; for the default case an octet of 0.
  Any member_label(std::uint32_t index) const;
  /// Type of a union's discriminator.
  typecode_reference discriminator_type() const;
  /// Index of a union's default case; -1: none.
  std::int32_t default_index() const;
  /// Bound of a string or sequence in characters or elements (0: unbounded); number of elements of an array.
  std::uint32_t length() const;
  /// Element type of a sequence or array; original type of an alias or value box.
  typecode_reference content_type() const;
  /// Decimal digits of a fixed-point type.
  std::uint16_t fixed_digits() const;
  /// Digits after the decimal point of a fixed-point type.
  std::int16_t fixed_scale() const;
  /// Visibility of member `index` of a value type.
  Visibility member_visibility(std::uint32_t index) const;
  /// Modifier of a value type.
  ValueModifier type_modifier() const;
  /// Concrete base of a value type; nil if it has none.
  typecode_reference concrete_base_type() const;

  /// @}

  /// @cond internal
  /// For generated code: a member, an enumerator or a union's case.
  struct Member {
    const char* name = "";
    const TypeCode* type = nullptr;
    std::int64_t label = 0;
    Visibility visibility = PRIVATE_MEMBER;
  };
  /// For generated code: a constant. `content`: the element type, the original type, the discriminator or the
  /// concrete base; `length`: the bound or the digits; `extra`: the default index, the scale or the modifier.
  /// The pointers must stay valid as long as the TypeCode.
  constexpr explicit TypeCode(TCKind kind, const char* id = "", const char* name = "",
                              const Member* members = nullptr, std::uint32_t member_count = 0,
                              const TypeCode* content = nullptr, std::uint32_t length = 0,
                              std::int32_t extra = 0) noexcept
      : kind_(kind), length_(length), extra_(extra), member_count_(member_count), id_(id), name_(name),
        members_(members), content_(content) {}
  TypeCode(const TypeCode&) = delete;
  TypeCode& operator=(const TypeCode&) = delete;

  void _add_ref() const noexcept {
    if (graph_ != nullptr) share();
  }
  void _remove_ref() const noexcept {
    if (graph_ != nullptr) unshare();
  }
  /// @endcond

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
  // Computed once, by the first thread that needs it; release W1 pairs with acquire R1.
  mutable std::atomic<const std::string*> wire_{nullptr};
  mutable std::atomic<std::uint64_t> layout_{0};
  mutable std::atomic<const std::uint32_t*> cases_{nullptr};  // union_cases.cpp
};

/// Prints the type as in IDL, without scopes: "Radio::Sample" is "Sample", "sequence<double, 4>".
std::ostream& operator<<(std::ostream& os, const typecode_reference& type);

}  // namespace CORBA

namespace orbweaver {

/// @cond internal
/// Returns a reference to `type`, with a count of its own.
inline CORBA::typecode_reference reference_to(const CORBA::TypeCode& type) noexcept {
  type._add_ref();
  return CORBA::typecode_reference::adopt(const_cast<CORBA::TypeCode*>(&type));
}

namespace cdr {

/// Encoding of TypeCodes (CORBA 3.3 part 2, 9.3.5.1). Nil is encoded as tk_null.
template <>
struct Codec<CORBA::typecode_reference> {
  static constexpr std::size_t kMinBytes = 4, kMaxBytes = 0, kAlign = 4;
  static constexpr bool kPlain = false;
  static std::size_t bound(const CORBA::typecode_reference& type);
  static void encode(Encoder& out, const CORBA::typecode_reference& type);
  static void decode(Decoder& in, CORBA::typecode_reference& type);
};

}  // namespace cdr

/// TypeCodes of the basic IDL types, as constants.
namespace typecode {
// clang-format off
#define ORBWEAVER_BASIC_TYPECODES(X)                                                \
  X(null) X(void) X(short) X(long) X(ushort) X(ulong) X(float) X(double) X(boolean) \
  X(char) X(octet) X(any) X(TypeCode) X(Principal) X(longlong) X(ulonglong)         \
  X(longdouble) X(wchar) X(string) X(wstring)
// clang-format on
#define ORBWEAVER_DECLARE_TYPECODE(NAME) extern const CORBA::TypeCode k_##NAME;
ORBWEAVER_BASIC_TYPECODES(ORBWEAVER_DECLARE_TYPECODE)
#undef ORBWEAVER_DECLARE_TYPECODE
extern const CORBA::TypeCode k_Object;
/// For generated code: the pointer in a `_tc_` constant.
constexpr CORBA::TypeCode* constant(const CORBA::TypeCode& type) {
  return const_cast<CORBA::TypeCode*>(&type);
}
/// IDL's int8, described as an alias of octet: CDR has no signed octet.
extern const CORBA::TypeCode k_int8;
}  // namespace typecode
/// @endcond

}  // namespace orbweaver

namespace CORBA {
#define ORBWEAVER_DECLARE_TC_CONSTANT(NAME) \
  /** The TypeCode of the IDL type NAME. */ \
  extern const typecode_reference _tc_##NAME;
ORBWEAVER_BASIC_TYPECODES(ORBWEAVER_DECLARE_TC_CONSTANT)
#undef ORBWEAVER_DECLARE_TC_CONSTANT
/// The TypeCode of CORBA::Object.
extern const typecode_reference _tc_Object;
}  // namespace CORBA
