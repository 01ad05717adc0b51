// Calls with the types of calls.idl: within an ORB, and between two ORBs of this process.
#include <gtest/gtest.h>

#include <orbweaver/any.h>
#include <orbweaver/context.h>
#include <orbweaver/orb.h>
#include <orbweaver/poa.h>

#include <mutex>
#include <sstream>
#include <string>

#include "callsS.h"

class Calls::Owner::Inner {};

namespace {

template <class T>
using Ref = typename IDL::traits<T>::ref_type;
using ContextRef = Ref<CORBA::Context>;

class Shop final : public virtual CORBA::servant_traits<Calls::Shop>::base_type {
 public:
  Calls::Price total(const Calls::Prices& all, Calls::Price& rebate, Calls::Price& tax) override {
    Calls::Price sum;
    for (const Calls::Price& each : all) sum += each;
    sum -= rebate;
    rebate = -rebate;
    tax = sum * IDL::Fixed<2, 2>("0.19");
    return sum;
  }
};

class Clerk final : public virtual CORBA::servant_traits<Calls::Clerk>::base_type {
 public:
  std::string who(const std::string& prefix, ContextRef context) override {
    return prefix + text_of(*context);
  }
  void note(const std::string& text, ContextRef context) override {
    const std::lock_guard lock(mutex_);
    noted_ += text + text_of(*context);
  }
  std::string noted() override {
    const std::lock_guard lock(mutex_);
    return noted_;
  }

 private:
  static std::string text_of(const CORBA::Context& context) {
    CORBA::Context::Values values;
    context._find("*", true, values);
    std::string out;
    for (const auto& [name, value] : values) out += " " + name + "=" + value;
    return out;
  }
  std::mutex mutex_;
  std::string noted_;
};

class Owner final : public virtual CORBA::servant_traits<Calls::Owner>::base_type {
 public:
  Calls::Handle swap_handles(const Calls::Handle& a, Calls::Handle& b) override {
    ++count_;
    const Calls::Handle old = b;
    b = a;
    return old;
  }
  void take(const Calls::Handle&) override { ++count_; }
  void touch(const Calls::Owner::Inner&) override { ++count_; }
  std::int32_t count() override { return count_; }

 private:
  std::int32_t count_ = 0;
};

class Keeper final : public virtual CORBA::servant_traits<Calls::Keeper>::base_type {
 public:
  Ref<Calls::Nowhere> kept() override { return kept_; }
  void kept(Ref<Calls::Nowhere> value) override { kept_ = value; }
  Calls::Holder hold(const Calls::Holder& x) override { return x; }
  CORBA::Any boxed(Ref<Calls::Nowhere> x) override {
    CORBA::Any any;
    any <<= x;
    return any;
  }

