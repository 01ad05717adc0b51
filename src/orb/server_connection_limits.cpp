/// A server's connection: what ends it for its silence, and for replies that are not taken.
#include <algorithm>
#include <array>

#include "base/contained.h"
#include "base/log.h"
#include "orb/server_connection.h"
#include "platform/socket.h"

namespace orbweaver::orb {

using transport::Deadline;

namespace {
constexpr std::int64_t kMostTimesForSize = 4;
}

void ServerConnection::close_if_idle(std::int64_t now_ns, std::int64_t first_ns, std::int64_t idle_ns) {
  State state = State::idle;
  if (state_.compare_exchange_strong(state, State::seen_idle, std::memory_order_relaxed)) {
    idle_since_ns_ = now_ns;
    return;
  }
  if (state != State::fresh && state != State::seen_idle) return;
  const std::int64_t most_ns = state == State::fresh ? first_ns : idle_ns;
  if (most_ns == 0 || now_ns - idle_since_ns_ < most_ns) return;
  if (channel_->receiving() || share_.receiving()) return;  // that has a time limit of its own
  if (has_input()) return;                                  // it waits for a thread of this end's
  log::info([&] {
    return "the connection from " + channel_->peer().address + " is closed: nothing came for " +
           std::to_string((now_ns - idle_since_ns_) / 1'000'000) +
           (state == State::fresh ? " ms since it was made (-ORBHandshakeTimeout)" : " ms (-ORBIdleTimeout)");
  });
  close_in_order(Deadline{0});
}

void ServerConnection::close_if_denied(std::int64_t now_ns, std::int64_t patience_ns) {
  if (now_ns - idle_since_ns_ >= patience_ns && !has_input()) close_in_order(Deadline{0});
}

void ServerConnection::end_if_not_taken(std::int64_t now_ns, std::int64_t most_ns) {
  const std::uint32_t sending = this->sending();
  if (most_ns == 0 || sending % 2 == 0) return;
  if (sending != seen_sending_) {
    seen_sending_ = sending;
    sending_since_ns_ = now_ns;
    return;
  }
  const std::size_t bytes = sending_bytes_.load(std::memory_order_relaxed);
  // Bounded: what waits holds the servant's results and a thread, however large it is.
  const std::int64_t for_size_ns =
      static_cast<std::int64_t>(bytes) * (1'000'000'000 / std::int64_t{ReceiveBudget::kLeastBytesPerSecond});
  const std::int64_t allowed_ns = most_ns + std::min(for_size_ns, kMostTimesForSize * most_ns);
  if (now_ns - sending_since_ns_ < allowed_ns) return;
  end("a reply of up to " + std::to_string(bytes) + " bytes was not taken within " +
      std::to_string(allowed_ns / 1'000'000) + " ms (-ORBReplyTimeout)");
}

void ServerConnection::leave_behind() noexcept {
  contained("a client is left behind", [&] {
    log::write_limited(log::Level::warn, "reply not taken at the shutdown", log::origin(channel_->peer()), [&] {
      return "a client that does not take its reply is left behind: " + channel_->peer().address;
    });
  });
  close();
}

bool ServerConnection::has_input() noexcept {
  if (!looks_at_descriptor_) return false;
  std::array<platform::PollItem, 1> item{{{channel_->descriptor(), platform::kReadable, 0}}};
  return platform::poll(item, Deadline{0}) != 0;
}

}  // namespace orbweaver::orb
