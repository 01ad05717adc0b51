/// A server's connection: how replies leave.
#include "orb/core.h"
#include "orb/server_connection.h"
#include "orb/thread_pool.h"

namespace orbweaver::orb {

using transport::Deadline;

namespace {
// With a client that takes a small reply only in part, where others wait to be served.
constexpr int kPatienceMs = 1000;
}  // namespace

/// `whole`: the bytes of the reply, which its servant's results hold until it is sent, of which room for `bytes` is
/// wanted.
Result<MutableBytes> ServerConnection::claim_for(std::size_t whole, std::size_t bytes) {
  sending_bytes_.store(bytes, std::memory_order_relaxed);
  service_.begin_reply(whole);
  mark_sending();
  auto room = batch_ ? batch_->claim(bytes, Deadline::never()) : channel_->claim(bytes, Deadline::never());
  mark_sending();
  if (!room) service_.end_reply();
  return room;
}

Result<MutableBytes> ServerConnection::claim_reply(std::size_t bytes) {
  if (waits_ == Waits::yes) [[likely]]
    return claim_for(bytes, bytes);
  sending_bytes_.store(bytes, std::memory_order_relaxed);
  auto room = channel_->claim(bytes, Deadline{0});
  if (room || room.error().remedy != Remedy::wait) return room;
  late_.resize(bytes);
  return MutableBytes(late_);
}

Result<MutableBytes> ServerConnection::claim_fragment(std::size_t bytes, std::uint32_t request_id,
                                                      cdr::Overflow*& overflow) {
  if (bytes > core_.options().max_message_bytes) return claim_reply(bytes);  // which says so
  auto room = waits_ == Waits::yes ? claim_for(bytes, fragment_bytes_) : claim_reply(fragment_bytes_);
  if (!room) return room;
  if (!late_.empty()) {  // the client takes nothing at present: the reply is put aside as a whole
    sending_bytes_.store(bytes, std::memory_order_relaxed);
    late_.resize(bytes);
    return MutableBytes(late_);
  }
  if (waits_ == Waits::no) service_.begin_reply(bytes);  // its servant's results wait with it
  *room = room->first(fragment_bytes_);
  fragments_.emplace(*channel_, *room, request_id, Deadline::never());
  overflow = this;
  return room;
}

cdr::Overflow::Room ServerConnection::pass(std::size_t written, const cdr::Apart& apart) {
  service_.continue_reply();
  const ThreadPool::Away away;  // a pool serves others meanwhile
  if (!away.replaced()) fragments_->wait_until(Deadline::in_ms(kPatienceMs));
  mark_sending();
  const Room next = fragments_->pass(written, apart);
  mark_sending();
  if (fragments_->failure() != nullptr) channel_->close();  // also where nothing of the reply has left
  return next;
}

Result<void> ServerConnection::commit_reply(std::size_t bytes) {
  if (fragments_) [[unlikely]]
    fragments_.reset();
  if (waits_ == Waits::yes) [[likely]] {
    service_.continue_reply();
    mark_sending();
    auto sent = batch_ ? batch_->queue(bytes) : channel_->commit(bytes, Deadline::never());
    mark_sending();
    service_.end_reply();
    return sent;
  }
  if (late_.empty() && channel_->commits_at_once(bytes)) {
    auto sent = channel_->commit(bytes, Deadline::in_ms(kPatienceMs));
    service_.end_reply();  // of one in fragments
    if (!sent && sent.error().remedy == Remedy::wait) {
      end("it took part of a reply, and not the rest within " + std::to_string(kPatienceMs) + " ms");
    }
    return sent;
  }
  service_.begin_reply(bytes);
  late_bytes_ = bytes;
  return {};
}

void ServerConnection::abandon_reply() noexcept {
  service_.end_reply();
  if (fragments_) [[unlikely]] {
    // Nothing takes back what has left of a reply: the client would wait for the rest.
    if (fragments_->begun()) channel_->close();
    fragments_.reset();
  }
  if (batch_) {
    batch_->abandon();
  } else if (late_.empty()) {
    channel_->abandon();
  } else {
    late_ = {};
  }
}

void ServerConnection::send_late() {
  mark_sending();
  const auto sent = late_.empty() ? channel_->commit(late_bytes_, Deadline::never())
                                  : send(Bytes(late_).first(late_bytes_), Deadline::never());
  mark_sending();
  late_lost_ = !sent;
}

bool ServerConnection::sent_late() {
  late_bytes_ = 0;
  late_ = {};
  service_.end_reply();
  return !late_lost_ && still_open();
}

}  // namespace orbweaver::orb
