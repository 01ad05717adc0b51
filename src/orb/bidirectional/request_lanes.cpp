#include "orb/bidirectional/request_lanes.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "giop/request.h"

namespace orbweaver::orb {
namespace {

using giop::MessageType;

/// The memory of a frame in a queue.
std::size_t bytes_of(Bytes frame) noexcept { return frame.size() + RequestLanes::kBytesPerFrame; }

/// Whether the frame, the first one of a request or locate request of GIOP 1.2, has a caller that waits for
/// the end of its execution.
bool is_two_way(Bytes frame, const giop::MessageHeader& header) noexcept {
  constexpr std::size_t kFlags = giop::kHeaderBytes + 4;  // after the request id
  return header.type == MessageType::locate_request ||
         (frame.size() > kFlags && frame[kFlags] == giop::response::kWithTarget);
}

}  // namespace

RequestLanes::Lane& RequestLanes::add() { return lanes_.emplace_back(); }

void RequestLanes::remove(const Lane& lane) noexcept {
  const auto at =
      std::find_if(lanes_.begin(), lanes_.end(), [&](const Lane& each) { return &each == &lane; });
  if (at == lanes_.end()) return;
  for (const Frame& frame : at->frames_) bytes_ -= bytes_of(frame);
  lanes_.erase(at);
}

void RequestLanes::clear() noexcept {
  for (Lane& lane : lanes_) lane.frames_.clear();
  messages_.clear();
  bytes_ = 0;
}

std::size_t RequestLanes::idle() const noexcept {
  return static_cast<std::size_t>(std::count_if(
      lanes_.begin(), lanes_.end(), [](const Lane& lane) { return lane.waits && !lane.incomplete_; }));
}

bool RequestLanes::is_executing() const noexcept {
  return std::any_of(lanes_.begin(), lanes_.end(),
                     [](const Lane& lane) { return !lane.is_closing && (!lane.waits || lane.owes_replies); });
}

bool RequestLanes::executes(std::thread::id thread) const noexcept {
  return thread != std::thread::id() &&
         std::any_of(lanes_.begin(), lanes_.end(), [&](const Lane& lane) { return lane.thread == thread; });
}

/// The message that a lane may begin; the end: none.
std::deque<RequestLanes::Message>::const_iterator RequestLanes::next_message(
    std::thread::id caller) const noexcept {
  if (is_closing_) return messages_.end();
  const auto in_order = std::find_if(lanes_.begin(), lanes_.end(), [](const Lane& lane) {
    return lane.executes_ == Lane::Executes::in_order;
  });
  if (in_order == lanes_.end()) return messages_.begin();
  if (caller == std::thread::id() || in_order->thread != caller) return messages_.end();
  return std::find_if(messages_.begin(), messages_.end(),
                      [](const Message& message) { return message.is_two_way; });
}

/// Adds a part of a message that has begun to arrive. False if there is none with this id.
bool RequestLanes::put_part(Bytes frame, std::uint64_t id, bool is_last) {
  for (Lane& lane : lanes_) {
    if (lane.incomplete_ != id) continue;
    lane.frames_.emplace_back(frame.begin(), frame.end());
    if (is_last) lane.incomplete_.reset();
    return true;
  }
  const auto message = std::find_if(messages_.begin(), messages_.end(),
                                    [&](const Message& each) { return each.id == id && !each.is_complete; });
  if (message == messages_.end()) return false;
  message->frames.emplace_back(frame.begin(), frame.end());
  message->is_complete = is_last;
  return true;
}

/// Nothing follows a message that ends the connection, also no fragment: no lane waits for one any more.
void RequestLanes::end_incomplete() noexcept {
  for (Lane& lane : lanes_) lane.incomplete_.reset();
  for (Message& message : messages_) message.is_complete = true;
}

void RequestLanes::put(Bytes frame) {
  if (lanes_.empty()) return;  // all have ended
  giop::MessageHeader header;
  const bool is_valid = giop::read_header(frame, header);
  const bool has_id = is_valid && header.version >= giop::kGiop12 && frame.size() >= giop::kHeaderBytes + 4;
  const std::uint64_t id = has_id ? giop::request_id_of(frame, header) : kGiop11;
  if (has_id && header.type == MessageType::cancel_request) {
    if (put_part(frame, id, true)) bytes_ += bytes_of(frame);
    return;
  }
  bytes_ += bytes_of(frame);
  const bool has_parts = has_id || (is_valid && header.version == giop::kGiop11);
  if (has_parts && header.type == MessageType::fragment && put_part(frame, id, !header.more_fragments))
    return;
  const bool is_request = header.type == MessageType::request || header.type == MessageType::locate_request;
  if (!is_valid || header.type == MessageType::close_connection || header.type == MessageType::message_error)
    end_incomplete();
  const bool is_complete = !has_parts || !is_request || !header.more_fragments;
  messages_.push_back({id, has_id && is_request && is_two_way(frame, header), is_complete, {}});
  messages_.back().frames.emplace_back(frame.begin(), frame.end());
}

void RequestLanes::wake(bool all, std::thread::id caller) const {
  bool can_begin = next_message(caller) != messages_.end();
  for (const Lane& lane : lanes_) {
    if (!lane.waits || !lane.on_ready) continue;
    const bool begins = can_begin && lane.frames_.empty() && !lane.incomplete_;
    if (begins) can_begin = false;  // one lane begins the next message, and wakes the next
    if (all || begins || !lane.frames_.empty()) lane.on_ready();
  }
}

RequestLanes::Frame RequestLanes::take_frame(Lane& lane) {
  Frame frame = std::move(lane.frames_.front());
  lane.frames_.pop_front();
  bytes_ -= bytes_of(frame);
  return frame;
}

std::deque<RequestLanes::Message>::const_iterator RequestLanes::first_two_way() const noexcept {
  return std::find_if(messages_.begin(), messages_.end(),
                      [](const Message& each) { return each.is_two_way && each.is_complete; });
}

bool RequestLanes::wait_for_one_way() const noexcept {
  return !is_closing_ && !messages_.empty() && next_message({}) == messages_.end();
}

bool RequestLanes::has_two_way() const noexcept { return first_two_way() != messages_.end(); }

std::optional<RequestLanes::Frame> RequestLanes::take_two_way() {
  const auto message = first_two_way();
  if (message == messages_.end()) return std::nullopt;
  for (const Frame& frame : message->frames) bytes_ -= bytes_of(frame);
  Frame first = message->frames.front();
  messages_.erase(message);
  return first;
}

void RequestLanes::put_back(const Lane& lane, Bytes frame) {
  constexpr std::size_t kNeeded = giop::kHeaderBytes + 4;  // with the request id
  if (lane.executes_ != Lane::Executes::two_way || frame.size() < kNeeded) return;
  messages_.push_front({0, true, true, {}});
  messages_.front().frames.emplace_back(frame.begin(), frame.begin() + kNeeded);
  bytes_ += bytes_of(messages_.front().frames.front());
}

std::optional<RequestLanes::Frame> RequestLanes::take(Lane& lane, std::thread::id caller) {
  if (!lane.frames_.empty()) return take_frame(lane);
  if (lane.incomplete_) return std::nullopt;
  lane.executes_ = Lane::Executes::nothing;
  const auto next = next_message(caller);
  if (next == messages_.end()) return std::nullopt;
  const auto at = messages_.begin() + (next - messages_.cbegin());
  Message message = std::move(*at);
  messages_.erase(at);
  lane.executes_ = message.is_two_way ? Lane::Executes::two_way : Lane::Executes::in_order;
  if (!message.is_complete) lane.incomplete_ = message.id;
  lane.frames_.assign(std::make_move_iterator(message.frames.begin()),
                      std::make_move_iterator(message.frames.end()));
  return take_frame(lane);
}

}  // namespace orbweaver::orb
