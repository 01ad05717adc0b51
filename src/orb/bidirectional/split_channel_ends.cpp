#include "orb/bidirectional/split_channel_ends.h"

#include <new>
#include <utility>

namespace orbweaver::orb {

SplitChannel::End::End(std::shared_ptr<SplitChannel> split, Role role)
    : split_(std::move(split)), role_(role) {
  const transport::Capabilities& all = split_->channel_->capabilities();
  capabilities_.allows_fragments = all.allows_fragments;
  capabilities_.gathering = all.gathering;  // used between claim and commit only
  readiness_of_channel_ = all.readiness;
}

Result<MutableBytes> SplitChannel::End::claim(std::size_t bytes, Deadline deadline) noexcept {
  if (auto locked = split_->lock_to_send(role_, bytes, deadline); !locked) return locked.take_error();
  auto room = split_->channel_->claim(bytes, deadline);
  claimed_ = static_cast<bool>(room);
  if (!claimed_) split_->unlock_send(role_);
  return room;
}

Result<void> SplitChannel::End::commit(std::size_t bytes, Deadline deadline) noexcept {
  if (!std::exchange(claimed_, false)) return split_->closed();
  auto sent = split_->commit(role_, bytes, deadline);
  split_->unlock_send(role_);
  return sent;
}

void SplitChannel::End::abandon() noexcept {
  if (!std::exchange(claimed_, false)) return;
  split_->channel_->abandon();
  split_->unlock_send(role_);
}

Result<void> SplitChannel::End::send(Bytes frame, Deadline deadline) noexcept {
  if (auto locked = split_->lock_to_send(role_, frame.size(), deadline); !locked) return locked.take_error();
  auto sent = split_->send(role_, frame, deadline);
  split_->unlock_send(role_);
  return sent;
}

Result<Bytes> SplitChannel::End::receive(Deadline deadline) noexcept {
  try {
    auto frame = receive_frame(deadline);
    if (!frame) return frame.take_error();
    frame_ = std::move(*frame);
    return Bytes(frame_);
  } catch (const std::bad_alloc&) {
    split_->close();
    return Error{ErrorKind::disconnected, "no memory"};
  }
}

Result<MutableBytes> SplitChannel::ServerEnd::claim(std::size_t bytes, Deadline deadline) noexcept {
  if (bytes != giop::kHeaderBytes) return End::claim(bytes, deadline);
  claimed_control_ = true;
  return MutableBytes(control_);
}

/// CloseConnection is kept until `close`.
Result<void> SplitChannel::ServerEnd::commit(std::size_t bytes, Deadline deadline) noexcept {
  if (!std::exchange(claimed_control_, false)) return End::commit(bytes, deadline);
  constexpr std::size_t kType = 7;  // octet of the message header
  if (control_[kType] != static_cast<std::uint8_t>(giop::MessageType::close_connection))
    return send(control_, deadline);
  try {
    const std::lock_guard lock(split_->mutex_);
    lane_.close_message.assign(control_.begin(), control_.end());
    lane_.close_deadline = deadline;
    return {};
  } catch (const std::bad_alloc&) {
    return send(control_, deadline);
  }
}

void SplitChannel::ServerEnd::abandon() noexcept {
  if (!std::exchange(claimed_control_, false)) End::abandon();
}

void SplitChannel::ServerEnd::close() noexcept { split_->close_lane(lane_); }

}  // namespace orbweaver::orb
