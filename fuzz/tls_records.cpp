// Passes the input of a peer to one end of a TLS connection. The first octet selects the phase: 0: in place
// of a client's handshake, 1: in place of a server's handshake, else as records after a handshake, of which
// every third is a valid record with a changed octet.
#include <cstdlib>
#include <memory>
#include <vector>

#include "fuzz/input.h"
#include "tls/context.h"
#include "tls/session.h"
#include "tls/testing/authority.h"

using namespace orbweaver;
using namespace orbweaver::tls;

namespace {

/// One end of a TLS connection over a socket pair.
struct End {
  std::unique_ptr<Session> session;
  platform::Fd socket;
};

struct Certificates {
  Certificates() {
    const auto files = authority.issue({"peer"});
    const auto settings =
        read_settings({{"ca", authority.ca()}, {"certificate", files.certificate}, {"key", files.key}});
    auto as_server = make_context(*settings, Role::server), as_client = make_context(*settings, Role::client);
    if (!as_server || !as_client) std::abort();
    server = std::move(*as_server);
    client = std::move(*as_client);
  }
  End end(Role role, platform::Fd socket) const {
    auto session = Session::make(role == Role::server ? server : client, role, "");
    if (!session) std::abort();
    return {std::move(*session), std::move(socket)};
  }

  tls::testing::Authority authority{"Fuzz Authority"};
  ContextPtr server, client;
};

/// Passes received bytes to the session. False if the channel would end the connection and stop reading.
bool feed(Session& session, Bytes bytes, const platform::Fd& socket) {
  std::vector<std::uint8_t> buffer(1024);
  while (!bytes.empty()) {
    const MutableBytes input = session.input();
    const std::size_t n = std::min(input.size(), bytes.size());
    if (n == 0) return false;
    std::copy_n(bytes.begin(), n, input.begin());
    bytes = bytes.subspan(n);
    session.arrived(n);
    for (;;) {
      std::size_t got = 0;
      const auto opened = session.open(buffer, got, socket);
      if (got > buffer.size()) std::abort();
      if (opened == Session::OpenResult::needs_input) break;
      if (opened != Session::OpenResult::bytes) return false;
    }
  }
  return true;
}

/// One end shakes hands with a peer that sends the input.
void fuzz_handshake(const End& end, platform::Fd peer, Bytes all) {
  if (!all.empty()) platform::send(peer, all, platform::Blocking::no);
  platform::shutdown_sending(peer);
  while (end.session->handshake(end.socket) == Session::HandshakeState::wants_room) {
  }
}

void complete_handshake(const End& server, const End& client) {
  auto client_state = Session::HandshakeState::wants_input, server_state = client_state;
  while (client_state != Session::HandshakeState::done || server_state != Session::HandshakeState::done) {
    client_state = client.session->handshake(client.socket);
    server_state = server.session->handshake(server.socket);
    if (client_state == Session::HandshakeState::failed || server_state == Session::HandshakeState::failed) {
      std::abort();
    }
  }
}

/// The server receives pieces of the input, and records of the client with one changed byte.
void fuzz_records(const End& server, const End& client, fuzz::Input& input) {
  for (std::size_t step = 0; !input.empty(); ++step) {
    const Bytes bytes = input.take_bytes(1 + input.take<std::uint8_t>());
    if (bytes.empty()) return;
    if (step % 3 != 2) {
      if (!feed(*server.session, bytes, server.socket)) return;
      continue;
    }
    if (!client.session->seal(bytes)) return;
    std::vector<std::uint8_t> record(client.session->sealed().begin(), client.session->sealed().end());
    client.session->note_sent(record.size(), client.socket);
    record[bytes[0] % record.size()] ^= static_cast<std::uint8_t>(bytes.size());
    if (!feed(*server.session, record, server.socket)) return;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Certificates certificates;
  fuzz::Input input(data, size);
  const std::uint8_t when = input.take<std::uint8_t>();
  auto pair = platform::make_socket_pair();
  if (pair.error != 0) return 0;
  if (when < 2) {
    const End end = certificates.end(when == 0 ? Role::server : Role::client, std::move(pair.first));
    fuzz_handshake(end, std::move(pair.second), input.take_bytes(size));
    return 0;
  }
  const End server = certificates.end(Role::server, std::move(pair.first));
  const End client = certificates.end(Role::client, std::move(pair.second));
  complete_handshake(server, client);
  fuzz_records(server, client, input);
  return 0;
}
