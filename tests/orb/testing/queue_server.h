#pragma once

#include <orbweaver/request_queue.h>

#include <string>
#include <thread>

#include "orb/core.h"
#include "orb/reference/reference.h"
#include "testing/test_orb.h"

namespace orbtest {

/// A server with two objects that have queues, `slow` and `fast`, and one without, `plain`.
struct QueueServer {
  static constexpr std::size_t kLimit = 3;  ///< Requests of one object.
  static constexpr std::size_t kBytes = std::size_t{8} << 20;

  QueueServer(const std::string& threads, const std::string& transport, Options options = {})
      : broker(with(std::move(options), {"-ORBThreads", threads, "-ORBListen", transport})),
        poa(make_poa(broker.root, "queued", {orbweaver::make_request_queue_policy(kLimit, kBytes)})) {
    poa->activate_object(slow);
    poa->activate_object(fast);
    slow_reference = broker.reference(poa, slow);
    fast_reference = broker.reference(poa, fast);
    plain_reference = broker.serve(plain);
    if (threads == "single") running_ = std::thread([orb = broker.orb] { orb->run(); });
  }
  ~QueueServer() {
    slow->gate.open();
    fast->gate.open();
    end();
  }
  /// Destroys the ORB.
  void end() {
    poa = nullptr;
    if (running_.joinable()) broker.orb->shutdown(false);
    if (running_.joinable()) running_.join();
    broker.destroy();
  }

  orbweaver::orb::EndpointRegistry& endpoints() {
    return broker.unchecked(plain_reference)->_reference()->core().endpoints();
  }

  const ServantRef slow = CORBA::make_reference<Servant>(), fast = CORBA::make_reference<Servant>(),
                   plain = CORBA::make_reference<Servant>();
  TestOrb broker;
  PoaRef poa;
  std::string slow_reference, fast_reference, plain_reference;

 private:
  static Options with(Options options, const Options& more) {
    options.insert(options.end(), more.begin(), more.end());
    return options;
  }

  std::thread running_;
};

}  // namespace orbtest
