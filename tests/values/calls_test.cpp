// Calls with values and abstract interfaces: collocated, over each kind of connection, in each version of
// GIOP and in fragments.
#include <gmock/gmock.h>
#include <orbweaver/any.h>
#include <orbweaver/poa.h>

#include <atomic>
#include <mutex>

#include "platform/testing/becomes_true.h"
#include "platform/testing/reserved_port.h"
#include "values.h"

namespace valuetest {
namespace {

using BaseRef = IDL::traits<Values::Base>::ref_type;
using ExchangeRef = IDL::traits<Values::Exchange>::ref_type;
using NamedRef = IDL::traits<Values::Named>::ref_type;
using SampleBoxRef = IDL::traits<Values::SampleBox>::ref_type;
using StringRef = IDL::traits<CORBA::StringValue>::ref_type;

class Device final : public virtual CORBA::servant_traits<Values::Device>::base_type {
 public:
  std::string called() override { return "device " + label_; }
  std::string label() override { return label_; }
  void label(const std::string& text) override { label_ = text; }
  void touch() override {}

 private:
  std::string label_ = "d";
};

class Exchange final : public virtual CORBA::servant_traits<Values::Exchange>::base_type {
 public:
  NodeRef echo(NodeRef n) override {
    const std::lock_guard lock(mutex_);
    echoed_ = n;
    return n;
  }
  void swap(NodeRef& a, NodeRef& b, Values::Nodes& both) override {
    std::swap(a, b);
    both = {a, b, a};
  }
  BaseRef truncated(BaseRef b) override {
    return IDL::traits<Values::Base>::make_reference(b->o(), b->d() + 1, b->caption());
  }
  IDL::traits<CORBA::ValueBase>::ref_type any_value(IDL::traits<CORBA::ValueBase>::ref_type v) override {
    return v;
  }
  StringRef text(StringRef s, IDL::traits<CORBA::WStringValue>::ref_type w, bool& same) override {
    same = w == nullptr;
    return CORBA::make_reference<CORBA::StringValue>(s->_value() + (same ? "!" : "?"));
  }
  Values::Pair pass_pair(const Values::Pair& p) override { return p; }
  Values::Either pass_either(const Values::Either& e) override { return e; }
  NamedRef pass_named(NamedRef n, bool& is_object) override {
    is_object = n != nullptr && n->_to_object() != nullptr;
    if (n == nullptr) return n;
    const std::string answer = n->called();  // a call, or a function of the value
    const std::lock_guard lock(mutex_);
    called_ = answer;
    return n;
  }
  IDL::traits<CORBA::AbstractBase>::ref_type pass_base(
      IDL::traits<CORBA::AbstractBase>::ref_type b) override {
    return b;
  }
  CORBA::Any pass(const CORBA::Any& a) override { return a; }
  void fail(NodeRef where) override { throw Values::Spent("out", where, where); }
  SampleBoxRef pass_samples(SampleBoxRef b, SampleBoxRef c, bool& shared) override {
    shared = b == c;
    return b;
  }
  IDL::traits<Values::Packed>::ref_type pass_packed(IDL::traits<Values::Packed>::ref_type p) override {
    return p;
  }
  void note(NodeRef n) override { noted_ += n->number(); }
  std::int32_t noted() override { return noted_; }

  std::string called() const {
    const std::lock_guard lock(mutex_);
    return called_;
  }

  /// The argument of the last echo().
  NodeRef take_echoed() {
    const std::lock_guard lock(mutex_);
    return std::exchange(echoed_, nullptr);
  }

 private:
  mutable std::mutex mutex_;
  NodeRef echoed_;
  std::string called_;
  std::atomic<std::int32_t> noted_{0};
};

struct Route {
  const char* name;
  std::vector<std::string> client;
  const char* giop;  // of a corbaloc; null: the reference itself
};
void PrintTo(const Route& route, std::ostream* out) { *out << route.name; }

struct ValueCalls : testing::TestWithParam<Route> {
  ValueCalls()
      : port(orbweaver::platform::testing::reserve_port()),
        server(make_orb(
            {"-ORBListen", "inproc,shm,unix,tcp:127.0.0.1:" + port, "-ORBTune", "fragment-bytes=1024"})) {
    const auto poa =
        IDL::traits<PortableServer::POA>::narrow(server->resolve_initial_references("CorbalocPOA"));
    poa->the_POAManager()->activate();
    const auto root = IDL::traits<PortableServer::POA>::narrow(server->resolve_initial_references("RootPOA"));
    root->the_POAManager()->activate();
    const auto id = PortableServer::string_to_ObjectId("exchange");
    poa->activate_object_with_id(id, servant);
    root->activate_object(device);
    std::string where = server->object_to_string(poa->id_to_reference(id));
    if (GetParam().giop != nullptr)
      where = std::string("corbaloc:iiop:") + GetParam().giop + "@127.0.0.1:" + port + "/exchange";
    client = GetParam().client.empty() ? server : make_orb(GetParam().client);
    there = IDL::traits<Values::Exchange>::narrow(client->string_to_object(where));
    device_reference = IDL::traits<Values::Device>::narrow(
        client->string_to_object(server->object_to_string(root->servant_to_reference(device))));
  }
  ~ValueCalls() override {
    there = nullptr;
    device_reference = nullptr;
    if (client != server) client->destroy();
    server->destroy();
  }

