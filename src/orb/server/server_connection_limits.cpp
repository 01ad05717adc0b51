/// ServerConnection: time limits for idle connections and unread replies.
#include <algorithm>
#include <array>

#include "base/catch_and_log.h"
#include "base/log.h"
#include "orb/server/server_connection.h"
#include "platform/socket.h"

namespace orbweaver::orb {

using transport::Deadline;

namespace {
constexpr std::int64_t kMaxTimesForSize = 4;
}

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
  if (has_input()) return;  // unread input: this end is late
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
  const std::uint32_t send_sequence = this->send_sequence();
  if (timeout_ns == 0 || send_sequence % 2 == 0) return;
  if (send_sequence != seen_send_sequence_) {
    seen_send_sequence_ = send_sequence;
    reply_unsent_since_ns_ = now_ns;
    return;
  }
  const std::size_t bytes = replies_.reply_bytes();
  // Limited: an unread reply holds the servant's results and a thread.
  const std::int64_t for_size_ns =
      static_cast<std::int64_t>(bytes) * (1'000'000'000 / std::int64_t{ReceiveBudget::kMinBytesPerSecond});
  const std::int64_t allowed_ns = timeout_ns + std::min(for_size_ns, kMaxTimesForSize * timeout_ns);
  if (now_ns - reply_unsent_since_ns_ < allowed_ns) return;
  close_with_warning("reply of up to " + std::to_string(bytes) + " bytes not read within " +
                     std::to_string(allowed_ns / 1'000'000) + " ms (-ORBTune reply-timeout-ms)");
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
  if (!polls_descriptor_) return false;
  std::array<platform::PollItem, 1> item{{{readiness_->descriptor(), platform::kReadable, 0}}};
  return platform::poll(item, Deadline{0}) != 0;
}

}  // namespace orbweaver::orb
