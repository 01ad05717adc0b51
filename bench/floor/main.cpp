// The floors as a bench subject.
#include "floors.h"

namespace {

using namespace orbweaver::bench;

std::optional<std::string> cannot(const Case& c) {
  if (has_receivers(c.experiment)) return cannot_packets(c);
  if (c.transport == "mqueue") return cannot_mqueue(c);
  if (c.type == PayloadType::mix) return blocks(c.wait) ? std::nullopt : std::optional("its recv blocks");
  if (c.transport == "udp") return cannot_datagram(c);
  if (c.transport == "shm" || c.transport == "tcp" || c.transport == "tls" || c.transport == "unix" ||
      c.transport == "inproc")
    return std::nullopt;
  return "there is no floor for this transport";
}

/// The floor of TLS is the plain TCP socket: the ratio shows the cost of encryption.
bool stream(const Case& c) { return c.transport == "tcp" || c.transport == "tls" || c.transport == "unix"; }

void serve(const ServerSide& side) {
  if (side.what.type == PayloadType::mix) return serve_mix(side);
  if (stream(side.what)) return serve_stream(side);
  if (side.what.transport == "udp") return serve_datagram(side);
  if (side.what.transport == "mqueue") return serve_mqueue(side);
  if (side.what.type == PayloadType::block) return serve_shm_block(side);
  side.what.experiment == Experiment::twoway ? serve_shm_twoway(side) : serve_shm_oneway(side);
}

Summary call(const ClientSide& side) {
  if (has_receivers(side.what.experiment)) return call_packets(side);
  if (side.what.transport == "inproc") return call_inproc(side);
  if (side.what.type == PayloadType::mix) return call_mix(side);
  if (stream(side.what)) return call_stream(side);
  if (side.what.transport == "udp") return call_datagram(side);
  if (side.what.transport == "mqueue") return call_mqueue(side);
  if (side.what.type == PayloadType::block) return call_shm_block(side);
  return side.what.experiment == Experiment::twoway ? call_shm_twoway(side) : call_shm_oneway(side);
}

}  // namespace

int main(int argc, char** argv) { return subject_main(argc, argv, {cannot, serve, call}); }
