#include "orb/fragmented_message.h"

#include "giop/fragment.h"

namespace orbweaver::orb {

cdr::OverflowHandler::Buffer FragmentedMessage::flush_buffer(std::size_t written,
                                                             const cdr::OutOfLineSegment& out_of_line) {
  giop::end_fragment(room_.first(written));
  if (out_of_line.bytes != 0)
    channel_.capabilities().gathering->attach_segment(
        out_of_line.at, {static_cast<const std::uint8_t*>(out_of_line.from), out_of_line.bytes});
  if (committed_ != nullptr) {
    committed_->store(committed_->load(std::memory_order_relaxed) + written, std::memory_order_release);
  }
  if (auto sent = channel_.commit(written, deadline_); !sent) {
    if (has_sent_ || sent.error().kind != ErrorKind::timed_out) return fail(sent.take_error());
    // Nothing was sent, or the channel is closed already.
    if (committed_ != nullptr)
      committed_->store(committed_->load(std::memory_order_relaxed) - written, std::memory_order_release);
    failure_ = std::make_unique<Error>(sent.take_error());
    return {};
  }
  has_sent_ = true;
  auto room = channel_.claim(room_.size(), deadline_);
  if (!room) return fail(room.take_error());
  room_ = *room;
  return {room_.data(), room_.size(), giop::begin_fragment(room_, request_id_)};
}

/// Closes the channel: the peer would read the next message as the rest of this one.
cdr::OverflowHandler::Buffer FragmentedMessage::fail(Error error) {
  failure_ = std::make_unique<Error>(std::move(error));
  channel_.close();
  return {};
}

}  // namespace orbweaver::orb
