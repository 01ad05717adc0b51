// Datagrams of a peer of the UDP transport, each preceded by its length in two octets. Frames are
// reassembled; replies of the handshake are not sent.
#include <cstdlib>
#include <vector>

#include "fuzz/input.h"
#include "platform/resolver.h"
#include "transport/udp/handshake.h"
#include "transport/udp/reassembly.h"

using namespace orbweaver;
using namespace orbweaver::transport;
using namespace orbweaver::transport::udp;

namespace {

constexpr std::size_t kMaxFrameBytes = 100'000;
volatile std::size_t sink;

/// Reassembles the frames of the parts in a datagram. Sets `ended` if the connection would end.
void take_parts(Bytes rest, Reassembly& reassembly, bool& ended) {
  while (!ended && !rest.empty()) {
    const std::size_t before = rest.size();
    const auto part = take_part(rest);
    if (!part) return;
    if (rest.size() >= before || part->bytes.size() > before) std::abort();
    const auto frame = reassembly.take(*part);
    if (!frame) {
      ended = true;
      return;
    }
    if (frame->size() > kMaxFrameBytes) std::abort();
    for (const std::uint8_t byte : *frame) sink = sink + byte;
    if (!frame->empty()) reassembly.release();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const platform::Fd nowhere;
  static ServerHandshake handshake(nowhere);
  static const platform::SocketAddress peer = platform::resolve_tcp("127.0.0.1", 9, false).addresses.at(0);
  fuzz::Input input(data, size);
  Counters counters;
  Reassembly reassembly(kMaxFrameBytes, counters);
  bool ended = false;
  while (!input.empty()) {
    const Bytes content = input.take_bytes(input.take<std::uint16_t>());
    // An exact copy, so that sanitizers detect accesses beyond it.
    const std::vector<std::uint8_t> datagram(content.begin(), content.end());
    const auto start = read_datagram_header(datagram);
    if (!start) continue;
    switch (start->kind) {
      case DatagramKind::parts:
        take_parts(Bytes(datagram).subspan(kDatagramHeaderBytes), reassembly, ended);
        break;
      case DatagramKind::ping:
      case DatagramKind::pong:
      case DatagramKind::bye:
        if (const std::uint32_t last = read_last_frame(datagram); start->kind == DatagramKind::bye)
          reassembly.end(last);
        break;
      default: (void)handshake.answer(datagram, peer);
    }
  }
  return 0;
}
