#pragma once

#include <gtest/gtest.h>
#include <orbweaver/orb.h>
#include <orbweaver/poa.h>
#include <orbweaver/services/event_service.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "CosEventChannelAdminS.h"
#include "platform/testing/becomes_true.h"

/// Suppliers and consumers of the tests of event channels. An event is a long.
namespace orbweaver::services::testing {

using platform::testing::becomes_true;

/// An ORB: its objects are remote for the other ORBs of the process.
class Orb {
 public:
  /// `preferred`: transports of its calls; empty: all.
  explicit Orb(const std::string& transport = "shm", const std::string& preferred = {}) {
    static std::atomic<int> count{0};
    std::vector<std::string> words = {"test", "-ORBListen", transport, "-ORBTune",
                                      "ring-bytes=65536,pool-bytes=1048576"};
    if (!preferred.empty()) words.insert(words.end(), {"-ORBTransportPreference", preferred});
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    int argc = static_cast<int>(words.size());
    orb = CORBA::ORB_init(argc, argv.data(), "events " + std::to_string(++count));
    root = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
    root->the_POAManager()->activate();
  }
  ~Orb() { destroy(); }
  void destroy() {
    root = nullptr;
    if (orb) orb->destroy();
    orb = nullptr;
  }
  /// An object of another ORB, for calls of this one.
  template <class Interface>
  typename IDL::traits<Interface>::ref_type to(Orb& other,
                                               const CORBA::object_reference<CORBA::Object>& object) {
    return IDL::traits<Interface>::narrow(orb->string_to_object(other.orb->object_to_string(object)));
  }
  /// Activates a servant and returns its object.
  template <class Interface, class Servant>
  typename IDL::traits<Interface>::ref_type serve(const CORBA::servant_reference<Servant>& servant) {
    return IDL::traits<Interface>::narrow(root->servant_to_reference(servant));
  }

  IDL::traits<CORBA::ORB>::ref_type orb;
  IDL::traits<PortableServer::POA>::ref_type root;
};

inline CORBA::Any event(std::int32_t number) {
  CORBA::Any any;
  any <<= number;
  return any;
}
inline std::int32_t number(const CORBA::Any& any) {
  std::int32_t value = -1;
  any >>= value;
  return value;
}

/// A gate at which calls wait until it is opened. The destructor opens it.
class Gate {
 public:
  ~Gate() { open(); }
  void open() { state_->open = true; }
  /// A function that waits at the gate, and may be called after the end of this object.
  std::function<void()> waiter() const {
    return [state = state_] {
      ++state->arrived;
      EXPECT_TRUE(becomes_true([&] { return state->open.load(); }));
    };
  }
  bool reached(int times = 1) const {
    return becomes_true([&] { return state_->arrived >= times; });
  }

 private:
  struct State {
    std::atomic<bool> open{false};
    std::atomic<int> arrived{0};
  };
  const std::shared_ptr<State> state_ = std::make_shared<State>();
};

/// The numbers of the events that a consumer has received.
class Received {
 public:
  void add(const CORBA::Any& any) {
    const std::lock_guard lock(mutex_);
    numbers_.push_back(number(any));
  }
  std::vector<std::int32_t> numbers() const {
    const std::lock_guard lock(mutex_);
    return numbers_;
  }
  /// Waits until exactly these have been received.
  bool become(const std::vector<std::int32_t>& expected) const {
    return becomes_true([&] { return numbers().size() >= expected.size(); }) && numbers() == expected;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::int32_t> numbers_;
};

class Consumer final : public virtual CORBA::servant_traits<CosEventComm::PushConsumer>::base_type {
 public:
  /// `on_push` is called before an event counts as received.
  explicit Consumer(std::function<void(std::int32_t)> on_push = nullptr) : on_push_(std::move(on_push)) {}
  void push(const CORBA::Any& data) override {
    ++calls;
    if (on_push_) on_push_(number(data));
    received.add(data);
  }
  void disconnect_push_consumer() override { ++disconnected; }

  Received received;
  std::atomic<int> calls{0};
  std::atomic<int> disconnected{0};

