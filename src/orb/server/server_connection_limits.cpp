/// ServerConnection: time limits for idle connections and unread replies.
#include <array>

#include "base/catch_and_log.h"
#include "base/log.h"
#include "orb/bidirectional/accepted_offer.h"
#include "orb/bidirectional/split_channel.h"
#include "orb/core.h"
#include "orb/server/reply_time_limit.h"
#include "orb/server/server_connection.h"
#include "platform/socket.h"

namespace orbweaver::orb {

using transport::Deadline;

void ServerConnection::close_if_idle(std::int64_t now_ns, std::int64_t first_ns, std::int64_t idle_ns) {
  State state = State::idle;
  if (state_.compare_exchange_strong(state, State::seen_idle, std::memory_order_relaxed)) {
    idle_since_ns_ = now_ns;
    return;
  }
  if (state != State::fresh && state != State::seen_idle) return;
  const std::int64_t limit_ns = state == State::fresh ? first_ns : idle_ns;
  if (limit_ns == 0 || now_ns - idle_since_ns_ < limit_ns) return;
  const transport::ReceiveStatus* const receiving = channel_->capabilities().receive_status;
  if ((receiving != nullptr && receiving->has_partial_frame()) || share_.receiving())
    return;  // limited by -ORBTune message-timeout-ms
  if (awaits_deferred_replies()) return;
  if (offer_ != nullptr && offer_->is_taken()) return;  // the peer keeps it open for calls of its objects
  if (has_input()) return;                              // unread input: this end is late
  const auto line = [&] {
    return "connection from " + channel_->peer().address +
           " closed: " + (state == State::fresh ? "no request for " : "idle for ") +
           std::to_string((now_ns - idle_since_ns_) / 1'000'000) +
           (state == State::fresh ? " ms after the connect (-ORBTune handshake-timeout-ms)"
                                  : " ms (-ORBTune idle-timeout-ms)");
  };
  if (state == State::fresh)
    log::write_limited(log::Level::warn, "no request", log::origin(channel_->peer()), line);
  else
    log::info(line);
  close_orderly(Deadline{0});
}

void ServerConnection::close_if_rejected(std::int64_t now_ns, std::int64_t timeout_ns) {
  if (now_ns - idle_since_ns_ >= timeout_ns && !has_input()) close_orderly(Deadline{0});
}

void ServerConnection::close_if_reply_unread(std::int64_t now_ns, std::int64_t timeout_ns) {
  if (SplitChannel* const split = split_.load(std::memory_order_acquire)) {  // pairs with its release-store
    auto why = split->unread_reply(now_ns, timeout_ns);
    if (!why) why = split->blocked_reply(now_ns, timeout_ns);
    if (why) close_with_warning(*why);
    return;
  }
  const std::uint32_t send_sequence = this->send_sequence();
  if (timeout_ns == 0 || send_sequence % 2 == 0) return;
  if (send_sequence != seen_send_sequence_) {
    seen_send_sequence_ = send_sequence;
    reply_unsent_since_ns_ = now_ns;
    return;
  }
  const std::size_t bytes = replies_.reply_bytes();
  const std::int64_t allowed_ns = reply_time_limit_ns(bytes, timeout_ns);
  if (now_ns - reply_unsent_since_ns_ >= allowed_ns) close_with_warning(unread_reply_text(bytes, allowed_ns));
}

void ServerConnection::leave_behind() noexcept {
  catch_and_log("closing at shutdown", [&] {
    log::write_limited(log::Level::warn, "reply not read at shutdown", log::origin(channel_->peer()), [&] {
      return "connection closed at shutdown: client does not read its reply: " + channel_->peer().address;
    });
  });
  close();
}

bool ServerConnection::has_input() noexcept {
  const SplitChannel* const split = split_.load(std::memory_order_acquire);
  if (split != nullptr) return split->has_input();  // its ends have no descriptor
  if (!polls_descriptor_) return false;
  std::array<platform::PollItem, 1> item{{{readiness_->descriptor(), platform::kReadable, 0}}};
  return platform::poll(item, Deadline{0}) != 0;
}

}  // namespace orbweaver::orb
