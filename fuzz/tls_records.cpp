// What a peer sends to an end of TLS. The first octet of the input says when: 0: instead of a client's handshake, 1:
// instead of a server's, else as records after a handshake, where every third is a real one that was tampered with.
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

/// An end of a connection over a socket pair.
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

/// False once the connection has ended, as a channel ends it: nothing is read any more.
bool feed(Session& session, Bytes bytes, const platform::Fd& socket) {
  std::vector<std::uint8_t> room(1024);
  while (!bytes.empty()) {
    const MutableBytes input = session.input();
    const std::size_t some = std::min(input.size(), bytes.size());
    if (some == 0) return false;
    std::copy_n(bytes.begin(), some, input.begin());
    bytes = bytes.subspan(some);
    session.arrived(some);
    for (;;) {
      std::size_t got = 0;
      const auto opened = session.open(room, got, socket);
      if (got > room.size()) std::abort();
      if (opened == Session::Opened::hungry) break;
      if (opened != Session::Opened::bytes) return false;
    }
  }
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Certificates certificates;
  fuzz::Input input(data, size);
  const std::uint8_t when = input.take<std::uint8_t>();
  auto pair = platform::make_socket_pair();
  if (pair.error != 0) return 0;
  if (when < 2) {
    const End end = certificates.end(when == 0 ? Role::server : Role::client, std::move(pair.here));
    const Bytes all = input.take_bytes(size);
    if (!all.empty()) platform::send(pair.there, all, platform::Block::no);
    platform::shutdown_sending(pair.there);
    while (end.session->shake_hands(end.socket) == Session::Shaken::wants_room) {
    }
    return 0;
  }
  const End server = certificates.end(Role::server, std::move(pair.here));
  const End client = certificates.end(Role::client, std::move(pair.there));
  for (auto there = Session::Shaken::wants_input, here = there;
       there != Session::Shaken::done || here != Session::Shaken::done;) {
    there = client.session->shake_hands(client.socket);
    here = server.session->shake_hands(server.socket);
    if (there == Session::Shaken::failed || here == Session::Shaken::failed) std::abort();
  }
  for (std::size_t step = 0; !input.empty(); ++step) {
    const Bytes bytes = input.take_bytes(1 + input.take<std::uint8_t>());
    if (bytes.empty()) break;
    if (step % 3 != 2) {
      if (!feed(*server.session, bytes, server.socket)) break;
      continue;
    }
    if (!client.session->seal(bytes)) break;
    std::vector<std::uint8_t> record(client.session->sealed().begin(), client.session->sealed().end());
    client.session->left(record.size(), client.socket);
    record[bytes[0] % record.size()] ^= static_cast<std::uint8_t>(bytes.size());
    if (!feed(*server.session, record, server.socket)) break;
  }
  return 0;
}
