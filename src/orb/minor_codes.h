#pragma once

#include <cstdint>

/// Minor codes of the system exceptions that this ORB raises. docs/minor-codes.md lists them for users, with
/// what to do; a test compares the two.
namespace orbweaver::minor {

/// Vendor minor code set of this ORB, "OW": the upper 20 bits of each code below (CORBA 3.3 part 1, A.1).
inline constexpr std::uint32_t kVendor = 0x4f570000;
/// Minor code set of the OMG, for codes that the standard assigns.
inline constexpr std::uint32_t kOmg = 0x4f4d0000;

// MARSHAL: kVendor + cdr::Fault (1 … 12), and:
inline constexpr std::uint32_t kWideInRequest = kOmg + 5;  ///< A wide character in a request of GIOP 1.0.
inline constexpr std::uint32_t kWideInReply = kOmg + 6;
inline constexpr std::uint32_t kReplyMalformed = kVendor + 20;
inline constexpr std::uint32_t kEncodingOverran = kVendor + 21;

// TRANSIENT
/// No endpoint of the reference could be used.
inline constexpr std::uint32_t kNoUsableEndpoint = kVendor + 30;
/// The server closed the connection before it replied.
inline constexpr std::uint32_t kPeerClosed = kVendor + 31;
inline constexpr std::uint32_t kTooManyForwards = kVendor + 32;
inline constexpr std::uint32_t kServiceBudgetExceeded = kVendor + 33;  ///< -ORBTune service-bytes reached.
inline constexpr std::uint32_t kQueueFull = kVendor + 34;          ///< The queue of a port or input is full.
inline constexpr std::uint32_t kStreamClosed = kVendor + 35;       ///< The queue, port or input is closed.
inline constexpr std::uint32_t kOneWayQueueFull = kVendor + 36;    ///< The queue of SYNC_NONE calls is full.
inline constexpr std::uint32_t kCancelled = kVendor + 37;          ///< By the client, before it was begun.
inline constexpr std::uint32_t kTooManyAsyncCalls = kVendor + 38;  ///< -ORBTune async-calls reached.
inline constexpr std::uint32_t kCallCancelled = kVendor + 39;      ///< By this program: Future::cancel.
/// Over a bidirectional connection: no thread, or a shutdown, while a call to the caller is in progress.
inline constexpr std::uint32_t kNotBegun = kVendor + 42;
inline constexpr std::uint32_t kThreadPoolFull = kVendor + 43;  ///< RTCORBA: its request buffer is full.
inline constexpr std::uint32_t kDiscarding = kOmg + 1;          ///< The POAManager is discarding.

// COMM_FAILURE
inline constexpr std::uint32_t kPeerLost = kVendor + 40;  ///< The connection broke during the call.
/// The peer violated GIOP; the connection was closed.
inline constexpr std::uint32_t kProtocolViolation = kVendor + 41;

// TIMEOUT
inline constexpr std::uint32_t kCallTimeout = kVendor + 50;  ///< -ORBCallTimeout exceeded.
/// Of a poller: the results have not arrived within the time limit of the function.
inline constexpr std::uint32_t kPollTimeout = kVendor + 51;

// NO_RESPONSE
inline constexpr std::uint32_t kNoResponseYet = kVendor + 52;  ///< Of a poller, without a time limit.
inline constexpr std::uint32_t kNoReplyGiven = kVendor + 53;   ///< The servant has dropped the Response.

// REBIND
inline constexpr std::uint32_t kForwardNotFollowed = kVendor + 54;  ///< By the RebindPolicy.
inline constexpr std::uint32_t kNotReconnected = kVendor + 55;      ///< By the RebindPolicy.

// BAD_PARAM
inline constexpr std::uint32_t kBoundExceeded = kVendor + 60;
inline constexpr std::uint32_t kBadString = kVendor + 61;  ///< string_to_object: not a reference.
inline constexpr std::uint32_t kBadOption = kVendor + 62;
inline constexpr std::uint32_t kLocalObject = kVendor + 63;  ///< A local object cannot leave the process.
inline constexpr std::uint32_t kNilArgument = kVendor + 64;
inline constexpr std::uint32_t kEmptyArray = kVendor + 66;  ///< create_array_tc.
/// This code and the following: create_struct_tc etc.
inline constexpr std::uint32_t kBadTypeName = kOmg + 15;
inline constexpr std::uint32_t kBadRepositoryId = kOmg + 16;
inline constexpr std::uint32_t kBadMemberName = kOmg + 17;
inline constexpr std::uint32_t kDuplicateLabel = kOmg + 18;
inline constexpr std::uint32_t kBadLabel = kOmg + 19;
inline constexpr std::uint32_t kBadDiscriminator = kOmg + 20;

// BAD_TYPECODE
/// A TypeCode of create_recursive_tc was not embedded.
inline constexpr std::uint32_t kIncompleteType = kOmg + 1;
inline constexpr std::uint32_t kIllegalMemberType = kOmg + 2;
inline constexpr std::uint32_t kAliasOfAnother =
    kVendor + 65;  ///< Any::type(tc) with a tc that is not equivalent.
/// A TypeCode nested beyond the limit of receivers.
inline constexpr std::uint32_t kTypeTooDeep = kVendor + 67;

// DATA_CONVERSION
inline constexpr std::uint32_t kNoSuchCharacter = kOmg + 1;  ///< A wchar beyond U+FFFF in GIOP 1.1.

// BAD_INV_ORDER
inline constexpr std::uint32_t kNilReference = kVendor + 70;
/// descriptor() of an ORB without -ORBThreads single.
inline constexpr std::uint32_t kNotSingleThreaded = kVendor + 71;
inline constexpr std::uint32_t kAnsweredTwice = kVendor + 73;  ///< A Response has been given before.
inline constexpr std::uint32_t kWouldDeadlock = kOmg + 3;      ///< shutdown(true) within an upcall.
inline constexpr std::uint32_t kOrbShutDown = kOmg + 4;
inline constexpr std::uint32_t kManagerSet = kOmg + 6;  ///< set_servant_manager: there is one already.
/// create_POA of a POA that is being destroyed.
inline constexpr std::uint32_t kBeingDestroyed = kOmg + 17;

// INV_POLICY
/// _get_policy of a type that clients do not have.
inline constexpr std::uint32_t kUnknownPolicy = kVendor + 130;

// NO_PERMISSION
/// Rejected by access rules or a certificate check.
inline constexpr std::uint32_t kAccessDenied = kVendor + 140;
/// Called over a connection of its own process; the BidirectionalPolicy of its POA is not BOTH.
inline constexpr std::uint32_t kNotBidirectional = kVendor + 141;

// OBJECT_NOT_EXIST
/// Deactivated, or of an earlier run of the server.
inline constexpr std::uint32_t kNoSuchObject = kVendor + 80;
inline constexpr std::uint32_t kResultsTaken = kVendor + 81;  ///< Of a poller: taken before.
inline constexpr std::uint32_t kNoSuchAdapter = kOmg + 2;

// BAD_OPERATION
inline constexpr std::uint32_t kNoSuchOperation = kVendor + 90;
inline constexpr std::uint32_t kOtherOperation = kVendor + 91;  ///< Of a poller: of a call of another one.

// BAD_PARAM: arguments of create_…_tc
inline constexpr std::uint32_t kBadFixed = kVendor + 291;
inline constexpr std::uint32_t kBadModifier = kVendor + 292;

// BAD_CONTEXT, BAD_TYPECODE
inline constexpr std::uint32_t kBadContextName = kVendor + 293;
inline constexpr std::uint32_t kContextNotAString = kVendor + 294;
inline constexpr std::uint32_t kNoContextValue = kVendor + 295;
inline constexpr std::uint32_t kNoContextScope = kVendor + 296;

// INTF_REPOS
inline constexpr std::uint32_t kNoRepository = kOmg + 1;  ///< _interface: there is no interface repository.

// UNKNOWN
inline constexpr std::uint32_t kUndeclaredException =
    kOmg + 1;  ///< A user exception that raises does not list.
inline constexpr std::uint32_t kCppException = kVendor + 100;  ///< A C++ exception that is not CORBA's.

// OBJ_ADAPTER
inline constexpr std::uint32_t kAdapterInactive = kOmg + 1;
inline constexpr std::uint32_t kActivatorFailed = kOmg + 1;   ///< unknown_adapter raised an exception.
inline constexpr std::uint32_t kNoDefaultServant = kOmg + 3;  ///< The POA has USE_DEFAULT_SERVANT.
inline constexpr std::uint32_t kNoServantManager = kOmg + 4;  ///< The POA has USE_SERVANT_MANAGER.
/// incarnate returned a servant that the policies do not permit.
inline constexpr std::uint32_t kWrongServant = kOmg + 5;
inline constexpr std::uint32_t kNilServant = kOmg + 7;  ///< Of incarnate or preinvoke.

// INV_OBJREF
inline constexpr std::uint32_t kUnusableReference = kVendor + 110;

// NO_MEMORY
inline constexpr std::uint32_t kNoMemory = kVendor + 150;  ///< To connect or to listen.

// NO_RESOURCES, IMP_LIMIT, INITIALIZE, NO_IMPLEMENT
inline constexpr std::uint32_t kOutOfResources = kVendor + 120;
inline constexpr std::uint32_t kMessageTooLarge = kVendor + 121;
inline constexpr std::uint32_t kCannotListen = kVendor + 122;
inline constexpr std::uint32_t kNotImplemented = kVendor + 123;
inline constexpr std::uint32_t kNameTooLong = kVendor + 124;
inline constexpr std::uint32_t kPoolFull = kVendor + 125;  ///< NO_RESOURCES, TIMEOUT: the block pool is full.
/// NO_RESOURCES: -ORBTune auxiliary-connections reached.
inline constexpr std::uint32_t kNoAuxiliaryConnection = kVendor + 126;
/// IMP_LIMIT: the packet can never fit.
inline constexpr std::uint32_t kPacketTooLarge = kVendor + 127;

}  // namespace orbweaver::minor
