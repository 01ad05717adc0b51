#pragma once

#include <cstddef>
#include <cstdint>

namespace orbweaver::limits {

/// The largest GIOP message taken from or given to a peer, unless -ORBMaxMessageBytes says otherwise
/// (docs/decisions: 16 MiB suits radios).
inline constexpr std::size_t kDefaultMessageBytes = std::size_t{16} << 20;
/// The most that -ORBMaxMessageBytes may say.
inline constexpr std::size_t kMaxMessageBytes = std::size_t{1} << 30;
/// The first allocation made for a message whose header announces more than has arrived: storage then
/// grows with the bytes, so that a lying length costs nothing.
inline constexpr std::size_t kFirstMessageBytes = std::size_t{64} << 10;
/// Half-received fragmented messages kept for one connection (CORBA 3.3 part 2, 9.4.9).
inline constexpr std::size_t kMaxFragmentedMessages = 16;
/// Nesting of constructed values a decoder follows before it gives up.
inline constexpr int kMaxNesting = 256;
/// Steps that walks along TypeCodes (decoding, copying, printing anys) may take for each byte of a message,
/// beyond kFreeSteps. A step is one value. Members that share a type by indirection double the steps with
/// each level and add no byte: a limit on nesting bounds nothing. Why 16: a value of an IDL type takes, for
/// each byte, at most one step for each struct around it, and messages nest structs a few deep. A peer gains
/// 16 steps, some tens of nanoseconds, for each byte that it sends by a hostile type. More pass where the
/// values in them have more bytes.
inline constexpr std::uint64_t kStepsPerByte = 16;
/// Steps that every message may cost, so that small values of deeply nested types pass.
inline constexpr std::uint64_t kFreeSteps = 4096;
/// Octets of names of members and enumerators that printing one any may write, beyond kStepsPerByte for each
/// byte of its value: a peer chooses their length, and they are repeated with each element.
inline constexpr std::size_t kPrintedNames = std::size_t{64} << 10;
/// An IOR in its stringified or CDR form.
inline constexpr std::size_t kMaxIorBytes = std::size_t{64} << 10;

}  // namespace orbweaver::limits
