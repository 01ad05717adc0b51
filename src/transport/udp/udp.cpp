#include <atomic>
#include <cerrno>

#include "base/contained.h"
#include "platform/datagram.h"
#include "transport/tcp/address.h"
#include "transport/udp/udp_channel.h"

/// UDP over IPv4 and IPv6: finding addresses, connecting and accepting.
namespace orbweaver::transport {
namespace {

using platform::Fd;
using platform::FdResult;
using datagram::Settings;
using platform::SocketAddress;

Result<std::vector<SocketAddress>> resolve(const std::string& address, bool to_listen) {
  const Result<HostPort> wanted = parse_host_port(address, "udp");
  if (!wanted) return Error(wanted.error());
  platform::Resolved found = platform::resolve_tcp(wanted->host, wanted->port, to_listen);
  if (found.addresses.empty()) {
    return Error{found.temporary ? Remedy::retry : Remedy::mend,
                 "host '" + wanted->host + "' of udp address '" + address + "': " + found.problem};
  }
  return std::move(found.addresses);
}

std::unique_ptr<Channel> make_channel(datagram::Greeted greeted, const ChannelOptions& options, const Settings& settings) {
  return std::make_unique<datagram::UdpChannel>(std::move(greeted), options, settings);
}

Result<Settings> settings_of(const ChannelOptions& options) {
  return options.parameters == nullptr ? Settings() : Settings::of(*options.parameters);
}

class UdpAcceptor final : public Acceptor {
 public:
  UdpAcceptor(Fd socket, const ChannelOptions& options, const Settings& settings)
      : socket_(std::move(socket)),
        options_(options),
        settings_(settings),
        address_(platform::local_address(socket_).text()),
        door_(socket_) {}
  ~UdpAcceptor() override { UdpAcceptor::close(); }

  Result<std::unique_ptr<Channel>> accept() noexcept override {
    for (;;) {
      Result<std::unique_ptr<Channel>> guest = take(platform::Block::yes);
      if (!guest || *guest != nullptr) return guest;
    }
  }
  /// A peer becomes one by its second datagram: the first may make the descriptor readable for nobody.
  Result<std::unique_ptr<Channel>> try_accept() noexcept override { return take(platform::Block::no); }
  int descriptor() noexcept override { return socket_.get(); }

  void close() noexcept override {
    closed_ = true;  // before the shutdown that wakes accept, which then looks at it
    platform::shutdown_both(socket_);
  }

  const std::string& address() const noexcept override { return address_; }

 private:
  /// Answers one datagram; the channel of a peer that has become known by it, or null.
  Result<std::unique_ptr<Channel>> take(platform::Block block) noexcept {
    std::uint8_t room[64];
    SocketAddress from;
    const platform::IoResult got = closed_ ? platform::IoResult{} : platform::recv_from(socket_, room, from, block);
    if (closed_ || got.error == EBADF || got.error == ENOTSOCK) {
      return Error{Remedy::give_up, "no longer listening on " + address_};
    }
    if (got.error != 0) return std::unique_ptr<Channel>();
    std::unique_ptr<Channel> channel;
    contained("a udp client is turned away", [&] {
      datagram::Greeted guest = door_.answer(Bytes(room, got.bytes), from);
      if (guest.socket) channel = make_channel(std::move(guest), options_, settings_);
    });
    return channel;
  }

  const Fd socket_;  // kept until the destructor: accept may still be using the number
  const ChannelOptions options_;
  const Settings settings_;
  const std::string address_;
  datagram::Door door_;  // accept's
  std::atomic<bool> closed_{false};
};

class Udp final : public Transport {
 public:
  const char* name() const noexcept override { return "udp"; }
  Reach reach() const noexcept override { return Reach::anywhere; }
  Result<void> check_address(const std::string& address) noexcept override { return check_host_port(address, name()); }
  bool reliable() const noexcept override { return false; }
  Result<void> check(const Parameters& parameters) noexcept override {
    Result<Settings> settings = Settings::of(parameters);
    if (!settings) return settings.take_error();
    return {};
  }

  Result<std::unique_ptr<Acceptor>> listen(const std::string& address,
                                           const ChannelOptions& options) noexcept override {
    Result<std::vector<SocketAddress>> found = resolve(address.empty() ? "127.0.0.1:0" : address, true);
    if (!found) return found.take_error();
    Result<Settings> settings = settings_of(options);
    if (!settings) return settings.take_error();
    int error = 0;
    for (const SocketAddress& candidate : *found) {
      FdResult socket = platform::bind_datagrams(candidate);
      if (socket) return std::unique_ptr<Acceptor>(std::make_unique<UdpAcceptor>(std::move(socket.fd), options, *settings));
      if (error == 0) error = socket.error;
    }
    return Error{error == EADDRNOTAVAIL ? Remedy::mend : Remedy::give_up,
                 "cannot listen on udp address '" + address + "': " + platform::error_text(error)};
  }

  Result<std::unique_ptr<Channel>> connect(const std::string& address, const ChannelOptions& options,
                                           Deadline deadline) noexcept override {
    Result<std::vector<SocketAddress>> found = resolve(address, false);
    if (!found) return found.take_error();
    Result<Settings> settings = settings_of(options);
    if (!settings) return settings.take_error();
    Error first{Remedy::retry, {}};
    for (const SocketAddress& candidate : *found) {
      Result<datagram::Greeted> greeted = datagram::greet(candidate, deadline);
      if (greeted) return make_channel(std::move(*greeted), options, *settings);
      if (first.message.empty()) first = greeted.take_error();
    }
    first.message = "cannot connect to udp address '" + address + "': " + first.message;
    return first;
  }
};

}  // namespace

Transport& udp() {
  static auto& transport = *new Udp;  // never destroyed: a listener may still accept while the program ends
  return transport;
}

}  // namespace orbweaver::transport
