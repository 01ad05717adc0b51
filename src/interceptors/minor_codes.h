#pragma once

#include <cstdint>

/// Minor codes of portable interceptors, which the OMG has assigned (docs/minor-codes.md).
namespace orbweaver::interceptors::minor {

inline constexpr std::uint32_t kOmg = 0x4f4d0000;

/// BAD_INV_ORDER: the function may not be called at this interception point, or in pre_init.
inline constexpr std::uint32_t kInvalidPoint = kOmg + 14;
/// BAD_INV_ORDER: there is a service context of this kind.
inline constexpr std::uint32_t kContextExists = kOmg + 15;
/// BAD_INV_ORDER: there is a PolicyFactory for the type, or the type is one of the ORB.
inline constexpr std::uint32_t kFactoryExists = kOmg + 16;
/// BAD_PARAM: there is no service context of this kind.
inline constexpr std::uint32_t kNoContext = kOmg + 26;
/// BAD_PARAM: register_initial_reference of nil.
inline constexpr std::uint32_t kNilInitialReference = kOmg + 27;
/// BAD_PARAM: the profile has no component of this kind.
inline constexpr std::uint32_t kNoComponent = kOmg + 28;
/// BAD_PARAM: references have no profile of this kind.
inline constexpr std::uint32_t kNoProfile = kOmg + 29;
/// NO_RESOURCES: not known to stubs and skeletons, or the request has not reached a servant.
inline constexpr std::uint32_t kNotKnown = kOmg + 1;
/// INV_POLICY: get_request_policy of a type that is not a client policy.
inline constexpr std::uint32_t kInvalidPolicyType = kOmg + 2;
/// INV_POLICY: the type has no PolicyFactory.
inline constexpr std::uint32_t kNoPolicyFactory = kOmg + 3;
/// UNKNOWN: the any cannot contain the user exception; see the repository id.
inline constexpr std::uint32_t kUnlistedUserException = kOmg + 1;
/// OBJ_ADAPTER: components_established has raised an exception.
inline constexpr std::uint32_t kIorInterceptorFailed = kOmg + 6;

// Of the ORB (orb/minor_codes.h).
inline constexpr std::uint32_t kNilArgument = 0x4f570040;   ///< BAD_PARAM
inline constexpr std::uint32_t kCppException = 0x4f570064;  ///< UNKNOWN
inline constexpr std::uint32_t kNoSuchObject = 0x4f570050;  ///< OBJECT_NOT_EXIST: the call is over.
inline constexpr std::uint32_t kBadOption = 0x4f57003e;

}  // namespace orbweaver::interceptors::minor
