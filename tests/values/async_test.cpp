// Asynchronous calls with values, and servants that answer them later.
#include <gmock/gmock.h>
#include <orbweaver/future.h>
#include <orbweaver/poa.h>

#include <future>
#include <thread>

#include "values.h"

namespace valuetest {
namespace {

using ::testing::ElementsAre;
using ExchangeRef = IDL::traits<Values::Exchange>::ref_type;
using Excep = CORBA::object_reference<Messaging::ExceptionHolder>;
using orbweaver::Response;

/// Answers at the end of its functions, and `echo` when the test says so.
class LaterExchange final : public virtual CORBA::amh_traits<Values::Exchange>::base_type {
 public:
  std::promise<Response<NodeRef>> held;

  void echo(Response<NodeRef> response, NodeRef n) override {
    if (n != nullptr && n->number() == 99) return held.set_value(response);
    response.reply(n);
  }
  void swap(Response<NodeRef, NodeRef, Values::Nodes> response, NodeRef a, NodeRef b) override {
    response.reply(b, a, {b, a, b});
  }
  void truncated(Response<IDL::traits<Values::Base>::ref_type> response,
                 IDL::traits<Values::Base>::ref_type b) override {
    response.reply(b);
  }
  void any_value(Response<IDL::traits<CORBA::ValueBase>::ref_type> response,
                 IDL::traits<CORBA::ValueBase>::ref_type v) override {
    response.reply(v);
  }
  void text(Response<IDL::traits<CORBA::StringValue>::ref_type, bool> response,
            IDL::traits<CORBA::StringValue>::ref_type s,
            IDL::traits<CORBA::WStringValue>::ref_type w) override {
    response.reply(s, w == nullptr);
  }
  void pass_pair(Response<Values::Pair> response, const Values::Pair& p) override { response.reply(p); }
  void pass_either(Response<Values::Either> response, const Values::Either& e) override { response.reply(e); }
  void pass_named(Response<IDL::traits<Values::Named>::ref_type, bool> response,
                  IDL::traits<Values::Named>::ref_type n) override {
    response.reply(n, n->_to_object() != nullptr);
  }
  void pass_base(Response<IDL::traits<CORBA::AbstractBase>::ref_type> response,
                 IDL::traits<CORBA::AbstractBase>::ref_type b) override {
    response.reply(b);
  }
  void pass(Response<CORBA::Any> response, const CORBA::Any& a) override { response.reply(a); }
  void fail(Response<> response, NodeRef where) override {
    response.raise(Values::Spent("out", where, where));
  }
  void pass_samples(Response<IDL::traits<Values::SampleBox>::ref_type, bool> response,
                    IDL::traits<Values::SampleBox>::ref_type b,
                    IDL::traits<Values::SampleBox>::ref_type c) override {
    response.reply(b, b == c);
  }
  void pass_packed(Response<IDL::traits<Values::Packed>::ref_type> response,
                   IDL::traits<Values::Packed>::ref_type p) override {
    response.reply(p);
  }
  void note(NodeRef) override {}
  void noted(Response<std::int32_t> response) override { response.reply(0); }
};

class Handler final : public virtual CORBA::amic_traits<Values::Exchange>::replyhandler_base_type {
 public:
  std::promise<std::tuple<NodeRef, NodeRef, Values::Nodes>> swapped;
  std::promise<std::string> failed;

  void swap(NodeRef a, NodeRef b, const Values::Nodes& both) override { swapped.set_value({a, b, both}); }
  void swap_excep(Excep) override {}
  void fail() override {}
  void fail_excep(Excep holder) override {
    try {
      holder->raise_exception();
    } catch (const Values::Spent& e) {
      failed.set_value(e.where()->name() + (e.where() == e.whence() ? " twice" : ""));
    }
  }
  void echo(NodeRef) override {}
  void echo_excep(Excep) override {}
  void truncated(IDL::traits<Values::Base>::ref_type) override {}
  void truncated_excep(Excep) override {}
  void any_value(IDL::traits<CORBA::ValueBase>::ref_type) override {}
  void any_value_excep(Excep) override {}
  void text(IDL::traits<CORBA::StringValue>::ref_type, bool) override {}
  void text_excep(Excep) override {}
  void pass_pair(const Values::Pair&) override {}
  void pass_pair_excep(Excep) override {}
  void pass_either(const Values::Either&) override {}
  void pass_either_excep(Excep) override {}
  void pass_named(IDL::traits<Values::Named>::ref_type, bool) override {}
  void pass_named_excep(Excep) override {}
  void pass_base(IDL::traits<CORBA::AbstractBase>::ref_type) override {}
  void pass_base_excep(Excep) override {}
  void pass(const CORBA::Any&) override {}
  void pass_excep(Excep) override {}
  void pass_samples(IDL::traits<Values::SampleBox>::ref_type, bool) override {}
  void pass_samples_excep(Excep) override {}
  void pass_packed(IDL::traits<Values::Packed>::ref_type) override {}
  void pass_packed_excep(Excep) override {}
  void noted(std::int32_t) override {}
  void noted_excep(Excep) override {}
};

/// The parameter is the transport, or "inproc": client and servant have one ORB.
class AsyncValues : public ::testing::TestWithParam<const char*> {
 protected:
  AsyncValues() {
    if (std::string(GetParam()) != "inproc")
      client = make_orb({"-ORBListen", "inproc", "-ORBTransportPreference", GetParam()});
    const auto root = IDL::traits<PortableServer::POA>::narrow(server->resolve_initial_references("RootPOA"));
    root->the_POAManager()->activate();
    root->activate_object(servant);
    exchange = IDL::traits<Values::Exchange>::narrow(
        client->string_to_object(server->object_to_string(root->servant_to_reference(servant))));
  }
  ~AsyncValues() override {
    exchange = nullptr;
    if (client != server) client->destroy();
    server->destroy();
  }

