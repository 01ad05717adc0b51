#pragma once

#include <cstdint>

/// Minor codes of Real-time CORBA, in the vendor range from 0x4f570130, and the OMG's (docs/minor-codes.md).
namespace orbweaver::realtime::minor {

inline constexpr std::uint32_t kOmg = 0x4f4d0000;
inline constexpr std::uint32_t kVendor = 0x4f570130;

/// BAD_PARAM: negative, or the POA has no lane or band for it.
inline constexpr std::uint32_t kBadPriority = kVendor;
/// INITIALIZE: the calling thread has no priority.
inline constexpr std::uint32_t kNoThreadPriority = kVendor + 1;
/// BAD_PARAM: the lanes or threads of a thread pool.
inline constexpr std::uint32_t kBadLanes = kVendor + 2;
/// BAD_INV_ORDER: a POA uses the thread pool.
inline constexpr std::uint32_t kPoolInUse = kVendor + 3;
/// BAD_PARAM: the bands of a policy.
inline constexpr std::uint32_t kBadBands = kVendor + 4;
/// DATA_CONVERSION: by the PriorityMapping.
inline constexpr std::uint32_t kNotMapped = kOmg + 2;
/// INV_POLICY: bands of a reference that has no priority model, or in both the reference and its overrides.
inline constexpr std::uint32_t kNotReconciled = kOmg + 1;
/// NO_RESOURCES: no band of the reference contains the priority.
inline constexpr std::uint32_t kNoBand = kOmg + 2;

// Of the ORB (orb/minor_codes.h).
inline constexpr std::uint32_t kMalformedPriority = 0x4f570002;  ///< MARSHAL
inline constexpr std::uint32_t kCallTimeout = 0x4f570032;        ///< TIMEOUT
inline constexpr std::uint32_t kOutOfResources = 0x4f570078;     ///< NO_RESOURCES
inline constexpr std::uint32_t kOrbShutDown = kOmg + 4;          ///< BAD_INV_ORDER

}  // namespace orbweaver::realtime::minor
