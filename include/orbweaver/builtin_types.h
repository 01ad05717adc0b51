#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include <orbweaver/detail/stub.h>
#include <orbweaver/iop.h>
#include <orbweaver/print.h>
#include <orbweaver/typecode.h>

/// @file
/// Data types of the modules CORBA and IOP that IDL files use (orb.idl and IOP.idl, docs/idl.md). Generated
/// headers include this one. It needs no library.

namespace CORBA {

/// Direction of a parameter.
enum class ParameterMode : std::uint32_t { PARAM_IN, PARAM_OUT, PARAM_INOUT };
/// Whether an attribute is readonly.
enum class AttributeMode : std::uint32_t { ATTR_NORMAL, ATTR_READONLY };
/// Whether an operation is one-way.
enum class OperationMode : std::uint32_t { OP_NORMAL, OP_ONEWAY };
/// Kind of an exception.
enum class exception_type : std::uint32_t { NO_EXCEPTION, USER_EXCEPTION, SYSTEM_EXCEPTION };
/// The name that IDL has for CompletionStatus.
using completion_status = CompletionStatus;

/// Detail of an ORB service. A value, as thread-safe as a std::vector; so are the following classes.
class ServiceDetail {
 public:
  ServiceDetail() = default;
  /// A detail of kind `type`.
  explicit ServiceDetail(std::uint32_t type, std::vector<std::uint8_t> detail = {})
      : type_(type), detail_(std::move(detail)) {}
  /// The kind.
  std::uint32_t service_detail_type() const noexcept { return type_; }
  /// The kind, for modification.
  std::uint32_t& service_detail_type() noexcept { return type_; }
  /// Sets the kind.
  void service_detail_type(std::uint32_t type) noexcept { type_ = type; }
  /// The data.
  const std::vector<std::uint8_t>& service_detail() const noexcept { return detail_; }
  /// The data, for modification.
  std::vector<std::uint8_t>& service_detail() noexcept { return detail_; }
  /// Sets the data.
  void service_detail(std::vector<std::uint8_t> detail) { detail_ = std::move(detail); }

 private:
  std::uint32_t type_ = 0;
  std::vector<std::uint8_t> detail_;
};

/// Options and details of an ORB service.
class ServiceInformation {
 public:
  ServiceInformation() = default;
  /// Of these options and details.
  explicit ServiceInformation(std::vector<std::uint32_t> options, std::vector<ServiceDetail> details = {})
      : options_(std::move(options)), details_(std::move(details)) {}
  /// The options.
  const std::vector<std::uint32_t>& service_options() const noexcept { return options_; }
  /// The options, for modification.
  std::vector<std::uint32_t>& service_options() noexcept { return options_; }
  /// Sets the options.
  void service_options(std::vector<std::uint32_t> options) { options_ = std::move(options); }
  /// The details.
  const std::vector<ServiceDetail>& service_details() const noexcept { return details_; }
  /// The details, for modification.
  std::vector<ServiceDetail>& service_details() noexcept { return details_; }
  /// Sets the details.
  void service_details(std::vector<ServiceDetail> details) { details_ = std::move(details); }

 private:
  std::vector<std::uint32_t> options_;
  std::vector<ServiceDetail> details_;
};

}  // namespace CORBA

namespace IOP {

/// The contents of a reference.
class IOR {
 public:
  IOR() = default;
  /// A reference to an object of this type.
  explicit IOR(std::string type_id, std::vector<TaggedProfile> profiles = {})
      : type_id_(std::move(type_id)), profiles_(std::move(profiles)) {}
  /// Repository id of the interface.
  const std::string& type_id() const noexcept { return type_id_; }
  /// The repository id, for modification.
  std::string& type_id() noexcept { return type_id_; }
  /// Sets the repository id.
  void type_id(std::string id) { type_id_ = std::move(id); }
  /// The profiles.
  const std::vector<TaggedProfile>& profiles() const noexcept { return profiles_; }
  /// The profiles, for modification.
  std::vector<TaggedProfile>& profiles() noexcept { return profiles_; }
  /// Sets the profiles.
  void profiles(std::vector<TaggedProfile> profiles) { profiles_ = std::move(profiles); }

 private:
  std::string type_id_;
  std::vector<TaggedProfile> profiles_;
};

}  // namespace IOP

/// @cond internal

// ---- TypeCodes ----

