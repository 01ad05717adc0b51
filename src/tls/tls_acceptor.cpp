#include "tls/tls_acceptor.h"

#include <algorithm>
#include <cerrno>

#include "base/catch_and_log.h"
#include "base/log.h"
#include "tls/tls_channel.h"
#include "transport/network_peer.h"

namespace orbweaver::tls {

using transport::Channel;

namespace {

constexpr std::int64_t kOutOfDescriptorsPause_ms = 20;

}  // namespace

TlsAcceptor::TlsAcceptor(platform::Fd socket, Contexts& contexts, Settings settings, ContextPtr context,
                         const transport::ChannelOptions& options)
    : socket_(std::move(socket)), contexts_(contexts), settings_(std::move(settings)), options_(options),
      address_(platform::local_address(socket_).text()), context_(std::move(context)) {
  const auto watch = [this](const platform::Fd& fd, std::uint64_t tag) {
    if (!fd || !set_.fd() || set_.add(fd.get(), tag, platform::PollSet::Trigger::level) != 0)
      cannot_wait_ = true;
  };
  watch(socket_, kListener);
  watch(wake_.fd(), kClosing);
  watch(alarm_.fd(), kAlarm);
}

TlsAcceptor::~TlsAcceptor() { TlsAcceptor::close(); }

void TlsAcceptor::close() noexcept {
  closed_ = true;  // before the wake-up, after which accept checks it
  platform::shutdown_both(socket_);
  wake_.notify();
}

Result<std::unique_ptr<Channel>> TlsAcceptor::accept() noexcept {
  for (;;) {
    auto channel = progress(Deadline::never());
    if (!channel || *channel) return channel;
  }
}

Result<std::unique_ptr<Channel>> TlsAcceptor::try_accept() noexcept { return progress(Deadline{0}); }

Result<std::unique_ptr<Channel>> TlsAcceptor::progress(Deadline deadline) noexcept {
  if (cannot_wait_) return Error{ErrorKind::unavailable, address_ + ": no descriptors are left for polling"};
  std::uint64_t ready[16];
  const std::size_t count = closed_ ? 0 : set_.wait(ready, deadline);
  for (const std::uint64_t tag : std::span(ready).first(count)) {
    if (closed_) break;
    std::unique_ptr<Channel> channel;
    const bool completed = catch_and_log("tls: connection rejected", [&] {
      if (tag == kListener) {
        accept_socket();
      } else if (tag == kAlarm) {
        reject_expired();
      } else if (tag >= kFirst) {
        channel = continue_handshake(tag);
      }
    });
    if (!completed && tag >= kFirst) pending_.erase(tag);
    // Other ready sockets will be reported again.
    if (channel != nullptr) return channel;
  }
  if (closed_) return Error{ErrorKind::unavailable, "no longer listening on " + address_};
  return std::unique_ptr<Channel>();
}

void TlsAcceptor::accept_socket() {
  platform::SocketAddress address;
  platform::FdResult accepted = platform::accept_from(socket_, Deadline{0}, &address);
  if (!accepted) {
    const bool out_of_resources = accepted.error == EMFILE || accepted.error == ENFILE ||
                                  accepted.error == ENOBUFS || accepted.error == ENOMEM;
    // otherwise an error of that connection (peer closed, network failed): accept the next one
    if (!out_of_resources) return;
    // The connection stays in the backlog until a descriptor is free: the oldest pending handshake is
    // dropped, or one ends.
    if (!pending_.empty()) {
      reject(pending_.begin(), "out of descriptors: the oldest pending handshake is dropped");
    } else {
      platform::poll(wake_.fd(), platform::kReadable, Deadline::in_ms(kOutOfDescriptorsPause_ms));
    }
    return;
  }
  transport::Peer peer;
  peer.address = address.text();
  if (options_.admits && !options_.admits(peer)) return;  // logged there
  const std::string host = peer.address.substr(0, peer.address.rfind(':'));
  const auto of_host = [&](const auto& each) {
    return each.second.address.compare(0, each.second.address.rfind(':'), host) == 0;
  };
  if (const auto first = std::find_if(pending_.begin(), pending_.end(), of_host);
      std::count_if(first, pending_.end(), of_host) >= static_cast<std::ptrdiff_t>(kMaxPendingPerHost)) {
    reject(first, "too many pending handshakes from its host");
  }
  if (pending_.size() == kMaxPending) reject(pending_.begin(), "too many pending handshakes");
  platform::set_tcp_options(accepted.fd);
  Handshake pending;
  pending.from = address;
  pending.address = std::move(peer.address);
  if (auto newest = contexts_.get(settings_, Role::server)) {
    context_ = std::move(*newest);
  } else {
    log::write_limited(log::Level::warn, "certificate not renewed", address_, [&] {
      return "tls " + address_ + " keeps its current certificate: " + newest.error().message;
    });
  }
  auto session = Session::make(context_, Role::server, {});
  if (!session) {
    log::write_limited(log::Level::warn, "connection rejected", log::origin(pending.address), [&] {
      return "tls: " + pending.address + " is rejected: " + session.error().message;
    });
    return;
  }
  pending.session = std::move(*session);
  pending.until = Deadline::in_ms(settings_.handshake_ms);
  const std::uint64_t tag = last_tag_++;
  if (set_.add(accepted.fd.get(), tag, platform::PollSet::Trigger::level) != 0) return;
  pending.socket = std::move(accepted.fd);
  if (pending_.empty()) alarm_.set(pending.until);
  pending_.emplace(tag, std::move(pending));
}

std::unique_ptr<Channel> TlsAcceptor::continue_handshake(std::uint64_t tag) {
  const auto found = pending_.find(tag);
  if (found == pending_.end()) return nullptr;
  Handshake& pending = found->second;
  switch (pending.session->handshake(pending.socket)) {
    case Session::HandshakeState::done: break;
    case Session::HandshakeState::failed: return reject(found, pending.session->failure()), nullptr;
    case Session::HandshakeState::wants_input:
    case Session::HandshakeState::wants_room:
      const bool wants_room = !pending.session->sealed().empty();
      if (wants_room != pending.wants_room) {
        pending.wants_room = wants_room;
        set_.want(pending.socket.get(), tag, wants_room);
      }
      return nullptr;
  }
  transport::Peer peer = transport::network_peer(pending.socket, pending.from, platform::IpProtocol::tcp);
  peer.subject = pending.session->subject();
  peer.names = pending.session->alternative_names();
  set_.remove(pending.socket.get());
  auto channel = std::make_unique<TlsChannel>(std::move(pending.socket), std::move(pending.session), options_,
                                              std::move(peer));
  pending_.erase(found);
  return channel;
}

void TlsAcceptor::reject(PendingHandshakes::iterator pending, const std::string& why) {
  const auto line = [&] { return "tls: " + pending->second.address + " is rejected: " + why; };
  // A failed handshake is a warning for the administrator; a client that sent no TLS message is not.
  const bool no_handshake =
      pending->second.session->failure().empty() || pending->second.session->closed_silently();
  log::write_limited(no_handshake ? log::Level::info : log::Level::warn,
                     no_handshake ? "no handshake" : "handshake failed", log::origin(pending->second.address),
                     line);
  set_.remove(pending->second.socket.get());
  pending_.erase(pending);
}

void TlsAcceptor::reject_expired() {
  while (!pending_.empty() && pending_.begin()->second.until.passed()) {
    reject(pending_.begin(), "no handshake within " + std::to_string(settings_.handshake_ms) + " ms");
  }
  alarm_.set(pending_.empty() ? Deadline::never() : pending_.begin()->second.until);
}

}  // namespace orbweaver::tls
