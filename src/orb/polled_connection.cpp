#include "orb/polled_connection.h"

#include <system_error>

#include "base/contained.h"
#include "base/log.h"
#include "orb/core.h"
#include "platform/process_identity.h"
#include "platform/thread.h"

namespace orbweaver::orb {
namespace {

// Of one connection in a row, so that one that never pauses leaves the others their turns.
constexpr int kRequestsATurn = 16;
constexpr std::int64_t kPatienceMs = 1000;  // at the shutdown, with a client that does not take its reply

}  // namespace

PolledConnection::PolledConnection(Core& core, Reactor& reactor, std::unique_ptr<transport::Channel> channel,
                                   const char* transport, std::unique_ptr<ConnectionLimits::Admission> admission)
    : reactor_(reactor),
      connection_(core, std::move(channel), transport, std::move(admission), ServerConnection::Waits::no) {}

PolledConnection::~PolledConnection() {
  connection_.close();
  if (sender_.joinable()) sender_.join();
}

Source::After PolledConnection::turn() noexcept {
  After after = After::ended;
  contained("a connection is ended", [&] { after = serve_turn(); });
  return after;
}

Source::After PolledConnection::serve_turn() {
  if (sender_.joinable()) {
    if (!sent_.load(std::memory_order_acquire)) return After::parked;
    sender_.join();
    if (!connection_.sent_late()) return After::ended;
  }
  for (int i = 0; i < kRequestsATurn; ++i) {
    switch (connection_.serve_one()) {
      case ServerConnection::Served::request: break;
      case ServerConnection::Served::nothing:
        if (connection_.channel().arm()) return After::armed;
        break;
      case ServerConnection::Served::held: return After::parked;
      case ServerConnection::Served::late: return send_later();
      case ServerConnection::Served::ended: return After::ended;
    }
  }
  return After::again;
}

Source::After PolledConnection::send_later() noexcept {
  sent_.store(false, std::memory_order_relaxed);
  try {
    sender_ = std::thread([this] {
      platform::name_this_thread("ow-reply");
      contained("a late reply is lost", [this] { connection_.send_late(); });
      sent_.store(true, std::memory_order_release);
      reactor_.resume(*this);
    });
  } catch (const std::exception& e) {  // no thread, or no memory for one
    contained("a reply is lost", [&] {
      log::write_limited(log::Level::warn, "no thread for a reply", log::origin(connection_.channel().peer()), [&] {
        return std::string("a client that is slow to take its reply is left behind, for want of a thread: ") + e.what();
      });
    });
    return After::ended;
  }
  return After::parked;
}

void PolledConnection::give_up(platform::Deadline patience) noexcept {
  if (!sender_.joinable()) return;
  while (!sent_.load(std::memory_order_acquire) && !patience.passed()) platform::sleep_ms(1);
  if (sent_.load(std::memory_order_acquire)) {
    sender_.join();
    connection_.sent_late();  // which says goodbye
  } else {
    connection_.leave_behind();
  }
}

void PolledConnection::end_if_stuck() noexcept {
  const std::uint32_t now = connection_.sending();
  if (now % 2 == 0 || now != seen_sending_) {
    seen_sending_ = now;
    patience_ = platform::Deadline::in_ms(kPatienceMs);
  } else if (patience_.passed()) {
    patience_ = platform::Deadline::never();
    connection_.leave_behind();
  }
}

Source::After PolledEndpoint::turn() noexcept {
  auto channel = acceptor_->try_accept();
  if (!channel) return After::ended;
  if (*channel == nullptr) return After::armed;
  contained("a connection is turned away", [&] { serve(std::move(*channel)); });
  return After::again;  // others may wait, too
}

void PolledEndpoint::serve(std::unique_ptr<transport::Channel> channel) {
  auto admission = core_.limits().admit(transport_, channel->peer());
  if (admission == nullptr) return ServerConnection::turn_away(*channel);
  log::debug([&] { return std::string("accepted: ") + transport_.name() + " " + channel->peer().address; });
  auto connection = std::make_shared<PolledConnection>(core_, reactor_, std::move(channel), transport_.name(), std::move(admission));
  if (!reactor_.add(std::move(connection)) && !reactor_.stopping()) {
    log::warn("a connection was turned away: no descriptor to wait at");
  }
}

}  // namespace orbweaver::orb