  AllFactories factories;
  CORBA::servant_reference<Exchange> servant = CORBA::make_reference<Exchange>();
  CORBA::servant_reference<Device> device = CORBA::make_reference<Device>();
  const std::string port;
  const CORBA::object_reference<CORBA::ORB> server;
  CORBA::object_reference<CORBA::ORB> client;
  ExchangeRef there;
  IDL::traits<Values::Device>::ref_type device_reference;
};

std::vector<std::string> prefer(const char* transport) {
  return {"-ORBListen", "inproc", "-ORBTransportPreference", transport};
}
std::vector<std::string> in_fragments() {
  return {"-ORBListen", "inproc", "-ORBTransportPreference", "unix", "-ORBTune", "fragment-bytes=1024"};
}
INSTANTIATE_TEST_SUITE_P(
    Over, ValueCalls,
    testing::Values(Route{"Collocated", {}, nullptr}, Route{"Shm", prefer("shm"), nullptr},
                    Route{"UnixInFragments", in_fragments(), nullptr}, Route{"Giop10", prefer("tcp"), "1.0"},
                    Route{"Giop11", prefer("tcp"), "1.1"}, Route{"Giop12", prefer("tcp"), "1.2"}),
    [](const auto& test) { return std::string(test.param.name); });

TEST_P(ValueCalls, PassACopyOfAGraph) {
  const NodeRef n = node(1, "one");
  n->next(n);
  for (int i = 0; i < 200; ++i)
    n->children().push_back(node(i, std::string(static_cast<std::size_t>(i), 'x')));
  n->children().push_back(n->children()[7]);
  const NodeRef back = there->echo(n);
  const NodeRef at_servant = servant->take_echoed();
  EXPECT_NE(at_servant, n);
  ASSERT_NE(back, nullptr);
  EXPECT_NE(back, at_servant);
  EXPECT_EQ(back->next(), back);
  ASSERT_EQ(back->children().size(), 201u);
  EXPECT_EQ(back->children()[199]->name().size(), 199u);
  EXPECT_EQ(back->children()[200], back->children()[7]);
  EXPECT_EQ(there->echo(nullptr), nullptr);
  for (const NodeRef& each : {n, back, at_servant}) each->next(nullptr);  // breaks the cycle
}

TEST_P(ValueCalls, ShareValuesAmongParameters) {
  NodeRef a = node(1, "a"), b = node(2, "b");
  Values::Nodes both;
  there->swap(a, b, both);
  EXPECT_EQ(a->number(), 2);
  EXPECT_EQ(b->number(), 1);
  EXPECT_EQ(both, (Values::Nodes{a, b, a}));
  const auto box = CORBA::make_reference<Values::SampleBox>(Values::Samples{1, 2, 3});
  bool shared = false;
  EXPECT_EQ(there->pass_samples(box, box, shared)->_value(), box->_value());
  EXPECT_TRUE(shared);
  there->pass_samples(box, CORBA::make_reference<Values::SampleBox>(), shared);
  EXPECT_FALSE(shared);
  const Values::Pair pair = there->pass_pair({a, a});
  EXPECT_NE(pair.left(), a);
  EXPECT_EQ(pair.left(), pair.right());
}

TEST_P(ValueCalls, PassDerivedAndBoxedValues) {
  const auto d = IDL::traits<Values::Derived>::make_reference(
      std::uint8_t{1}, 2.5, CORBA::make_reference<Values::Text>("t"), std::uint8_t{3}, 4.0L,
      Values::Samples{5.0}, node(6));
  const BaseRef back = there->truncated(BaseRef(d));
  EXPECT_EQ(back->d(), 3.5);
  EXPECT_EQ(back->caption()->_value(), "t");
  const auto same = Values::Derived::_downcast(there->any_value(d));
  ASSERT_NE(same, nullptr);
  EXPECT_EQ(same->first()->number(), 6);
  bool none = false;
  EXPECT_EQ(there->text(CORBA::make_reference<CORBA::StringValue>("s"), nullptr, none)->_value(), "s!");
  EXPECT_TRUE(none);
  const auto packed = CORBA::make_reference<PackedValue>();
  packed->values(Values::Samples(300, 0.5));
  if (GetParam().giop == nullptr || GetParam().giop != std::string("1.0")) {  // which has no wide characters
    EXPECT_EQ(there->pass_packed(packed)->values().size(), 300u);
    EXPECT_EQ(there
                  ->text(CORBA::make_reference<CORBA::StringValue>("s"),
                         CORBA::make_reference<CORBA::WStringValue>(L"w"), none)
                  ->_value(),
              "s?");
  }
}

TEST_P(ValueCalls, PassObjectsAndValuesAsAbstractInterfaces) {
  const auto gauge = CORBA::make_reference<GaugeValue>();
  gauge->caption("flow");
  bool is_object = true;
  NamedRef back = there->pass_named(gauge, is_object);
  EXPECT_FALSE(is_object);
  EXPECT_EQ(servant->called(), "gauge flow");
  ASSERT_NE(back, nullptr);
  EXPECT_NE(back, gauge);
  EXPECT_EQ(back->called(), "gauge flow");

  device_reference->label("x");
  back = there->pass_named(device_reference, is_object);
  EXPECT_TRUE(is_object);
  EXPECT_EQ(servant->called(), "device x");
  ASSERT_NE(back, nullptr);
  EXPECT_EQ(back->called(), "device x");
  const auto labelled = IDL::traits<Values::Labelled>::narrow(back);
  ASSERT_NE(labelled, nullptr);
  EXPECT_EQ(labelled->label(), "x");
  EXPECT_NE(IDL::traits<Values::Device>::narrow(back->_to_object()), nullptr);
  EXPECT_EQ(IDL::traits<Values::Exchange>::narrow(back->_to_object()), nullptr);

  EXPECT_EQ(there->pass_named(nullptr, is_object), nullptr);
  EXPECT_NE(there->pass_base(device_reference)->_to_object(), nullptr);
  EXPECT_NE(there->pass_base(gauge)->_to_value(), nullptr);
  Values::Either either;
  either.other(gauge);
  EXPECT_EQ(there->pass_either(either).other()->called(), "gauge flow");
  either.one(node(4));
  EXPECT_EQ(there->pass_either(either).one()->number(), 4);
}

TEST_P(ValueCalls, RaiseExceptionsWithValues) {
  try {
    there->fail(node(9, "nine"));
    ADD_FAILURE() << "nothing was raised";
  } catch (const Values::Spent& e) {
    EXPECT_EQ(e.where()->number(), 9);
    EXPECT_EQ(e.where()->name(), "nine");
    EXPECT_EQ(e.where(), e.whence());
  }
}

TEST_P(ValueCalls, PassValuesWithinAnys) {
  CORBA::Any any;
  const NodeRef n = node(1, "one");
  n->children({n, nullptr, node(2, "two")});
  any <<= n;
  const CORBA::Any back = there->pass(any);
  NodeRef out;
  ASSERT_TRUE(back >>= out);
  EXPECT_EQ(out->children()[0], out);
  EXPECT_EQ(out->children()[2]->name(), "two");
  for (const NodeRef& each : {n, out}) each->children({});
}

TEST_P(ValueCalls, SendOnewayRequests) {
  there->note(node(40));
  there->note(node(2));
  EXPECT_TRUE(orbweaver::platform::testing::becomes_true([&] { return there->noted() == 42; }));
}

TEST_P(ValueCalls, RaiseMarshalWithoutAFactory) {
  const NodeRef n = node(1);
  orbweaver::unregister_value_factory("IDL:Values/Node:1.0");
  try {
    there->echo(n);
    ADD_FAILURE() << "nothing was raised";
  } catch (const CORBA::MARSHAL& e) {
    EXPECT_EQ(e.minor(), 0x4f4d0001u) << e;
    EXPECT_THAT(e.what(), testing::HasSubstr("factory"));
  }
  EXPECT_EQ(there->echo(nullptr), nullptr);
}

}  // namespace
}  // namespace valuetest
