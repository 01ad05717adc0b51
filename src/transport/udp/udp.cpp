#include <atomic>
#include <cerrno>

#include "base/catch_and_log.h"
#include "platform/udp_socket.h"
#include "transport/tcp/address.h"
#include "transport/udp/udp_channel.h"

/// The UDP transport over IPv4 and IPv6: resolving addresses, connecting and accepting.
namespace orbweaver::transport {
namespace {

using platform::Fd;
using platform::FdResult;
using platform::SocketAddress;
using udp::Settings;

std::unique_ptr<Channel> make_channel(udp::EstablishedConnection connection, const ChannelOptions& options,
                                      const Settings& settings) {
  return std::make_unique<udp::UdpChannel>(std::move(connection), options, settings);
}

Result<Settings> settings_of(const ChannelOptions& options) {
  return options.parameters == nullptr ? Settings() : Settings::of(*options.parameters);
}

class UdpAcceptor final : public Acceptor {
 public:
  UdpAcceptor(Fd socket, const ChannelOptions& options, const Settings& settings)
      : socket_(std::move(socket)), options_(options), settings_(settings),
        address_(platform::local_address(socket_).text()), handshake_(socket_) {}
  ~UdpAcceptor() override { UdpAcceptor::close(); }

  Result<std::unique_ptr<Channel>> accept() noexcept override {
    for (;;) {
      Result<std::unique_ptr<Channel>> client = take(platform::Blocking::yes);
      if (!client || *client != nullptr) return client;
    }
  }
  /// A connection needs two datagrams of the handshake: the first one makes the descriptor readable without a
  /// channel.
  Result<std::unique_ptr<Channel>> try_accept() noexcept override { return take(platform::Blocking::no); }
  int descriptor() noexcept override { return socket_.get(); }

  void close() noexcept override {
    closed_ = true;  // before the shutdown that wakes accept, which then checks it
    platform::shutdown_both(socket_);
  }

  const std::string& address() const noexcept override { return address_; }

 private:
  /// Answers one datagram; returns the channel of the connection that it completes, or null.
  Result<std::unique_ptr<Channel>> take(platform::Blocking block) noexcept {
    std::uint8_t room[64];
    SocketAddress from;
    const platform::IoResult got =
        closed_ ? platform::IoResult{} : platform::recv_from(socket_, room, from, block);
    if (closed_ || got.error == EBADF || got.error == ENOTSOCK) {
      return Error{ErrorKind::unavailable, "no longer listening on " + address_};
    }
    if (got.error != 0) return std::unique_ptr<Channel>();
    std::unique_ptr<Channel> channel;
    catch_and_log("udp client rejected", [&] {
      udp::EstablishedConnection client = handshake_.answer(Bytes(room, got.bytes), from);
      if (client.socket) channel = make_channel(std::move(client), options_, settings_);
    });
    return channel;
  }

  const Fd socket_;  // kept until the destructor: accept may still use the number
  const ChannelOptions options_;
  const Settings settings_;
  const std::string address_;
  udp::ServerHandshake handshake_;  // of the accepting thread
  std::atomic<bool> closed_{false};
};

/// "OWBU": vendor tag of Orbweaver's UDP addresses.
constexpr std::uint32_t kComponentTag = 0x4F574255;

class Udp final : public Transport {
 public:
  const char* name() const noexcept override { return "udp"; }
  const TransportTraits& traits() const noexcept override {
    static constexpr TransportTraits kTraits{.reach = Reach::anywhere,
                                             .reliable = false,
                                             .form = EndpointForm::tagged,
                                             .component_tag = kComponentTag};
    return kTraits;
  }
  Result<void> check_address(const std::string& address) override { return check_host_port(address, name()); }
  Result<void> check(const Parameters& parameters) override {
    Result<Settings> settings = Settings::of(parameters);
    if (!settings) return settings.take_error();
    return {};
  }

  Result<std::unique_ptr<Acceptor>> listen(const std::string& address,
                                           const ChannelOptions& options) override {
    Result<std::vector<SocketAddress>> found =
        resolve_host_port(address.empty() ? "127.0.0.1:0" : address, "udp", true);
    if (!found) return found.take_error();
    Result<Settings> settings = settings_of(options);
    if (!settings) return settings.take_error();
    int error = 0;
    for (const SocketAddress& candidate : *found) {
      FdResult socket = platform::bind_udp(candidate);
      if (socket)
        return std::unique_ptr<Acceptor>(
            std::make_unique<UdpAcceptor>(std::move(socket.fd), options, *settings));
      if (error == 0) error = socket.error;
    }
    return Error{error == EADDRNOTAVAIL ? ErrorKind::invalid : ErrorKind::unavailable,
                 "cannot listen on udp address '" + address + "': " + platform::error_text(error)};
  }

  Result<std::unique_ptr<Channel>> connect(const std::string& address, const ChannelOptions& options,
                                           Deadline deadline) override {
    Result<std::vector<SocketAddress>> found = resolve_host_port(address, "udp", false, deadline);
    if (!found) return found.take_error();
    Result<Settings> settings = settings_of(options);
    if (!settings) return settings.take_error();
    Error first{ErrorKind::transient, {}};
    for (const SocketAddress& candidate : *found) {
      Result<udp::EstablishedConnection> connection = udp::connect_handshake(candidate, deadline);
      if (connection) return make_channel(std::move(*connection), options, *settings);
      if (first.message.empty()) first = connection.take_error();
    }
    first.message = "cannot connect to udp address '" + address + "': " + first.message;
    return first;
  }
};

}  // namespace

Transport& udp_transport() {
  // never destroyed: a listener may still accept during static destruction
  static auto& transport = *new Udp;
  return transport;
}

}  // namespace orbweaver::transport
