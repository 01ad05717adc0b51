// The floors of `orbweaver bench userplane`: plain sockets, with one system call for each packet or for many.
#include <sys/socket.h>

#include <cerrno>
#include <string>
#include <system_error>

#include "floors.h"
#include "internet_socket.h"

namespace {

using namespace orbweaver::bench;

void receive(const UserplaneReceiver& side, const Socket& socket) {
  PacketCheck check(side.board);
  if (side.settings.batch_us == 0)
    receive_one_by_one(socket, check, side.settings);
  else if (side.settings.transport == "udp")
    receive_datagram_batches(socket, check);
  else
    receive_stream_batches(socket, check);
}

void receive_from_sender(const UserplaneReceiver& side) {
  const Socket bound = bound_socket(side.settings);
  const bool udp = side.settings.transport == "udp";
  if (!udp && listen(bound.fd(), 1) != 0) throw std::system_error(errno, std::generic_category(), "listen");
  side.ready(std::to_string(port_of(bound)));
  if (udp)
    receive(side, bound);
  else
    receive(side, accepted_socket(bound));
}

void send_to_receiver(const UserplaneSender& side) {
  Socket socket = connected_socket(side.settings, static_cast<std::uint16_t>(std::stoi(side.address)));
  const auto output = side.settings.batch_us == 0        ? one_by_one(std::move(socket))
                      : side.settings.transport == "udp" ? datagram_batches(std::move(socket), side.settings)
                                                         : stream_batches(std::move(socket), side.settings);
  send_points(side, *output);
}

}  // namespace

int main(int argc, char** argv) {
  return userplane_subject_main(argc, argv, {receive_from_sender, send_to_receiver});
}
