#pragma once

#include <cstdint>

/// Minor codes of the dynamic interfaces, in the vendor range from 0x4f5700e0 (docs/minor-codes.md), and the
/// OMG's.
namespace orbweaver::dynamic::minor {

inline constexpr std::uint32_t kOmg = 0x4f4d0000;
inline constexpr std::uint32_t kVendor = 0x4f5700e0;

// BAD_INV_ORDER
inline constexpr std::uint32_t kSentBefore = kOmg + 10;
inline constexpr std::uint32_t kNotSent = kOmg + 11;
inline constexpr std::uint32_t kResponseTaken = kOmg + 12;
inline constexpr std::uint32_t kNotDeferred = kOmg + 13;
inline constexpr std::uint32_t kArgumentsOrder = kOmg + 7;  ///< ServerRequest::arguments
inline constexpr std::uint32_t kContextOrder = kOmg + 8;    ///< ServerRequest::ctx
inline constexpr std::uint32_t kResultOrder = kOmg + 9;     ///< ServerRequest::set_result

/// BAD_PARAM: the any of ServerRequest::set_exception contains no exception.
inline constexpr std::uint32_t kNoException = kOmg + 21;

/// BAD_TYPECODE: an argument or result has no type, or an exception list gets another TypeCode.
inline constexpr std::uint32_t kUntypedArgument = kVendor;
/// NO_RESOURCES: kMaxDeferredRequests are in progress, or there is no thread.
inline constexpr std::uint32_t kTooManyDeferred = kVendor + 1;
/// BAD_PARAM: the name of an operation.
inline constexpr std::uint32_t kBadOperationName = kVendor + 2;
/// OBJECT_NOT_EXIST: a DynAny after destroy, or one that its parent no longer has.
inline constexpr std::uint32_t kDestroyedDynAny = kVendor + 4;
/// IMP_LIMIT: initial values, components or nesting of a DynAny.
inline constexpr std::uint32_t kDynAnyTooLarge = kVendor + 5;
/// BAD_INV_ORDER: a ServerRequest after invoke has returned.
inline constexpr std::uint32_t kRequestEnded = kVendor + 6;
/// BAD_INV_ORDER: invoke has called neither arguments nor set_exception.
inline constexpr std::uint32_t kArgumentsNotCalled = kVendor + 7;

// Of the ORB (orb/minor_codes.h).
inline constexpr std::uint32_t kNilArgument = 0x4f570040;  ///< BAD_PARAM
inline constexpr std::uint32_t kLocalObject = 0x4f57003f;  ///< BAD_INV_ORDER

// Of CDR: MARSHAL and DATA_CONVERSION.
inline constexpr std::uint32_t kMalformedAny = 0x4f570001;
inline constexpr std::uint32_t kNoValueFactory = kOmg + 1;
inline constexpr std::uint32_t kFixedTooLarge = 0x4f570120;

}  // namespace orbweaver::dynamic::minor
