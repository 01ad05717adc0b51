// The floors of `orbweaver bench userplane`: one system call for each packet, and as many packets with one as
// the kernel allows.
#pragma once

#include <memory>

#include "bench/floor/socket.h"
#include "bench/userplane/subject.h"

namespace orbweaver::bench {

/// Outputs over a connected socket, which they own. Their functions throw std::system_error.
std::unique_ptr<PacketOutput> one_by_one(Socket);
/// Packets wait at most `batch_us` of the settings and are sent with one `send` (TCP), or with one `sendmmsg`
/// that has segments for runs of packets of one size (UDP_SEGMENT).
std::unique_ptr<PacketOutput> stream_batches(Socket, const UserplaneSettings&);
std::unique_ptr<PacketOutput> datagram_batches(Socket, const UserplaneSettings&);

/// Receive packets until the other end closes its connection; over UDP for ever.
void receive_one_by_one(const Socket&, PacketCheck&, const UserplaneSettings&);
/// Reads as much as is there.
void receive_stream_batches(const Socket&, PacketCheck&);
/// With `recvmmsg`, and segments that the kernel has joined (UDP_GRO).
void receive_datagram_batches(const Socket&, PacketCheck&);

}  // namespace orbweaver::bench
