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

/// BAD_TYPECODE: an argument or result has no type, or an exception list gets another TypeCode.
inline constexpr std::uint32_t kUntypedArgument = kVendor;
/// NO_RESOURCES: kMaxDeferredRequests are in progress, or there is no thread.
inline constexpr std::uint32_t kTooManyDeferred = kVendor + 1;
/// BAD_PARAM: the name of an operation.
inline constexpr std::uint32_t kBadOperationName = kVendor + 2;
/// BAD_CONTEXT: contexts are not supported.
inline constexpr std::uint32_t kNoContexts = kVendor + 3;

// Of the ORB (orb/minor_codes.h).
inline constexpr std::uint32_t kNilArgument = 0x4f570040;  ///< BAD_PARAM
inline constexpr std::uint32_t kLocalObject = 0x4f57003f;  ///< BAD_INV_ORDER

}  // namespace orbweaver::dynamic::minor
