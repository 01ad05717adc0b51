#pragma once

#include <cstddef>
#include <cstdint>

namespace orbweaver::limits {

/// Default of -ORBMaxMessageBytes: the largest GIOP message received from or sent to a peer (docs/decisions:
/// 16 MiB suits radios).
inline constexpr std::size_t kDefaultMessageBytes = std::size_t{16} << 20;
/// Largest permitted value of -ORBMaxMessageBytes.
inline constexpr std::size_t kMaxMessageBytes = std::size_t{1} << 30;
/// First allocation for a message whose header announces more than has arrived. Storage then grows with the
/// bytes received, not with the announced length.
inline constexpr std::size_t kFirstMessageBytes = std::size_t{64} << 10;
/// Largest number of incomplete fragmented messages of one connection (CORBA 3.3 part 2, 9.4.9).
inline constexpr std::size_t kMaxFragmentedMessages = 16;
/// Deepest nesting of constructed values that a decoder accepts.
inline constexpr int kMaxNesting = 256;
/// Deepest nesting of values, such as the length of a list whose elements hold the next one, that is encoded
/// or decoded. Each level takes some hundred bytes of the stack.
inline constexpr int kMaxValueNesting = 1024;
/// Steps that operations led by a TypeCode (decoding, copying, printing anys) may take for each byte of a
/// message, beyond kFreeSteps. A step is one value. Members that share a type by indirection double the steps
/// with each level and add no byte, so that a limit on nesting does not bound them. Why 16: a value of an IDL
/// type takes, for each byte, at most one step for each struct around it, and messages nest structs a few
/// deep. With a hostile type, a peer gains 16 steps, some tens of nanoseconds, for each byte that it sends.
/// Deeper nesting is accepted if the values have more bytes.
inline constexpr std::uint64_t kStepsPerByte = 16;
/// Steps that every message may take, so that small values of deeply nested types are accepted.
inline constexpr std::uint64_t kFreeSteps = 4096;
/// Octets of member and enumerator names that printing one any may write, beyond kStepsPerByte for each byte
/// of its value: a peer chooses their length, and they are repeated with each element.
inline constexpr std::size_t kMaxPrintedNameBytes = std::size_t{64} << 10;
/// Largest IOR, in its stringified or CDR form.
inline constexpr std::size_t kMaxIorBytes = std::size_t{64} << 10;

}  // namespace orbweaver::limits
