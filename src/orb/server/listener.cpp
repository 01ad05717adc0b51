#include "orb/server/listener.h"

#include "base/catch_and_log.h"
#include "base/log.h"
#include "orb/bidirectional/accept_connection.h"
#include "orb/core.h"
#include "orb/minor_codes.h"
#include "orb/server/polled_connection.h"
#include "orb/system_exceptions.h"

namespace orbweaver::orb {

Listener::Listener(Core& core, transport::Transport& transport, std::unique_ptr<transport::Acceptor> acceptor)
    : core_(core), transport_(transport), acceptor_(std::move(acceptor)), connections_(core.options()) {}

Listener::~Listener() { stop_accepting(); }

void Listener::start() {
  if (Reactor* reactor = core_.reactor()) {
    if (reactor->add(std::make_shared<PolledAcceptor>(core_, *reactor, transport_, acceptor_))) return;
    throw CORBA::INITIALIZE(
        minor::kCannotListen, CORBA::CompletionStatus::COMPLETED_NO,
        std::string(transport_.name()) +
            ": endpoint without a descriptor; -ORBThreads single, pool:N and unordered:N need one");
  }
  acceptor_thread_ = std::thread([this] { accept_loop(); });
}

void Listener::accept_loop() {
  catch_and_log("setting up an acceptor thread",
                [this] { core_.options().set_up_thread(std::string("ow-accept-") + transport_.name()); });
  for (;;) {
    auto channel = acceptor_->accept();
    if (!channel) return;
    catch_and_log("connection rejected", [&] {
      connections_.reap();
      serve(std::move(*channel));
    });
  }
}

void Listener::serve(std::unique_ptr<transport::Channel> channel) {
  auto admission = core_.endpoints().incoming().admit(transport_, channel->peer());
  if (admission == nullptr) return ServerConnection::reject(*channel);
  const Peer peer = channel->peer();
  log::write_limited(log::Level::debug, "accepted", log::origin(peer),
                     [&] { return std::string("accepted: ") + transport_.name() + " " + peer.address; });
  auto connection =
      accept_connection(core_, std::move(channel), transport_, std::move(admission), connections_);
  const auto served = connections_.serve(connection, thread_name(transport_));
  if (served) return;
  ServerConnection::reject(connection->channel());
  log::write_limited(log::Level::warn, "connection rejected without a thread", log::origin(peer), [&] {
    return std::string("connection rejected: ") + transport_.name() + " " + peer.address + ": " +
           served.error().message +
           "; raise the limit of threads (ulimit -u, pids.max) or of memory (ulimit -v), or use "
           "-ORBThreads pool:N";
  });
}

void Listener::stop_accepting() {
  connections_.stop();
  acceptor_->close();
  if (acceptor_thread_.joinable()) acceptor_thread_.join();
}

}  // namespace orbweaver::orb
