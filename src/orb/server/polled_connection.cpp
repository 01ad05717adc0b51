#include "orb/server/polled_connection.h"

#include <system_error>

#include "base/catch_and_log.h"
#include "base/log.h"
#include "orb/bidirectional/accept_connection.h"
#include "orb/core.h"
#include "platform/process_identity.h"
#include "platform/thread.h"

namespace orbweaver::orb {
namespace {

// Requests of one connection served in one turn, so that a busy connection does not starve the others.
constexpr int kMaxRequestsPerTurn = 16;
constexpr std::int64_t kPatienceMs = 1000;  // at shutdown, for a client that does not read its reply

}  // namespace

PolledConnection::PolledConnection(Core& core, Reactor& reactor, std::unique_ptr<transport::Channel> channel,
                                   const char* transport,
                                   std::unique_ptr<IncomingConnections::Admission> admission,
                                   Descriptor descriptor)
    : reactor_(reactor), descriptor_(descriptor),
      connection_(core, std::move(channel), transport, std::move(admission), ServerConnection::MayBlock::no,
                  this) {}

PolledConnection::~PolledConnection() {
  connection_.end();
  if (sender_.joinable()) sender_.join();
}

EventHandler::TurnResult PolledConnection::handle_event() noexcept {
  TurnResult after = TurnResult::remove;
  catch_and_log("connection closed", [&] { after = serve_turn(); });
  return after;
}

EventHandler::TurnResult PolledConnection::serve_turn() {
  if (sender_.joinable()) {
    if (!sent_.load(std::memory_order_acquire)) return TurnResult::parked;
    sender_.join();
    if (!connection_.finish_deferred_reply()) return TurnResult::remove;
  }
  for (int i = 0; i < kMaxRequestsPerTurn; ++i) {
    switch (connection_.serve_one()) {
      case ServerConnection::ServeResult::request: break;
      case ServerConnection::ServeResult::no_message:
        if (!has_descriptor()) return TurnResult::parked;
        if (connection_.readiness()->arm()) return TurnResult::wait;
        break;
      case ServerConnection::ServeResult::parked: return TurnResult::parked;
      case ServerConnection::ServeResult::reply_deferred: return send_later();
      case ServerConnection::ServeResult::detached: return TurnResult::detached;
      case ServerConnection::ServeResult::ended: return TurnResult::remove;
    }
  }
  return TurnResult::ready;
}

EventHandler::TurnResult PolledConnection::send_later() noexcept {
  sent_.store(false, std::memory_order_relaxed);
  try {
    sender_ = std::thread([this] {
      platform::name_this_thread("ow-reply");
      catch_and_log("deferred reply lost", [this] { connection_.send_deferred_reply(); });
      sent_.store(true, std::memory_order_release);
      reactor_.resume(*this);
    });
  } catch (const std::exception& e) {  // no thread, or no memory for it
    catch_and_log("reply lost", [&] {
      log::write_limited(
          log::Level::warn, "no thread for a reply", log::origin(connection_.channel().peer()), [&] {
            return std::string("connection closed: cannot start a thread for a deferred reply: ") + e.what();
          });
    });
    return TurnResult::remove;
  }
  return TurnResult::parked;
}

void PolledConnection::close_by(platform::Deadline deadline) noexcept {
  connection_.close_concurrent_by(deadline);
  if (!sender_.joinable()) return;
  while (!sent_.load(std::memory_order_acquire) && !deadline.passed()) platform::sleep_ms(1);
  if (sent_.load(std::memory_order_acquire)) {
    sender_.join();
    connection_.finish_deferred_reply();  // sends CloseConnection
  } else {
    connection_.leave_behind();
  }
}

void PolledConnection::end_if_stuck() noexcept {
  const std::uint32_t now = connection_.send_sequence();
  if (now % 2 == 0 || now != seen_send_sequence_) {
    seen_send_sequence_ = now;
    patience_ = platform::Deadline::in_ms(kPatienceMs);
  } else if (patience_.passed()) {
    patience_ = platform::Deadline::never();
    connection_.leave_behind();
  }
}

EventHandler::TurnResult PolledAcceptor::handle_event() noexcept {
  auto channel = acceptor_->try_accept();
  if (!channel) return TurnResult::remove;
  if (*channel == nullptr) return TurnResult::wait;
  catch_and_log("connection rejected", [&] { serve(std::move(*channel)); });
  return TurnResult::ready;  // further connections may be pending
}

void PolledAcceptor::serve(std::unique_ptr<transport::Channel> channel) {
  auto admission = core_.endpoints().incoming().admit(transport_, channel->peer());
  if (admission == nullptr) return ServerConnection::reject(*channel);
  log::debug([&] { return std::string("accepted: ") + transport_.name() + " " + channel->peer().address; });
  const bool added =
      can_split(core_, transport_, *channel, *admission)
          ? accept_polled_connection(core_, std::move(channel), transport_, std::move(admission))
          : reactor_.add(std::make_shared<PolledConnection>(core_, reactor_, std::move(channel),
                                                            transport_.name(), std::move(admission)));
  if (!added && !reactor_.closing()) {
    log::warn("connection rejected: cannot register its descriptor with the reactor");
  }
}

}  // namespace orbweaver::orb
