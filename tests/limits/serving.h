#pragma once

#include <thread>

#include "orb/orb_impl.h"
#include "platform/thread.h"
#include "testing/broker.h"
#include "testing/raw_peer.h"

/// A server in one of the modes of -ORBThreads, and what it holds.
namespace orbtest {

class Serving {
 public:
  Serving(const std::string& mode, Options options) {
    options.insert(options.end(), {"-ORBThreads", mode});
    broker_ = std::make_unique<Broker>(options);
    reference_ = broker_->serve(servant);
    there_ = where(reference_);
    if (mode == "single") {
      runs_ = std::thread([this] {
        orbweaver::platform::name_this_thread(kRunningThread);
        broker_->orb->run();
      });
    }
  }
  ~Serving() {
    servant->gate.open();
    broker_->orb->shutdown(false);
    if (runs_.joinable()) runs_.join();
    broker_->destroy();
  }

  /// The name of the thread that serves in the mode `single`.
  static constexpr const char* kRunningThread = "test-runs";
  /// How the names of the threads that serve in that mode begin.
  static const char* serving_thread(const std::string& mode) {
    return mode == "connection" ? "ow-serve" : mode == "single" ? kRunningThread : "ow-pool";
  }

  const ServantRef servant = CORBA::make_reference<Servant>();
  const std::string& reference() const { return reference_; }
  Broker& broker() { return *broker_; }
  const Where& there() const { return there_; }
  RawPeer raw() const { return RawPeer::to(there_.port); }

  std::size_t connections() const { return core().limits().connections(); }
  std::size_t bytes_held() const { return core().receive_budget()->bytes(); }
  std::size_t served_bytes() const { return core().limits().service().request_bytes(); }
  std::size_t reply_bytes() const { return core().limits().service().reply_bytes(); }

 private:
  orbweaver::orb::Core& core() const { return *dynamic_cast<orbweaver::orb::OrbImpl&>(*broker_->orb).core(); }

  std::unique_ptr<Broker> broker_;
  std::string reference_;
  Where there_;
  std::thread runs_;
};

/// A CloseConnection, and then the end of the connection, is what the server says.
inline bool is_closed_in_order(RawPeer& peer) {
  const auto message = peer.receives();
  return message && (*message)[7] == static_cast<std::uint8_t>(orbweaver::giop::MessageType::close_connection) && peer.is_closed();
}

}  // namespace orbtest
