#pragma once

#include <cstdint>

/// The minor codes of the system exceptions that this ORB raises. docs/minor-codes.md lists them for
/// users, with what to do; a test holds the two against each other.
namespace orbweaver::minor {

/// Our vendor part, "OW": the upper 20 bits of every code below (CORBA 3.3 part 1, A.1).
inline constexpr std::uint32_t kVendor = 0x4f570000;
/// The OMG's own part, for codes that the standard fixes.
inline constexpr std::uint32_t kOmg = 0x4f4d0000;

// MARSHAL: kVendor + cdr::Fault (1 … 12), and:
inline constexpr std::uint32_t kWideInRequest = kOmg + 5;    ///< A wide character in a request of GIOP 1.0.
inline constexpr std::uint32_t kWideInReply = kOmg + 6;
inline constexpr std::uint32_t kReplyMalformed = kVendor + 20;
inline constexpr std::uint32_t kEncodingOverran = kVendor + 21;

// TRANSIENT
inline constexpr std::uint32_t kNoRoad = kVendor + 30;          ///< No road of the reference could be taken.
inline constexpr std::uint32_t kPeerClosed = kVendor + 31;      ///< The server closed before it answered.
inline constexpr std::uint32_t kTooManyForwards = kVendor + 32;
inline constexpr std::uint32_t kTooMuchServed = kVendor + 33;   ///< -ORBMaxServedBytes are in service.
inline constexpr std::uint32_t kDiscarding = kOmg + 1;          ///< POAManager is discarding.

// COMM_FAILURE
inline constexpr std::uint32_t kPeerLost = kVendor + 40;        ///< The connection broke during the call.
inline constexpr std::uint32_t kPeerMisbehaved = kVendor + 41;  ///< What came is no GIOP; the connection was ended.

// TIMEOUT
inline constexpr std::uint32_t kCallTimeout = kVendor + 50;     ///< -ORBCallTimeout passed.

// BAD_PARAM
inline constexpr std::uint32_t kBoundExceeded = kVendor + 60;
inline constexpr std::uint32_t kBadString = kVendor + 61;       ///< string_to_object: not a reference.
inline constexpr std::uint32_t kBadOption = kVendor + 62;
inline constexpr std::uint32_t kLocalObject = kVendor + 63;     ///< A local object cannot leave the process.
inline constexpr std::uint32_t kNilArgument = kVendor + 64;
inline constexpr std::uint32_t kEmptyArray = kVendor + 66;      ///< create_array_tc.
inline constexpr std::uint32_t kBadTypeName = kOmg + 15;        ///< From here: create_struct_tc and its like.
inline constexpr std::uint32_t kBadRepositoryId = kOmg + 16;
inline constexpr std::uint32_t kBadMemberName = kOmg + 17;
inline constexpr std::uint32_t kLabelTwice = kOmg + 18;
inline constexpr std::uint32_t kBadLabel = kOmg + 19;
inline constexpr std::uint32_t kBadDiscriminator = kOmg + 20;

// BAD_TYPECODE
inline constexpr std::uint32_t kIncompleteType = kOmg + 1;      ///< What create_recursive_tc made was not placed.
inline constexpr std::uint32_t kIllegalMemberType = kOmg + 2;
inline constexpr std::uint32_t kAliasOfAnother = kVendor + 65;  ///< Any::type(tc) with a tc that is not equivalent.
inline constexpr std::uint32_t kTypeTooDeep = kVendor + 67;     ///< A TypeCode that no peer would take.

// DATA_CONVERSION
inline constexpr std::uint32_t kNoSuchCharacter = kOmg + 1;     ///< A wchar beyond U+FFFF in GIOP 1.1.

// BAD_INV_ORDER
inline constexpr std::uint32_t kNilReference = kVendor + 70;
inline constexpr std::uint32_t kNotSingle = kVendor + 71;       ///< descriptor() of an ORB with threads of its own.
inline constexpr std::uint32_t kWouldDeadlock = kOmg + 3;       ///< shutdown(true) inside of an upcall.
inline constexpr std::uint32_t kOrbShutDown = kOmg + 4;

// INV_POLICY
inline constexpr std::uint32_t kUnknownPolicy = kVendor + 130;  ///< _get_policy of a kind that no client sets.

// NO_PERMISSION
inline constexpr std::uint32_t kAccessDenied = kVendor + 140;   ///< Access rules or certificates: one end refuses the other.

// OBJECT_NOT_EXIST
inline constexpr std::uint32_t kNoSuchObject = kVendor + 80;    ///< Deactivated, or of an earlier run.
inline constexpr std::uint32_t kNoSuchAdapter = kOmg + 2;

// BAD_OPERATION
inline constexpr std::uint32_t kNoSuchOperation = kVendor + 90;

// INTF_REPOS
inline constexpr std::uint32_t kNoRepository = kOmg + 1;        ///< _interface: there is no interface repository.

// UNKNOWN
inline constexpr std::uint32_t kUndeclaredException = kOmg + 1; ///< A user exception that raises does not list.
inline constexpr std::uint32_t kForeignException = kVendor + 100;  ///< A C++ exception that is not CORBA's.

// OBJ_ADAPTER
inline constexpr std::uint32_t kAdapterInactive = kOmg + 1;

// INV_OBJREF
inline constexpr std::uint32_t kUnusableReference = kVendor + 110;

// NO_RESOURCES, IMP_LIMIT, INITIALIZE, NO_IMPLEMENT
inline constexpr std::uint32_t kOutOfResources = kVendor + 120;
inline constexpr std::uint32_t kMessageTooLarge = kVendor + 121;
inline constexpr std::uint32_t kCannotListen = kVendor + 122;
inline constexpr std::uint32_t kNotYet = kVendor + 123;
inline constexpr std::uint32_t kNameTooLong = kVendor + 124;
inline constexpr std::uint32_t kPoolFull = kVendor + 125;       ///< NO_RESOURCES, TIMEOUT: no room for a loan.
inline constexpr std::uint32_t kTooManyNested = kVendor + 126;  ///< NO_RESOURCES: -ORBNestedConnections are out.

}  // namespace orbweaver::minor