  AllFactories factories;
  const IDL::traits<CORBA::ORB>::ref_type server = make_orb({"-ORBListen", "inproc,shm,tcp"});
  IDL::traits<CORBA::ORB>::ref_type client = server;
  const CORBA::servant_reference<LaterExchange> servant = CORBA::make_reference<LaterExchange>();
  ExchangeRef exchange;
};

TEST_P(AsyncValues, KeepSharingInArgumentsAndResults) {
  const NodeRef a = node(1, "a"), b = node(2, "b");
  const auto [first, second, both] = exchange->async_swap(a, b).get();
  EXPECT_EQ(first->name(), "b");
  EXPECT_EQ(second->name(), "a");
  EXPECT_THAT(both, ElementsAre(first, second, first));
  const auto [box, shared] = [&] {
    const auto samples = CORBA::make_reference<Values::SampleBox>(Values::Samples{1, 2});
    return exchange->async_pass_samples(samples, samples).get();
  }();
  EXPECT_TRUE(shared);
  EXPECT_THAT(box->_value(), ElementsAre(1, 2));
}

TEST_P(AsyncValues, AreEncodedBeforeTheFunctionReturns) {
  const NodeRef held = node(99, "as sent");
  auto future = exchange->async_echo(held);
  held->name("changed");
  auto response = servant->held.get_future().get();
  const NodeRef answer = node(3, "answer");
  answer->next(answer);
  std::thread([&] { response.reply(answer); }).join();
  const NodeRef received = future.get();
  EXPECT_EQ(received->name(), "answer");
  EXPECT_EQ(received->next(), received);
  received->next(nullptr);
  answer->next(nullptr);
}

TEST_P(AsyncValues, ReachReplyHandlers) {
  const auto handler = CORBA::make_reference<Handler>();
  exchange->sendc_swap(handler, node(1, "a"), nullptr);
  const auto [first, second, both] = handler->swapped.get_future().get();
  EXPECT_EQ(first, nullptr);
  EXPECT_THAT(both, ElementsAre(nullptr, second, nullptr));
  exchange->sendc_fail(handler, node(1, "here"));
  EXPECT_EQ(handler->failed.get_future().get(), "here twice");
}

TEST_P(AsyncValues, ReachPollers) {
  const auto poller = exchange->sendp_pass_pair(Values::Pair(node(1), node(2)));
  Values::Pair pair;
  poller->pass_pair(0xffffffff, pair);
  EXPECT_EQ(pair.right()->number(), 2);
}

TEST_P(AsyncValues, MayBeOfEveryKind) {
  const auto text = CORBA::make_reference<CORBA::StringValue>("text");
  EXPECT_EQ(std::get<0>(exchange->async_text(text, nullptr).get())->_value(), "text");
  const auto gauge = CORBA::make_reference<GaugeValue>();
  gauge->caption("g");
  EXPECT_EQ(std::get<0>(exchange->async_pass_named(gauge).get())->called(), "gauge g");
  Values::Either either;
  either.one(node(4));
  EXPECT_EQ(exchange->async_pass_either(either).get().one()->number(), 4);
  const auto packed = CORBA::make_reference<PackedValue>();
  packed->values({1, 2, 3});
  EXPECT_THAT(exchange->async_pass_packed(packed).get()->values(), ElementsAre(1, 2, 3));
}

TEST_P(AsyncValues, CannotBeSentWithoutTheirType) {
  EXPECT_EQ(exchange->async_any_value(node(6)).get() != nullptr, true);
  orbweaver::unregister_value_factory("IDL:Values/Empty:1.0");
  auto future = exchange->async_any_value(IDL::traits<Values::Empty>::make_reference());
  EXPECT_THROW(future.get(), CORBA::MARSHAL);
}

INSTANTIATE_TEST_SUITE_P(Transports, AsyncValues, ::testing::Values("shm", "tcp", "inproc"),
                         [](const auto& each) { return std::string(each.param); });

}  // namespace
}  // namespace valuetest
