#include "tls/tls_acceptor.h"

#include <algorithm>
#include <cerrno>

#include "base/contained.h"
#include "base/log.h"
#include "tls/tls_channel.h"

namespace orbweaver::tls {

using transport::Channel;

namespace {

constexpr std::int64_t kOutOfDescriptorsPause_ms = 20;

}  // namespace

TlsAcceptor::TlsAcceptor(platform::Fd socket, Contexts& contexts, Settings settings, ContextPtr context,
                         const transport::ChannelOptions& options)
    : socket_(std::move(socket)),
      contexts_(contexts),
      settings_(std::move(settings)),
      options_(options),
      address_(platform::local_address(socket_).text()),
      context_(std::move(context)) {
  const auto watch = [this](const platform::Fd& fd, std::uint64_t tag) {
    if (!fd || !set_.fd() || set_.add(fd.get(), tag, platform::PollSet::Report::always) != 0) cannot_wait_ = true;
  };
  watch(socket_, kListener);
  watch(wake_.fd(), kClosing);
  watch(alarm_.fd(), kAlarm);
}

TlsAcceptor::~TlsAcceptor() { TlsAcceptor::close(); }

void TlsAcceptor::close() noexcept {
  closed_ = true;  // before the wake-up, after which accept looks at it
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
  if (cannot_wait_) return Error{Remedy::give_up, address_ + ": no descriptors are left to wait with"};
  std::uint64_t ready[16];
  const std::size_t count = closed_ ? 0 : set_.wait(ready, deadline);
  for (const std::uint64_t tag : std::span(ready).first(count)) {
    if (closed_) break;
    std::unique_ptr<Channel> channel;
    const bool went_on = contained("tls: a peer is turned away", [&] {
      if (tag == kListener) {
        welcome();
      } else if (tag == kAlarm) {
        turn_away_late();
      } else if (tag >= kFirst) {
        channel = go_on(tag);
      }
    });
    if (!went_on && tag >= kFirst) pending_.erase(tag);
    // The others that are ready will be reported again.
    if (channel != nullptr) return channel;
  }
  if (closed_) return Error{Remedy::give_up, "no longer listening on " + address_};
  return std::unique_ptr<Channel>();
}

void TlsAcceptor::welcome() {
  platform::FdResult accepted = platform::accept_from(socket_, Deadline{0});
  if (!accepted) {
    const bool out_of_something = accepted.error == EMFILE || accepted.error == ENFILE || accepted.error == ENOBUFS ||
                                  accepted.error == ENOMEM;
    if (!out_of_something) return;  // that peer's trouble (it went, its network failed): the next one, please
    // The peer stays in the backlog: room for it is made by whoever has kept us waiting longest, or by time.
    if (!pending_.empty()) {
      turn_away(pending_.begin(), "no descriptors are left for those who keep us waiting");
    } else {
      platform::poll(wake_.fd(), platform::kReadable, Deadline::in_ms(kOutOfDescriptorsPause_ms));
    }
    return;
  }
  transport::Peer peer;
  peer.address = platform::peer_address(accepted.fd).text();
  if (options_.admits && !options_.admits(peer)) return;  // logged there
  const std::string host = peer.address.substr(0, peer.address.rfind(':'));
  const auto of_host = [&](const auto& each) {
    return each.second.address.compare(0, each.second.address.rfind(':'), host) == 0;
  };
  if (const auto first = std::find_if(pending_.begin(), pending_.end(), of_host);
      std::count_if(first, pending_.end(), of_host) >= static_cast<std::ptrdiff_t>(kMostOfOneHost)) {
    turn_away(first, "too many others of its host have come since, and it said nothing");
  }
  if (pending_.size() == kMostPending) turn_away(pending_.begin(), "too many others have come since, and it said nothing");
  platform::tune_tcp(accepted.fd);
  Pending one;
  one.address = std::move(peer.address);
  if (auto newest = contexts_.get(settings_, Role::server)) {
    context_ = std::move(*newest);
  } else {
    log::write_limited(log::Level::warn, "certificate not renewed", address_, [&] {
      return "tls " + address_ + " goes on with the certificate that it has: " + newest.error().message;
    });
  }
  auto session = Session::make(context_, Role::server, {});
  if (!session) {
    log::write_limited(log::Level::warn, "turned away", log::origin(one.address),
                       [&] { return "tls: " + one.address + " is turned away: " + session.error().message; });
    return;
  }
  one.session = std::move(*session);
  one.until = Deadline::in_ms(settings_.handshake_ms);
  const std::uint64_t tag = last_tag_++;
  if (set_.add(accepted.fd.get(), tag, platform::PollSet::Report::always) != 0) return;
  one.socket = std::move(accepted.fd);
  if (pending_.empty()) alarm_.set(one.until);
  pending_.emplace(tag, std::move(one));
}

std::unique_ptr<Channel> TlsAcceptor::go_on(std::uint64_t tag) {
  const auto found = pending_.find(tag);
  if (found == pending_.end()) return nullptr;
  Pending& one = found->second;
  switch (one.session->shake_hands(one.socket)) {
    case Session::Shaken::done: break;
    case Session::Shaken::failed: return turn_away(found, one.session->failure()), nullptr;
    case Session::Shaken::wants_input:
    case Session::Shaken::wants_room:
      const bool wants_room = !one.session->sealed().empty();
      if (wants_room != one.wants_room) {
        one.wants_room = wants_room;
        set_.want(one.socket.get(), tag, wants_room);
      }
      return nullptr;
  }
  transport::Peer peer;
  peer.address = one.address;
  peer.subject = one.session->subject();
  peer.names = one.session->alternative_names();
  set_.remove(one.socket.get());
  auto channel = std::make_unique<TlsChannel>(std::move(one.socket), std::move(one.session), options_, std::move(peer));
  pending_.erase(found);
  return channel;
}

void TlsAcceptor::turn_away(Everybody::iterator one, const std::string& why) {
  const auto line = [&] { return "tls: " + one->second.address + " is turned away: " + why; };
  // Who said something wrong may be waiting for an answer from whoever reads this; who said nothing is not.
  const bool said_nothing = one->second.session->failure().empty() || one->second.session->peer_just_went();
  log::write_limited(said_nothing ? log::Level::info : log::Level::warn,
                     said_nothing ? "no handshake" : "handshake failed", log::origin(one->second.address), line);
  set_.remove(one->second.socket.get());
  pending_.erase(one);
}

void TlsAcceptor::turn_away_late() {
  while (!pending_.empty() && pending_.begin()->second.until.passed()) {
    turn_away(pending_.begin(), "no handshake within " + std::to_string(settings_.handshake_ms) + " ms");
  }
  alarm_.set(pending_.empty() ? Deadline::never() : pending_.begin()->second.until);
}

}  // namespace orbweaver::tls
