// Fixed-point numbers and contexts, to and from omniORB: this program calls a ledger of omniORB, which calls
// one of this program.
#include <gtest/gtest.h>

#include <orbweaver/any.h>
#include <orbweaver/context.h>
#include <orbweaver/orb.h>
#include <orbweaver/poa.h>

#include <sstream>

#include "ledgerS.h"
#include "server.h"

namespace interop {
namespace {

using LedgerRef = IDL::traits<Interop::Ledger>::ref_type;
using ContextRef = IDL::traits<CORBA::Context>::ref_type;
using Interop::Price;

Interop::Amounts amounts() {
  return {0xfe,
          Price("-1234567.89"),
          Interop::Small("0.1234567890123456789012345678901"),
          Interop::Large("-9999999999999999999999999999999"),
          Interop::Even("123.456"),
          Interop::Digit("7"),
          {Price("0.01"), Price()},
          {Interop::Even("-0.001"), Interop::Even("999.999")},
          -5};
}

std::string text_of(const Interop::Amounts& all) {
  std::ostringstream out;
  out << all;
  return out.str();
}

class Ledger final : public virtual CORBA::servant_traits<Interop::Ledger>::base_type {
 public:
  Interop::Amounts echo(const Interop::Amounts& data) override { return data; }
  Price add(const Price& a, Price& b, Price& twice) override {
    const Price sum = a + b;
    b = a - b;
    twice = sum * Price(2);
    return sum;
  }
  CORBA::Any remake(const CORBA::Any& data) override {
    CORBA::Any result;
    Interop::Amounts all;
    Price price;
    if (data >>= all)
      result <<= all;
    else if (data >>= price)
      result <<= price;
    return result;
  }
  std::string who(const std::string& prefix, ContextRef context) override {
    CORBA::Context::Values values;
    context->_find("*", true, values);
    std::string out = prefix;
    for (const auto& [name, value] : values) out += " " + name + "=" + value;
    return out;
  }
  std::string check(LedgerRef) override { return "not called"; }
};

class OmniOrbLedger : public ::testing::Test {
 protected:
  OmniOrbLedger() {
    int count = 3;
    std::string program = "ledger", option = "-ORBListen", value = "tcp:127.0.0.1:0";
    char* arguments[] = {program.data(), option.data(), value.data(), nullptr};
    orb_ = CORBA::ORB_init(count, arguments);
    ledger_ = IDL::traits<Interop::Ledger>::narrow(orb_->string_to_object(server_.ior()));
  }
  ~OmniOrbLedger() override { orb_->destroy(); }

  Server server_{sibling_program("interop-omniorb-ledger")};
  IDL::traits<CORBA::ORB>::ref_type orb_;
  LedgerRef ledger_;
};

TEST_F(OmniOrbLedger, ReceivesAndReturnsFixedPointNumbers) {
  EXPECT_EQ(text_of(ledger_->echo(amounts())), text_of(amounts()));
  Price b("-0.75"), twice;
  EXPECT_EQ(ledger_->add(Price("10.50"), b, twice).to_string(), "9.75");
  EXPECT_EQ(b.to_string() + " " + twice.to_string(), "11.25 19.50");
}

TEST_F(OmniOrbLedger, ReceivesAndReturnsAnysWithFixedPointNumbers) {
  CORBA::Any any;
  any <<= amounts();
  Interop::Amounts all;
  ASSERT_TRUE(ledger_->remake(any) >>= all);
  EXPECT_EQ(text_of(all), text_of(amounts()));
  any <<= Price("-12.50");
  Price price;
  ASSERT_TRUE(ledger_->remake(any) >>= price);
  EXPECT_EQ(price.to_string(), "-12.50");
}

TEST_F(OmniOrbLedger, ReceivesTheMatchingPropertiesOfAContext) {
  const auto context = CORBA::make_reference<CORBA::Context>("session");
  context->set_values({{"user", "ann"}, {"sys.host", "b"}, {"sys.os", "linux"}, {"secret", "x"}});
  EXPECT_EQ(ledger_->who("p", context), "p sys.host=b sys.os=linux user=ann");
  EXPECT_EQ(ledger_->who("p", nullptr), "p");
}

TEST_F(OmniOrbLedger, CallsALedgerOfOrbweaver) {
  const auto poa = IDL::traits<PortableServer::POA>::narrow(orb_->resolve_initial_references("RootPOA"));
  poa->the_POAManager()->activate();
  const auto servant = CORBA::make_reference<Ledger>();
  EXPECT_EQ(ledger_->check(servant->_this()), "");
}

}  // namespace
}  // namespace interop
