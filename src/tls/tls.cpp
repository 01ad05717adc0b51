#include "tls/tls.h"

#include "tls/tls_acceptor.h"
#include "tls/tls_channel.h"
#include "transport/tcp/address.h"
#include "transport/tcp/sockets.h"

namespace orbweaver::tls {
namespace {

using transport::Acceptor;
using transport::Channel;
using transport::ChannelOptions;
using transport::Parameters;

Result<Settings> settings_of(const ChannelOptions& options) {
  return read_settings(options.parameters ? *options.parameters : Parameters());
}

class Tls final : public transport::Transport {
 public:
  const char* name() const noexcept override { return "tls"; }
  const transport::TransportTraits& traits() const noexcept override {
    static constexpr transport::TransportTraits kTraits{.reach = transport::Reach::anywhere,
                                                        .secure = true,
                                                        .form = transport::EndpointForm::ssl,
                                                        .preference_rank = 30};
    return kTraits;
  }
  transport::Protection protection(const Parameters& parameters) const noexcept override try {
    const auto settings = read_settings(parameters);
    const Verify verify = settings ? settings->verify : Verify::required;
    return {verify != Verify::none, verify == Verify::required};
  } catch (const std::bad_alloc&) {
    return {true, true};
  }
  Result<void> check_address(const std::string& address) override {
    return transport::check_host_port(address, name());
  }

  Result<void> check(const Parameters& parameters) override {
    auto settings = read_settings(parameters);
    if (!settings) return settings.take_error();
    auto context = contexts_.get(*settings, Role::client);
    if (!context) return context.take_error();
    return {};
  }

  Result<std::unique_ptr<Acceptor>> listen(const std::string& address,
                                           const ChannelOptions& options) override {
    auto settings = settings_of(options);
    if (!settings) return settings.take_error();
    auto context = contexts_.get(*settings, Role::server);
    if (!context) return context.take_error();
    auto socket = transport::listen_tcp(name(), address);
    if (!socket) return socket.take_error();
    return std::unique_ptr<Acceptor>(std::make_unique<TlsAcceptor>(
        std::move(*socket), contexts_, std::move(*settings), std::move(*context), options));
  }

  Result<std::unique_ptr<Channel>> connect(const std::string& address, const ChannelOptions& options,
                                           Deadline deadline) override {
    auto settings = settings_of(options);
    if (!settings) return settings.take_error();
    auto context = contexts_.get(*settings, Role::client);
    if (!context) return context.take_error();
    const auto host_port = transport::parse_host_port(address, name());
    if (!host_port) return Error(host_port.error());
    std::string server;
    if (settings->verify != Verify::none)
      server = !settings->peer_name.empty() ? settings->peer_name
               : host_port->host.empty()    ? "localhost"
                                            : host_port->host;
    auto session = Session::make(std::move(*context), Role::client, server);
    if (!session) return session.take_error();
    auto socket = transport::connect_tcp(name(), address, deadline);
    if (!socket) return socket.take_error();
    return handshake(std::move(*socket), std::move(*session), address, options,
                     earlier(deadline, settings->handshake_ms));
  }

 private:
  static Deadline earlier(Deadline deadline, std::int64_t handshake_ms) noexcept {
    return {std::min(deadline.ns, Deadline::in_ms(handshake_ms).ns)};
  }

  static Result<std::unique_ptr<Channel>> handshake(platform::Fd socket, std::unique_ptr<Session> session,
                                                    const std::string& address, const ChannelOptions& options,
                                                    Deadline deadline) {
    // read first: not available after a reset
    const std::string server = platform::peer_address(socket).text();
    const std::string failed = "tls address '" + address + "': ";
    for (Session::HandshakeState state{};
         (state = session->handshake(socket)) != Session::HandshakeState::done;) {
      if (state == Session::HandshakeState::failed) {
        return Error{session->is_trust_failure() ? ErrorKind::permission_denied : ErrorKind::unavailable,
                     failed + session->failure()};
      }
      const unsigned events =
          state == Session::HandshakeState::wants_room ? platform::kWritable : platform::kReadable;
      if (platform::poll(socket, events, deadline) == 0) {
        return Error{ErrorKind::timed_out, failed + "its handshake did not end before the deadline"};
      }
    }
    transport::Peer peer;
    peer.address = server;
    peer.subject = session->subject();
    peer.names = session->alternative_names();
    return std::unique_ptr<Channel>(
        std::make_unique<TlsChannel>(std::move(socket), std::move(session), options, std::move(peer)));
  }

  Contexts contexts_;
};

}  // namespace

std::unique_ptr<transport::Transport> make_tls() { return std::make_unique<Tls>(); }

}  // namespace orbweaver::tls