 private:
  const std::function<void(std::int32_t)> on_push_;
};

class PullConsumer final : public virtual CORBA::servant_traits<CosEventComm::PullConsumer>::base_type {
 public:
  void disconnect_pull_consumer() override { ++disconnected; }
  std::atomic<int> disconnected{0};
};

class Supplier final : public virtual CORBA::servant_traits<CosEventComm::PushSupplier>::base_type {
 public:
  void disconnect_push_supplier() override { ++disconnected; }
  std::atomic<int> disconnected{0};
};

/// Supplies the numbers 1 to `last`.
class PullSupplier final : public virtual CORBA::servant_traits<CosEventComm::PullSupplier>::base_type {
 public:
  explicit PullSupplier(std::int32_t last, std::function<void()> on_pull = nullptr)
      : last_(last), on_pull_(std::move(on_pull)) {}
  CORBA::Any pull() override { throw CORBA::NO_IMPLEMENT(); }
  CORBA::Any try_pull(bool& has_event) override {
    ++calls;
    if (on_pull_) on_pull_();
    has_event = given_ < last_;
    return has_event ? event(++given_) : CORBA::Any();
  }
  void disconnect_pull_supplier() override { ++disconnected; }

  std::atomic<int> calls{0};
  std::atomic<int> disconnected{0};

 private:
  const std::int32_t last_;
  const std::function<void()> on_pull_;
  std::atomic<std::int32_t> given_{0};
};

/// Options without time limits that a loaded machine could reach.
inline EventChannelOptions patient() {
  EventChannelOptions options;
  options.block_ms = options.call_timeout_ms = options.pull_wait_ms = 600'000;
  options.retry_ms = options.poll_ms = 1;
  return options;
}

/// An event channel in an ORB of its own, and its objects for another one.
class Channel {
 public:
  explicit Channel(const EventChannelOptions& options = patient(), const EventServiceLimits& limits = {})
      : service(host.root, limits), channel(service.create_channel(options)),
        object(client.to<CosEventChannelAdmin::EventChannel>(host, channel.reference())) {}

  auto push_supplier() { return object->for_consumers()->obtain_push_supplier(); }
  auto pull_supplier() { return object->for_consumers()->obtain_pull_supplier(); }
  auto push_consumer() { return object->for_suppliers()->obtain_push_consumer(); }
  auto pull_consumer() { return object->for_suppliers()->obtain_pull_consumer(); }

  /// Connects a consumer of the client's ORB.
  auto connect(const CORBA::servant_reference<Consumer>& consumer) {
    auto proxy = push_supplier();
    proxy->connect_push_consumer(client.serve<CosEventComm::PushConsumer>(consumer));
    return proxy;
  }
  auto connect(const CORBA::servant_reference<PullSupplier>& supplier) {
    auto proxy = pull_consumer();
    proxy->connect_pull_supplier(client.serve<CosEventComm::PullSupplier>(supplier));
    return proxy;
  }
  /// A connected push supplier, which is not told of its disconnection.
  auto connected_supplier() {
    auto proxy = push_consumer();
    proxy->connect_push_supplier(nullptr);
    return proxy;
  }
  auto connected_pull_consumer() {
    auto proxy = pull_supplier();
    proxy->connect_pull_consumer(nullptr);
    return proxy;
  }
  /// Pushes the events `first` to `last` in the host.
  void push(std::int32_t first, std::int32_t last) {
    for (std::int32_t i = first; i <= last; ++i) channel.push(event(i));
  }
  bool counts_become(const std::function<bool(const EventChannelCounts&)>& condition) {
    return becomes_true([&] { return condition(channel.counts()); });
  }

  Orb host, client;
  EventService service;
  EventChannel channel;
  IDL::traits<CosEventChannelAdmin::EventChannel>::ref_type object;
};

/// Number of threads of event services in this process.
inline int event_threads() {
  int threads = 0;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::string name;
    std::getline(std::ifstream(task.path() / "comm"), name);
    threads += name.rfind("ow-event", 0) == 0;
  }
  return threads;
}

/// Options with a queue of `events` events.
inline EventChannelOptions with_queue(std::size_t events, streams::WhenFull when_full) {
  EventChannelOptions options = patient();
  options.queue.packets = events;
  options.queue.when_full = when_full;
  return options;
}
inline EventChannelOptions with_failures(std::uint32_t max_failures) {
  EventChannelOptions options = patient();
  options.max_failures = max_failures;
  return options;
}

}  // namespace orbweaver::services::testing
