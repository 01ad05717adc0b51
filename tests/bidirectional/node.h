#pragma once

#include <orbweaver/any.h>
#include <orbweaver/bidirpolicy.h>

#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "nodesS.h"
#include "orb/core.h"
#include "orb/reference/reference.h"
#include "testing/giop_builder.h"
#include "testing/test_orb.h"

namespace bidirtest {

using NodeRef = IDL::traits<BidirTest::Node>::ref_type;
using orbtest::Options;
using orbtest::PoaRef;
using orbtest::TestOrb;

/// A node of nodes.idl. Thread-safe.
class Node final : public virtual CORBA::servant_traits<BidirTest::Node>::base_type {
 public:
  orbtest::Gate gate;
  /// Returns a reference to this node.
  std::function<NodeRef()> self;
  /// Called by `twice`; empty: nothing.
  std::function<void()> in_twice;
  /// Called by `note`; empty: nothing.
  std::function<void()> in_note;

  void attach(NodeRef other) override {
    const std::lock_guard lock(mutex_);
    other_ = other;
  }
  void attach_any(const CORBA::Any& other) override {
    NodeRef node;
    if (!(other >>= node)) throw CORBA::BAD_PARAM();
    attach(node);
  }
  NodeRef attached() override {
    const std::lock_guard lock(mutex_);
    return other_;
  }

  std::int32_t twice(std::int32_t n) override {
    if (in_twice) in_twice();
    return 2 * n;
  }
  BidirTest::Octets echo(const BidirTest::Octets& data) override { return data; }
  void note(std::int32_t n) override {
    if (in_note) in_note();
    const std::lock_guard lock(mutex_);
    notes_.push_back(n);
  }
  BidirTest::Numbers notes() override {
    const std::lock_guard lock(mutex_);
    return notes_;
  }
  std::int32_t wait_at_gate(std::int32_t n) override {
    gate.pass(n);
    return n;
  }

  std::int32_t twice_there(std::int32_t n) override { return attached()->twice(n); }
  BidirTest::Octets echo_there(const BidirTest::Octets& data) override { return attached()->echo(data); }
  void note_there(std::int32_t n) override { attached()->note(n); }
  std::int32_t wait_there(std::int32_t n) override { return attached()->wait_at_gate(n); }
  std::int32_t descend(NodeRef caller, std::int32_t n) override {
    return n == 0 ? 0 : caller->descend(self(), n - 1) + 1;
  }

 private:
  std::mutex mutex_;
  NodeRef other_;
  BidirTest::Numbers notes_;
};
using NodeServant = CORBA::servant_reference<Node>;

/// A BidirectionalPolicy.
inline CORBA::object_reference<CORBA::Policy> bidirectional(
    TestOrb& broker, BiDirPolicy::BidirectionalPolicyValue value = BiDirPolicy::BOTH) {
  CORBA::Any any;
  any <<= value;
  return broker.orb->create_policy(BiDirPolicy::BIDIRECTIONAL_POLICY_TYPE, any);
}

/// Narrows without a call to the object.
inline NodeRef unchecked(const orbtest::ObjectRef& object) {
  return NodeRef::adopt(BidirTest::Node::_make(object->_reference()));
}

/// Whether the object is called over a connection that its process has opened. After a call.
inline bool is_called_back(const NodeRef& node) {
  const orbweaver::orb::CallScope scope;
  const orbweaver::Binding* const binding = node->_reference()->usable_binding();
  return binding != nullptr && binding->connection->is_opened_by_peer();
}

/// An ORB with one node, in a POA of its own.
struct NodeOrb {
  /// `value`: of the BidirectionalPolicy of the POA.
  NodeOrb(const Options& options, BiDirPolicy::BidirectionalPolicyValue value)
      : broker(options), poa(orbtest::make_poa(broker.root, "nodes", {bidirectional(broker, value)})) {
    node->self = [this] { return reference(); };
    poa->activate_object(node);
  }
  ~NodeOrb() { end(); }
  void end() {
    node->gate.open();
    node->attach(nullptr);
    poa = nullptr;
    if (run_thread_.joinable()) {
      broker.orb->shutdown(false);
      run_thread_.join();
    }
    broker.destroy();
  }
  /// Starts a thread in ORB::run, which serves the requests of an ORB with -ORBThreads single.
  void run() {
    run_thread_ = std::thread([this] { broker.orb->run(); });
  }
  NodeRef reference() { return IDL::traits<BidirTest::Node>::narrow(poa->servant_to_reference(node)); }
  std::string stringified() { return broker.orb->object_to_string(reference()); }
  /// The node of another ORB, called over connections of this one.
  NodeRef at(const std::string& reference) { return unchecked(broker.orb->string_to_object(reference)); }
  /// As `at`, over connections that are offered to the other ORB.
  NodeRef offering(const std::string& reference) {
    return unchecked(
        at(reference)->_set_policy_overrides({bidirectional(broker)}, CORBA::SetOverrideType::ADD_OVERRIDE));
  }

  const NodeServant node = CORBA::make_reference<Node>();
  TestOrb broker;
  PoaRef poa;

 private:
  std::thread run_thread_;
};

/// Options of a server that accepts offers, over TCP.
inline Options accepting(const std::string& which = "received", const Options& more = {}) {
  Options options{
      "-ORBListen",      "tcp",   "-ORBTransportPreference", "tcp", "-ORBAcceptBidirectional", which,
      "-ORBCallTimeout", "120000"};
  options.insert(options.end(), more.begin(), more.end());
  return options;
}
/// Options of a client that listens nowhere outside of its process.
inline Options listening_nowhere(const Options& more = {}) {
  Options options{"-ORBListen", "inproc", "-ORBTransportPreference", "tcp", "-ORBCallTimeout", "120000"};
  options.insert(options.end(), more.begin(), more.end());
  return options;
}

}  // namespace bidirtest
