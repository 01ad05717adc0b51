// Values and abstract interfaces, to and from another ORB: this program calls an exchange of the server
// program that the environment variable INTEROP_VALUES_SERVER names, by default that of omniORB. The server
// calls an exchange of this program.
#include <gtest/gtest.h>
#include <orbweaver/any.h>
#include <orbweaver/dynamic_any.h>
#include <orbweaver/orb.h>
#include <orbweaver/poa.h>

#include <cstdlib>
#include <map>
#include <mutex>
#include <type_traits>

#include "server.h"
#include "valuesS.h"

namespace interop {
namespace {

using NodeRef = IDL::traits<Interop::Node>::ref_type;
using BaseRef = IDL::traits<Interop::Base>::ref_type;
using NamedRef = IDL::traits<Interop::Named>::ref_type;
using ExchangeRef = IDL::traits<Interop::Exchange>::ref_type;

/// A node whose private members the test sees.
class Node final : public virtual OBV::Interop::Node {
 public:
  using OBV::Interop::Node::children;
};
NodeRef node(std::int32_t number, const std::string& name) {
  NodeRef made = CORBA::make_reference<Node>();
  made->number(number);
  made->name(name);
  return made;
}
std::vector<NodeRef>& children_of(const NodeRef& of) { return dynamic_cast<Node&>(*of).children(); }

class Tag final : public virtual OBV::Interop::Tag {
 public:
  std::string called() override { return "tag " + name(); }
};

/// The nodes that have been received; any thread.
struct Received {
  std::mutex mutex;
  std::vector<NodeRef> nodes;

  /// Breaks their cycles.
  void drop() {
    const std::lock_guard lock(mutex);
    for (const NodeRef& each : nodes) {
      each->next(nullptr);
      children_of(each).clear();
    }
    nodes.clear();
  }
} received;

template <class Made>
class FactoryOf final : public CORBA::ValueFactoryBase {
  IDL::traits<CORBA::ValueBase>::ref_type create_for_unmarshal() override {
    const auto made = CORBA::make_reference<Made>();
    if constexpr (std::is_same_v<Made, Node>) {
      const std::lock_guard lock(received.mutex);
      received.nodes.push_back(made);
    }
    return made;
  }
};

void describe(const NodeRef& n, std::map<const Interop::Node*, std::size_t>& seen, std::string& out) {
  if (n == nullptr) {
    out += "-";
    return;
  }
  const auto [at, fresh] = seen.insert({n.get(), seen.size()});
  if (!fresh) {
    out += "#" + std::to_string(at->second);
    return;
  }
  out += std::to_string(n->number()) + n->name() + "(";
  describe(n->next(), seen, out);
  for (const NodeRef& each : children_of(n)) {
    out += ",";
    describe(each, seen, out);
  }
  out += ")";
}
std::string described(const NodeRef& n, const NodeRef& m = nullptr) {
  std::map<const Interop::Node*, std::size_t> seen;
  std::string out;
  describe(n, seen, out);
  out += "|";
  describe(m, seen, out);
  return out;
}

class Device final : public virtual CORBA::servant_traits<Interop::Device>::base_type {
 public:
  std::string called() override { return "device of Orbweaver"; }
};

class Exchange final : public virtual CORBA::servant_traits<Interop::Exchange>::base_type {
 public:
  NodeRef pass_node(NodeRef n) override { return n; }
  std::string describe(NodeRef n, NodeRef m) override { return described(n, m); }
  void swap(NodeRef& a, NodeRef& b) override { std::swap(a, b); }
  BaseRef pass_base(BaseRef b) override { return b; }
  NodeRef last_of(BaseRef b, NodeRef n) override {
    truncated = Interop::Derived::_downcast(b) != nullptr;
    return n;
  }
  IDL::traits<CORBA::ValueBase>::ref_type pass_value(IDL::traits<CORBA::ValueBase>::ref_type v) override {
    return v;
  }
  IDL::traits<Interop::SampleBox>::ref_type pass_samples(IDL::traits<Interop::SampleBox>::ref_type a,
                                                         IDL::traits<Interop::SampleBox>::ref_type b,
                                                         bool& shared) override {
    shared = a == b;
    return a;
  }
  IDL::traits<CORBA::StringValue>::ref_type pass_string(
      IDL::traits<CORBA::StringValue>::ref_type s) override {
    return s;
  }
  IDL::traits<CORBA::WStringValue>::ref_type pass_wstring(
      IDL::traits<CORBA::WStringValue>::ref_type s) override {
    return s;
  }
  NamedRef pass_named(NamedRef n, std::string& called) override {
    called = n == nullptr ? "nil" : n->called();
    return n;
  }
  IDL::traits<Interop::Device>::ref_type make_device() override {
    device = CORBA::make_reference<Device>();
    return device->_this();
  }
  CORBA::Any pass_any(const CORBA::Any& a) override { return a; }
  void fail(NodeRef n) override { throw Interop::Spent("out", n); }
  std::string check(ExchangeRef) override { return "not called"; }

