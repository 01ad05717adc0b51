#pragma once

#include <thread>

#include "orb/orb_impl.h"
#include "platform/thread.h"
#include "testing/raw_peer.h"
#include "testing/test_orb.h"

namespace orbtest {

/// A server in one of the thread modes of -ORBThreads, with its counts of connections and bytes. In the mode
/// `single`, a thread of this object is in ORB::run.
class TestServer {
 public:
  TestServer(const std::string& mode, Options options) {
    options.insert(options.end(), {"-ORBThreads", mode});
    broker_ = std::make_unique<TestOrb>(options);
    reference_ = broker_->serve(servant);
    address_ = where(reference_);
    if (mode == "single") {
      run_thread_ = std::thread([this] {
        orbweaver::platform::name_this_thread(kRunningThread);
        broker_->orb->run();
      });
    }
  }
  ~TestServer() {
    servant->gate.open();
    broker_->orb->shutdown(false);
    if (run_thread_.joinable()) run_thread_.join();
    broker_->destroy();
  }

  /// The name of the thread that serves in the mode `single`.
  static constexpr const char* kRunningThread = "test-runs";
  /// The prefix of the names of the threads that serve in this mode.
  static const char* serving_thread(const std::string& mode) {
    return mode == "connection" ? "ow-serve" : mode == "single" ? kRunningThread : "ow-pool";
  }

  const ServantRef servant = CORBA::make_reference<Servant>();
  const std::string& reference() const { return reference_; }
  TestOrb& broker() { return *broker_; }
  const Where& address() const { return address_; }
  RawPeer raw() const { return RawPeer::to(address_.port); }

  orbweaver::orb::IncomingConnections& incoming() const { return core().endpoints().incoming(); }
  std::size_t connections() const { return incoming().connections(); }
  std::size_t bytes_held() const { return core().receive_budget()->bytes(); }
  std::size_t served_bytes() const { return core().endpoints().incoming().service_budget().request_bytes(); }
  std::size_t reply_bytes() const { return core().endpoints().incoming().service_budget().reply_bytes(); }

 private:
  orbweaver::orb::Core& core() const { return *dynamic_cast<orbweaver::orb::OrbImpl&>(*broker_->orb).core(); }

  std::unique_ptr<TestOrb> broker_;
  std::string reference_;
  Where address_;
  std::thread run_thread_;
};

/// Whether the server sends CloseConnection and closes the connection.
inline bool is_closed_in_order(RawPeer& peer) {
  const auto message = peer.receives();
  return message &&
         (*message)[7] == static_cast<std::uint8_t>(orbweaver::giop::MessageType::close_connection) &&
         peer.is_closed();
}

}  // namespace orbtest