#define ORBWEAVER_BUILTIN_ENUM(NAME, COUNT, ...)                                                             \
  namespace orbweaver::generated::CORBA {                                                                    \
  inline constexpr ::CORBA::TypeCode::Member _members_##NAME[] = {__VA_ARGS__};                              \
  inline constexpr ::CORBA::TypeCode _tc_##NAME{::CORBA::TCKind::tk_enum, "IDL:omg.org/CORBA/" #NAME ":1.0", \
                                                #NAME, _members_##NAME, COUNT};                              \
  }                                                                                                          \
  template <>                                                                                                \
  struct orbweaver::TypeCodeOf<::CORBA::NAME>                                                                \
      : orbweaver::TypeCodeOfConstant<::orbweaver::generated::CORBA::_tc_##NAME> {};                         \
  template <>                                                                                                \
  struct orbweaver::cdr::Codec<::CORBA::NAME> {                                                              \
    static constexpr std::size_t kMinBytes = 4, kMaxBytes = 7, kAlign = 4;                                   \
    static constexpr bool kPlain = false;                                                                    \
    static std::size_t bound(::CORBA::NAME) noexcept { return kMaxBytes; }                                   \
    static void encode(Encoder& out, ::CORBA::NAME value) { out.put(static_cast<std::uint32_t>(value)); }    \
    static void decode(Decoder& in, ::CORBA::NAME& value) {                                                  \
      const auto n = in.get<std::uint32_t>();                                                                \
      if (n >= COUNT) return in.fail(Fault::bad_enum);                                                       \
      value = static_cast<::CORBA::NAME>(n);                                                                 \
    }                                                                                                        \
  };                                                                                                         \
  namespace CORBA {                                                                                          \
  inline std::ostream& operator<<(std::ostream& os, NAME value) {                                            \
    const auto n = static_cast<std::uint32_t>(value);                                                        \
    if (n >= COUNT) return os << "CORBA::" #NAME "(" << n << ')';                                            \
    return os << ::orbweaver::generated::CORBA::_members_##NAME[n].name;                                     \
  }                                                                                                          \
  }

#define ORBWEAVER_BUILTIN_STRUCT(MODULE, NAME, BYTES, A, TYPE_OF_A, B, TYPE_OF_B)                      \
  namespace orbweaver::generated::MODULE {                                                             \
  inline constexpr ::CORBA::TypeCode::Member _members_##NAME[] = {{#A, &TYPE_OF_A}, {#B, &TYPE_OF_B}}; \
  inline constexpr ::CORBA::TypeCode _tc_##NAME{                                                       \
      ::CORBA::TCKind::tk_struct, "IDL:omg.org/" #MODULE "/" #NAME ":1.0", #NAME, _members_##NAME, 2}; \
  }                                                                                                    \
  template <>                                                                                          \
  struct orbweaver::TypeCodeOf<::MODULE::NAME>                                                         \
      : orbweaver::TypeCodeOfConstant<::orbweaver::generated::MODULE::_tc_##NAME> {};                  \
  template <>                                                                                          \
  struct orbweaver::cdr::Codec<::MODULE::NAME> {                                                       \
    static constexpr std::size_t kMinBytes = BYTES, kMaxBytes = 0, kAlign = 4;                         \
    static constexpr bool kPlain = false;                                                              \
    static std::size_t bound(const ::MODULE::NAME& value) {                                            \
      return std::size_t{bound_of(value.A())} + std::size_t{bound_of(value.B())};                      \
    }                                                                                                  \
    static void encode(Encoder& out, const ::MODULE::NAME& value) {                                    \
      cdr::encode(out, value.A());                                                                     \
      cdr::encode(out, value.B());                                                                     \
    }                                                                                                  \
    static void decode(Decoder& in, ::MODULE::NAME& value) {                                           \
      if (!in.enter()) return;                                                                         \
      cdr::decode(in, value.A());                                                                      \
      cdr::decode(in, value.B());                                                                      \
      in.leave();                                                                                      \
    }                                                                                                  \
  };                                                                                                   \
  namespace MODULE {                                                                                   \
  inline std::ostream& operator<<(std::ostream& os, const NAME& value) {                               \
    os << #MODULE "::" #NAME "{" #A ": ";                                                              \
    ::orbweaver::print(os, value.A());                                                                 \
    os << ", " #B ": ";                                                                                \
    ::orbweaver::print(os, value.B());                                                                 \
    return os << '}';                                                                                  \
  }                                                                                                    \
  }