  CORBA::servant_reference<Device> device;
  bool truncated = false;
};

std::string server_program() {
  const char* const named = std::getenv("INTEROP_VALUES_SERVER");
  return named != nullptr ? named : sibling_program("interop-omniorb-values");
}

/// Whether the server sends values that can be truncated. GlassFish's ORB sends no base types of a value.
bool server_sends_truncatable_values() { return server_program().find("glassfish") == std::string::npos; }

class ForeignValues : public ::testing::Test {
 protected:
  ForeignValues() {
    std::vector<std::string> words{"values", "-ORBListen", "tcp:127.0.0.1:0", "-ORBTransportPreference",
                                   "tcp"};
    for (const std::string& each : options_from_environment()) words.push_back(each);
    std::vector<char*> arguments;
    for (std::string& each : words) arguments.push_back(each.data());
    int count = static_cast<int>(arguments.size());
    orb_ = CORBA::ORB_init(count, arguments.data());
    orb_->register_value_factory("IDL:Interop/Node:1.0", CORBA::make_reference<FactoryOf<Node>>());
    orb_->register_value_factory("IDL:Interop/Tag:1.0", CORBA::make_reference<FactoryOf<Tag>>());
    orbweaver::accept_cyclic_values(true);
    orbweaver::register_value_factory<Interop::Base>();
    orbweaver::register_value_factory<Interop::Derived>();
    there_ = IDL::traits<Interop::Exchange>::narrow(orb_->string_to_object(server_.ior()));
  }
  ~ForeignValues() override {
    there_ = nullptr;
    orb_->destroy();
    received.drop();
  }

