// The floor of `orbweaver bench scale`: a byte and its reply over a raw TCP socket, with a thread for each
// connection, and processes that do nothing.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include <unistd.h>

#include "bench/floor/socket.h"
#include "bench/harness/clock.h"
#include "bench/scale/measure.h"
#include "bench/scale/started_components.h"
#include "bench/scale/subject.h"

namespace {

using namespace orbweaver::bench;

[[noreturn]] void fail(const char* what) { throw std::system_error(errno, std::generic_category(), what); }

void no_delay(const Socket& socket) {
  const int on = 1;
  if (setsockopt(socket.fd(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) != 0) fail("TCP_NODELAY");
}

sockaddr_in address_at(const char* host, int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  if (inet_pton(AF_INET, host, &address.sin_addr) != 1) throw std::runtime_error("not an address");
  return address;
}

void answer(const Socket& client) {
  char byte = 0;
  while (receive_all(client, &byte, 1, 0)) send_all(client, &byte, 1, 0);
}

bool is_of_this_host(const sockaddr_in& address) { return ntohl(address.sin_addr.s_addr) >> 24 == 127; }

void serve(const ScaleServer& side) {
  const Socket listener(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const sockaddr_in any = address_at("0.0.0.0", 0);
  if (bind(listener.fd(), reinterpret_cast<const sockaddr*>(&any), sizeof any) != 0) fail("bind");
  if (listen(listener.fd(), SOMAXCONN) != 0) fail("listen");
  side.ready();
  for (;;) {
    sockaddr_in peer{};
    socklen_t length = sizeof peer;
    Socket client(accept4(listener.fd(), reinterpret_cast<sockaddr*>(&peer), &length, SOCK_CLOEXEC));
    if (!is_of_this_host(peer)) continue;
    no_delay(client);
    std::thread([client = std::move(client)] { answer(client); }).detach();
  }
}

Socket connected_to(const std::string& host, int port) {
  Socket server(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const sockaddr_in address = address_at(host.c_str(), port);
  if (connect(server.fd(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) fail("connect");
  no_delay(server);
  return server;
}

void exchange(const Socket& server) {
  char byte = 1;
  send_all(server, &byte, 1, 0);
  if (!receive_all(server, &byte, 1, 0)) throw std::runtime_error("the server has disconnected");
}

std::vector<ScaleSample> call(const ScaleClient& side) {
  if (side.settings.part != ScalePart::clients) throw std::runtime_error("the floor has no objects");
  std::vector<Socket> servers;
  servers.reserve(side.settings.count);
  return measure_clients(side, {[&](std::uint32_t client) {
                                  servers.push_back(connected_to(address_of_client(client), side.port));
                                  exchange(servers.back());
                                },
                                [&](std::uint32_t client) { exchange(servers[client]); }});
}

/// A component's first packet is a line with the time at which it has begun.
ScaleSample start(const ScaleSettings& settings) {
  StartedComponents components(settings.count);
  components.start("none");
  for (std::uint32_t i = 0; i < settings.count; ++i) {
    const auto line = components.process(i).read_line(kComponentLimit);
    if (!line) throw std::runtime_error("component " + std::to_string(i) + " has not begun");
    components.packet(i, std::stoll(*line));
  }
  return components.sample();
}

void run_component(const ScaleComponent&) {
  std::printf("%lld\n", static_cast<long long>(steady_ns()));
  std::fflush(stdout);
  for (;;) pause();
}

}  // namespace

int main(int argc, char** argv) {
  return scale_subject_main(argc, argv, {serve, call, start, run_component});
}
