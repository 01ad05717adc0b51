#include "testing/raw_peer.h"

#include "platform/resolver.h"
#include "platform/socket_address.h"

namespace orbtest {

namespace platform = orbweaver::platform;
using platform::Deadline;

RawPeer RawPeer::to(std::uint16_t port) {
  const auto address = platform::resolve_tcp("127.0.0.1", port, false).addresses.at(0);
  return RawPeer(std::move(platform::connect_to(address, Deadline::in_ms(120'000)).fd));
}

void RawPeer::sends(const Octets& bytes) {
  for (std::size_t sent = 0; sent < bytes.size();) {  // an interrupted call sends a part
    const auto part = platform::send(socket_, std::span(bytes).subspan(sent), platform::Blocking::yes);
    if (part.error != 0) return;
    sent += part.bytes;
  }
}

bool RawPeer::fill(std::size_t bytes) {
  while (buffer_.size() < bytes && !ended_ && socket_) {
    if (platform::poll(socket_, platform::kReadable, Deadline::in_ms(120'000)) == 0) return false;
    Octets part(65536);
    const auto got = platform::recv(socket_, part, platform::Blocking::yes);
    ended_ = got.error != 0 || got.bytes == 0;
    buffer_.insert(buffer_.end(), part.begin(), part.begin() + static_cast<std::ptrdiff_t>(got.bytes));
  }
  return buffer_.size() >= bytes;
}

void RawPeer::half_closes() {
  platform::shutdown_sending(socket_);
  awaits_acknowledgement();
}

void RawPeer::awaits_acknowledgement() {
  while (platform::unacknowledged_bytes(socket_) != 0) std::this_thread::yield();
}

std::optional<Octets> RawPeer::receives() {
  if (!fill(orbweaver::giop::kHeaderBytes)) return std::nullopt;
  const auto header = orbweaver::giop::parse_header(buffer_);
  if (!header || !fill(static_cast<std::size_t>(header->message_bytes()))) return std::nullopt;
  const auto end = buffer_.begin() + static_cast<std::ptrdiff_t>(header->message_bytes());
  const Octets message(buffer_.begin(), end);
  buffer_.erase(buffer_.begin(), end);
  return message;
}

bool RawPeer::is_closed() {
  while (receives()) {
  }
  return ended_;
}

RawServer::RawServer(std::function<void(RawPeer&)> serve)
    : listener_(
          std::move(platform::listen_on(platform::resolve_tcp("127.0.0.1", 0, true).addresses.at(0), 16).fd)),
      port_(platform::local_address(listener_).port()), thread_([this, serve = std::move(serve)] {
        for (;;) {
          auto accepted = platform::accept_from(listener_, Deadline::never());
          if (!accepted) return;
          RawPeer peer(std::move(accepted.fd));
          serve(peer);
        }
      }) {}

RawServer::~RawServer() {
  platform::shutdown_both(listener_);
  thread_.join();
}

}  // namespace orbtest