  Server server_{server_program()};
  IDL::traits<CORBA::ORB>::ref_type orb_;
  ExchangeRef there_;
};

NodeRef graph() {
  const NodeRef a = node(1, "a"), b = node(2, "b");
  children_of(a) = {b, b, nullptr};
  for (int i = 0; i < 60; ++i)
    children_of(a).push_back(node(i, std::string(static_cast<std::size_t>(i), 'x')));
  b->next(a);
  return a;
}

TEST_F(ForeignValues, ReturnsGraphsAsTheyWere) {
  const NodeRef a = graph(), b = children_of(a)[0];
  EXPECT_EQ(there_->describe(a, b), described(a, b));
  const NodeRef back = there_->pass_node(a);
  EXPECT_EQ(described(back), described(a));
  EXPECT_EQ(there_->pass_node(nullptr), nullptr);
  NodeRef first = a, second = b;
  there_->swap(first, second);
  EXPECT_EQ(described(first, second), described(b, a));
  for (const NodeRef& each : {a, back, second}) children_of(each).clear();
}

IDL::traits<Interop::Derived>::ref_type derived(const NodeRef& first,
                                                const IDL::traits<Interop::Text>::ref_type& caption) {
  return IDL::traits<Interop::Derived>::make_reference(std::uint8_t{1}, 2.5, caption, first, std::uint8_t{3},
                                                       Interop::Samples(3000, 0.5));
}

TEST_F(ForeignValues, ReturnsDerivedValues) {
  const NodeRef a = node(1, "a");
  const auto d = derived(a, nullptr);
  const auto same = Interop::Derived::_downcast(there_->pass_base(d));
  ASSERT_NE(same, nullptr);
  EXPECT_EQ(same->caption(), nullptr);
  EXPECT_EQ(same->samples_().size(), 3000u);
  EXPECT_EQ(described(same->first()), described(a));
  EXPECT_NE(Interop::Derived::_downcast(there_->pass_value(d)), nullptr);
}

TEST_F(ForeignValues, ReturnsDerivedValuesWithBoxes) {
  const auto d = derived(node(1, "a"), CORBA::make_reference<Interop::Text>("caption"));
  const auto same = Interop::Derived::_downcast(there_->pass_base(d));
  ASSERT_NE(same, nullptr);
  EXPECT_EQ(same->caption()->_value(), "caption");
}

TEST_F(ForeignValues, ReturnsTruncatedValues) {
  const auto unknown = IDL::traits<Interop::Unknown>::make_reference(
      std::uint8_t{1}, 2.5, nullptr, node(1, "a"), std::uint8_t{3}, Interop::Samples{}, "more", nullptr);
  const BaseRef truncated = there_->pass_base(unknown);
  EXPECT_EQ(Interop::Unknown::_downcast(truncated), nullptr);
  EXPECT_NE(Interop::Derived::_downcast(truncated), nullptr);
}

TEST_F(ForeignValues, ReturnsBoxes) {
  const auto box = CORBA::make_reference<Interop::SampleBox>(Interop::Samples{1, 2.5});
  bool shared = false;
  EXPECT_EQ(there_->pass_samples(box, box, shared)->_value(), box->_value());
  EXPECT_TRUE(shared);
  EXPECT_EQ(there_->pass_string(CORBA::make_reference<CORBA::StringValue>("word"))->_value(), "word");
  EXPECT_EQ(there_->pass_string(nullptr), nullptr);
  EXPECT_EQ(there_->pass_wstring(CORBA::make_reference<CORBA::WStringValue>(L"\u20ac"))->_value(), L"\u20ac");
}

TEST_F(ForeignValues, ReturnsAbstractInterfaces) {
  std::string called;
  const auto tag = CORBA::make_reference<Tag>();
  tag->name("x");
  NamedRef back = there_->pass_named(tag, called);
  EXPECT_EQ(called, "tag x");
  EXPECT_EQ(back->called(), "tag x");
  back = there_->pass_named(there_->make_device(), called);
  EXPECT_EQ(called, "device of the server");
  EXPECT_EQ(back->called(), called);
  EXPECT_EQ(there_->pass_named(nullptr, called), nullptr);
}

TEST_F(ForeignValues, ReturnsAnysAndExceptions) {
  const NodeRef a = graph();
  CORBA::Any any;
  any <<= a;
  NodeRef back;
  ASSERT_TRUE(there_->pass_any(any) >>= back);
  EXPECT_EQ(described(back), described(a));
  try {
    there_->fail(a);
    ADD_FAILURE() << "nothing was raised";
  } catch (const Interop::Spent& e) {
    EXPECT_EQ(described(e.where()), described(a));
    children_of(e.where()).clear();
  }
  for (const NodeRef& each : {a, back}) children_of(each).clear();
}

TEST_F(ForeignValues, ReturnsValuesOfDynAnys) {
  const auto factory =
      IDL::traits<DynamicAny::DynAnyFactory>::narrow(orb_->resolve_initial_references("DynAnyFactory"));
  const NodeRef a = graph();
  CORBA::Any any;
  any <<= a;
  const auto sent = factory->create_dyn_any(any);
  sent->insert_long(7);
  sent->seek(3);
  const auto shared = sent->current_component()->current_component();  // both of the first two children
  shared->seek(1);
  shared->insert_string("changed");
  const CORBA::Any returned = there_->pass_any(sent->to_any());
  EXPECT_TRUE(factory->create_dyn_any(returned)->equal(sent));
  NodeRef back;
  ASSERT_TRUE(returned >>= back);
  a->number(7);
  children_of(a)[1]->name("changed");
  EXPECT_EQ(described(back), described(a));
  for (const NodeRef& each : {a, back}) children_of(each).clear();
}

TEST_F(ForeignValues, CallsWithValuesOfItsOwn) {
  const auto poa = IDL::traits<PortableServer::POA>::narrow(orb_->resolve_initial_references("RootPOA"));
  poa->the_POAManager()->activate();
  const auto servant = CORBA::make_reference<Exchange>();
  EXPECT_EQ(there_->check(servant->_this()), "");
  EXPECT_EQ(servant->truncated, server_sends_truncatable_values()) << "Unknown has not become Derived";
}

}  // namespace
}  // namespace interop
