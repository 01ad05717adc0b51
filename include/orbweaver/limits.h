#pragma once

#include <cstddef>

namespace orbweaver::limits {

/// The largest GIOP message taken from or given to a peer, unless -ORBMaxMessageBytes says otherwise.
inline constexpr std::size_t kMaxMessageBytes = std::size_t{256} << 20;
/// The first allocation made for a message whose header announces more than has arrived: storage then
/// grows with the bytes, so that a lying length costs nothing.
inline constexpr std::size_t kFirstMessageBytes = std::size_t{64} << 10;
/// Half-received fragmented messages kept for one connection (CORBA 3.3 part 2, 9.4.9).
inline constexpr std::size_t kMaxFragmentedMessages = 16;
/// Nesting of constructed values a decoder follows before it gives up.
inline constexpr int kMaxNesting = 256;
/// An IOR in its stringified or CDR form.
inline constexpr std::size_t kMaxIorBytes = std::size_t{64} << 10;

}  // namespace orbweaver::limits
