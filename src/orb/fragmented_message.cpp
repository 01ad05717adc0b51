#include "orb/fragmented_message.h"

#include "giop/fragment.h"

namespace orbweaver::orb {

cdr::Overflow::Room FragmentedMessage::pass(std::size_t written, const cdr::Apart& apart) {
  giop::end_fragment(room_.first(written));
  if (apart.bytes != 0) channel_.borrow(apart.at, {static_cast<const std::uint8_t*>(apart.from), apart.bytes});
  if (committed_ != nullptr) {
    committed_->store(committed_->load(std::memory_order_relaxed) + written, std::memory_order_release);
  }
  if (auto sent = channel_.commit(written, deadline_); !sent) {
    if (begun_ || sent.error().remedy != Remedy::wait) return fail(sent.take_error());
    // Nothing has left, or the channel is closed already.
    if (committed_ != nullptr) committed_->store(committed_->load(std::memory_order_relaxed) - written, std::memory_order_release);
    failure_ = std::make_unique<Error>(sent.take_error());
    return {};
  }
  begun_ = true;
  auto room = channel_.claim(room_.size(), deadline_);
  if (!room) return fail(room.take_error());
  room_ = *room;
  return {room_.data(), room_.size(), giop::begin_fragment(room_, request_id_)};
}

/// The peer would take whatever came next for the rest.
cdr::Overflow::Room FragmentedMessage::fail(Error error) {
  failure_ = std::make_unique<Error>(std::move(error));
  channel_.close();
  return {};
}

}  // namespace orbweaver::orb