 private:
  Ref<Calls::Nowhere> kept_;
};

struct Orb {
  explicit Orb(const char* id) : orb(CORBA::ORB_init(argc, argv, id)) {
    root = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
    root->the_POAManager()->activate();
  }
  ~Orb() { orb->destroy(); }
  int argc = 1;
  char name[2] = "t";
  char* argv[2] = {name, nullptr};
  Ref<CORBA::ORB> orb;
  Ref<PortableServer::POA> root;
};

// `near` calls a servant of its own ORB, `far` through a transport.
template <class Interface>
struct Pair {
  Ref<Interface> near, far;
};

class IdlCalls : public ::testing::Test {
 protected:
  template <class Interface, class Servant>
  Pair<Interface> serve() {
    const auto id = server_.root->activate_object(CORBA::make_reference<Servant>());
    const std::string ior = server_.orb->object_to_string(server_.root->id_to_reference(id));
    return {IDL::traits<Interface>::narrow(server_.orb->string_to_object(ior)),
            IDL::traits<Interface>::narrow(client_.orb->string_to_object(ior))};
  }
  Orb server_{"server"}, client_{"client"};
};

TEST_F(IdlCalls, PassFixedPointNumbers) {
  const auto shop = serve<Calls::Shop, Shop>();
  for (const auto& each : {shop.near, shop.far}) {
    Calls::Price rebate("1.01"), tax;
    const Calls::Price sum = each->total({Calls::Price("19.99"), Calls::Price("0.02")}, rebate, tax);
    EXPECT_EQ(sum.to_string(), "19.00");
    EXPECT_EQ(rebate.to_string(), "-1.01");
    EXPECT_EQ(tax.to_string(), "3.61");
  }
}

ContextRef context_of_user() {
  auto context = CORBA::make_reference<CORBA::Context>("session");
  context->set_values({{"user", "ann"}, {"sys.host", "a"}, {"sys.os", "linux"}, {"secret", "x"}});
  auto child = context->create_child("task");
  child->set_one_value("sys.host", "b");
  return child;
}

TEST_F(IdlCalls, SendTheMatchingPropertiesOfAContext) {
  const auto clerk = serve<Calls::Clerk, Clerk>();
  const ContextRef context = context_of_user();
  for (const auto& each : {clerk.near, clerk.far}) {
    EXPECT_EQ(each->who("p", context), "p sys.host=b sys.os=linux user=ann");
    EXPECT_EQ(each->who("p", nullptr), "p");
    EXPECT_EQ(each->who("p", CORBA::make_reference<CORBA::Context>()), "p");
  }
  clerk.far->note("n", context);
  EXPECT_EQ(clerk.far->noted(), "n user=ann");  // calls of one connection are served in order
}

TEST(Context, FindsPropertiesOfParents) {
  const ContextRef child = context_of_user();
  using Values = CORBA::Context::Values;
  EXPECT_EQ(child->get_values("", 0, "user"), (Values{{"user", "ann"}}));
  EXPECT_EQ(child->get_values("", CORBA::CTX_RESTRICT_SCOPE, "sys.*"), (Values{{"sys.host", "b"}}));
  EXPECT_EQ(child->get_values("session", 0, "sys.host"), (Values{{"sys.host", "a"}}));
  EXPECT_EQ(child->parent()->context_name() + " " + child->context_name(), "session task");
  EXPECT_EQ(child->parent()->parent(), nullptr);
  child->delete_values("sys.*");
  EXPECT_EQ(child->get_values("", 0, "sys.host"), (Values{{"sys.host", "a"}}));
}

template <class Raised, class Action>
std::uint32_t minor_of(Action action) {
  try {
    action();
  } catch (const Raised& e) {
    EXPECT_FALSE(e.detail().empty());
    return e.minor();
  }
  return 0;
}

TEST(Context, RejectsInvalidArguments) {
  const ContextRef context = context_of_user();
  EXPECT_EQ(minor_of<CORBA::BAD_CONTEXT>([&] { context->set_one_value("a b", std::string("x")); }),
            0x4f570125u);
  EXPECT_EQ(minor_of<CORBA::BAD_CONTEXT>([&] { context->get_values("", 0, "none*"); }), 0x4f570127u);
  EXPECT_EQ(minor_of<CORBA::BAD_CONTEXT>([&] { context->delete_values("user"); }), 0x4f570127u);
  EXPECT_EQ(minor_of<CORBA::BAD_CONTEXT>([&] { context->get_values("other", 0, "user"); }), 0x4f570128u);
  CORBA::Any any;
  any <<= 2.5;
  EXPECT_EQ(minor_of<CORBA::BAD_TYPECODE>([&] { context->set_one_value("user", any); }), 0x4f570126u);
  any <<= "bob";
  context->set_one_value("user", any);
  EXPECT_EQ(context->get_values("", 0, "user").at("user"), "bob");
}

TEST(Context, RejectsAnOddNumberOfStrings) {
  std::vector<std::uint8_t> bytes;
  orbweaver::cdr::Encoder out(bytes);
  orbweaver::cdr::encode(out, std::vector<std::string>{"user", "ann", "sys"});
  out.finish();
  orbweaver::cdr::Decoder in(bytes.data(), bytes.size(), false);
  std::vector<std::string> values;
  orbweaver::decode_context(in, values);
  EXPECT_EQ(in.fault(), orbweaver::cdr::Fault::bad_length);
}

TEST_F(IdlCalls, PassNativeTypesWithinAProcessOnly) {
  const auto owner = serve<Calls::Owner, Owner>();
  int one = 1, two = 2;
  Calls::Handle b = &two;
  EXPECT_EQ(owner.near->swap_handles(&one, b), &two);
  EXPECT_EQ(b, &one);
  owner.near->touch(Calls::Owner::Inner());
  EXPECT_EQ(minor_of<CORBA::MARSHAL>([&] { owner.far->swap_handles(&one, b); }), 0x4f570016u);
  EXPECT_EQ(minor_of<CORBA::MARSHAL>([&] { owner.far->touch(Calls::Owner::Inner()); }), 0x4f570016u);
  EXPECT_EQ(minor_of<CORBA::MARSHAL>([&] { owner.far->take(&one); }), 0x4f570016u);
  EXPECT_EQ(owner.far->count(), 2);
  EXPECT_EQ(Calls::_tc_Handle->kind(), CORBA::TCKind::tk_native);
}

TEST_F(IdlCalls, PassReferencesToAnInterfaceThatNoFileDefines) {
  const auto keeper = serve<Calls::Keeper, Keeper>();
  const auto shop = serve<Calls::Shop, Shop>();
  const auto open = Ref<Calls::OpenKeeper>::adopt(Calls::OpenKeeper::_make(keeper.far->_reference()));
  open->kept(shop.far);
  Ref<Calls::Nowhere> nowhere = keeper.far->kept();
  ASSERT_NE(nowhere, nullptr);
  const Calls::Holder holder = keeper.far->hold(Calls::Holder(nowhere, {nullptr, nowhere}));
  EXPECT_EQ(holder.all()[0], nullptr);
  std::ostringstream text;
  text << holder;
  EXPECT_NE(text.str().find("one: IDL:Calls/Nowhere:1.0"), std::string::npos) << text.str();
  const CORBA::Any any = keeper.far->boxed(holder.all()[1]);
  EXPECT_TRUE(any.type()->equal(Calls::_tc_Nowhere));
  Ref<CORBA::Object> found;
  ASSERT_TRUE(any >>= found);
  EXPECT_TRUE(found->_is_equivalent(shop.far));
  keeper.far->kept(nullptr);
  EXPECT_EQ(open->kept(), nullptr);
  keeper.far->kept(holder.one());
  nowhere = nullptr;
  const auto again = IDL::traits<Calls::Shop>::narrow(open->kept());
  ASSERT_NE(again, nullptr);
  Calls::Price rebate, tax;
  EXPECT_EQ(again->total({Calls::Price(1)}, rebate, tax), Calls::Price(1));
}

class LocalOnes final : public virtual Calls::NearUser, public virtual Calls::Near {
 public:
  Ref<Calls::NowhereNear> same(Ref<Calls::NowhereNear> x) override { return x; }
  Calls::Handle get() override { return nullptr; }
  Ref<CORBA::ORB> orb() override { return nullptr; }
};

TEST(LocalInterface, HasParametersOfNativeAndUndefinedTypes) {
  const auto local = CORBA::make_reference<LocalOnes>();
  EXPECT_EQ(local->same(nullptr), nullptr);
  EXPECT_EQ(local->get(), nullptr);
  EXPECT_EQ(local->orb(), nullptr);
}

}  // namespace