// The TypeCode of a typedef of module MODULE, and that of a sequence.
#define ORBWEAVER_BUILTIN_ALIAS(MODULE, NAME, TYPE)                                                  \
  namespace orbweaver::generated::MODULE {                                                           \
  inline constexpr ::CORBA::TypeCode _tc_##NAME{                                                     \
      ::CORBA::TCKind::tk_alias, "IDL:omg.org/" #MODULE "/" #NAME ":1.0", #NAME, nullptr, 0, &TYPE}; \
  }
#define ORBWEAVER_BUILTIN_SEQUENCE(MODULE, NAME, TYPE)             \
  namespace orbweaver::generated::MODULE {                         \
  inline constexpr ::CORBA::TypeCode _sequence_##NAME{             \
      ::CORBA::TCKind::tk_sequence, "", "", nullptr, 0, &TYPE, 0}; \
  }                                                                \
  ORBWEAVER_BUILTIN_ALIAS(MODULE, NAME, _sequence_##NAME)

ORBWEAVER_BUILTIN_ENUM(ParameterMode, 3, {"PARAM_IN"}, {"PARAM_OUT"}, {"PARAM_INOUT"})
ORBWEAVER_BUILTIN_ENUM(AttributeMode, 2, {"ATTR_NORMAL"}, {"ATTR_READONLY"})
ORBWEAVER_BUILTIN_ENUM(OperationMode, 2, {"OP_NORMAL"}, {"OP_ONEWAY"})
ORBWEAVER_BUILTIN_ENUM(exception_type, 3, {"NO_EXCEPTION"}, {"USER_EXCEPTION"}, {"SYSTEM_EXCEPTION"})
ORBWEAVER_BUILTIN_ENUM(completion_status, 3, {"COMPLETED_YES"}, {"COMPLETED_NO"}, {"COMPLETED_MAYBE"})
ORBWEAVER_BUILTIN_ENUM(SetOverrideType, 2, {"SET_OVERRIDE"}, {"ADD_OVERRIDE"})

ORBWEAVER_BUILTIN_ALIAS(CORBA, ServiceOption, typecode::k_ulong)
ORBWEAVER_BUILTIN_ALIAS(CORBA, ServiceDetailType, typecode::k_ulong)
ORBWEAVER_BUILTIN_SEQUENCE(CORBA, ServiceDetailData, typecode::k_octet)
ORBWEAVER_BUILTIN_SEQUENCE(CORBA, ServiceOptionSeq, _tc_ServiceOption)
ORBWEAVER_BUILTIN_STRUCT(CORBA, ServiceDetail, 8, service_detail_type, _tc_ServiceDetailType, service_detail,
                         _tc_ServiceDetailData)
ORBWEAVER_BUILTIN_SEQUENCE(CORBA, ServiceDetailSeq, _tc_ServiceDetail)
ORBWEAVER_BUILTIN_STRUCT(CORBA, ServiceInformation, 8, service_options, _tc_ServiceOptionSeq, service_details,
                         _tc_ServiceDetailSeq)

ORBWEAVER_BUILTIN_ALIAS(IOP, ProfileId, typecode::k_ulong)
ORBWEAVER_BUILTIN_SEQUENCE(IOP, ProfileData, typecode::k_octet)
ORBWEAVER_BUILTIN_STRUCT(IOP, TaggedProfile, 8, tag, _tc_ProfileId, profile_data, _tc_ProfileData)
ORBWEAVER_BUILTIN_SEQUENCE(IOP, TaggedProfileSeq, _tc_TaggedProfile)
ORBWEAVER_BUILTIN_STRUCT(IOP, IOR, 8, type_id, typecode::k_string, profiles, _tc_TaggedProfileSeq)
ORBWEAVER_BUILTIN_ALIAS(IOP, ComponentId, typecode::k_ulong)
ORBWEAVER_BUILTIN_SEQUENCE(IOP, ComponentData, typecode::k_octet)
ORBWEAVER_BUILTIN_STRUCT(IOP, TaggedComponent, 8, tag, _tc_ComponentId, component_data, _tc_ComponentData)
ORBWEAVER_BUILTIN_ALIAS(IOP, ServiceId, typecode::k_ulong)
ORBWEAVER_BUILTIN_SEQUENCE(IOP, ContextData, typecode::k_octet)
ORBWEAVER_BUILTIN_STRUCT(IOP, ServiceContext, 8, context_id, _tc_ServiceId, context_data, _tc_ContextData)

#undef ORBWEAVER_BUILTIN_ENUM
#undef ORBWEAVER_BUILTIN_STRUCT
#undef ORBWEAVER_BUILTIN_ALIAS
#undef ORBWEAVER_BUILTIN_SEQUENCE

/// @endcond
