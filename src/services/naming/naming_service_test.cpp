// A naming service with small limits, a store and contexts of another service.
#include "services/naming/naming_service.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "services/naming/name_text.h"

namespace orbweaver::naming {
namespace {

using Context = CosNaming::NamingContext;
using Reason = Context::NotFoundReason;
using OrbRef = IDL::traits<CORBA::ORB>::ref_type;

OrbRef make_orb(const std::string& id) {
  std::string words[] = {"test", "-ORBListen", "inproc,tcp"};
  char* argv[] = {words[0].data(), words[1].data(), words[2].data(), nullptr};
  int argc = 3;
  return CORBA::ORB_init(argc, argv, id);
}

PoaRef poa_of(const OrbRef& orb, const char* name) {
  auto poa = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references(name));
  poa->the_POAManager()->activate();
  return poa;
}

/// A store in the memory of the test, which can fail.
struct Stored {
  NamingState state;
  bool full = false;
  int flushes = 0;
};
class TestStore final : public NamingStore {
 public:
  explicit TestStore(Stored& stored) : stored_(stored) {}
  Result<void> commit(const Change& change, Durability durability) override {
    if (stored_.full) return Error{ErrorKind::unavailable, "no space left for the state"};
    stored_.state.apply(change);
    return durability == Durability::machine ? flush() : Result<void>();
  }
  Result<void> flush() override {
    if (stored_.full) return Error{ErrorKind::unavailable, "no space left for the state"};
    ++stored_.flushes;
    return {};
  }

 private:
  Stored& stored_;
};

/// A service with the key NameService in an ORB of its own.
struct Service {
  explicit Service(const std::string& orb_id, Stored& stored, Limits limits = {},
                   std::function<void()> bound = nullptr)
      : orb(make_orb(orb_id)) {
    ServiceOptions options;
    options.contexts = poa_of(orb, "CorbalocPOA");
    options.root_id = "NameService";
    options.iterators = poa_of(orb, "RootPOA");
    options.limits = limits;
    options.store = std::make_unique<TestStore>(stored);
    options.state = stored.state;
    options.bound = std::move(bound);
    service = std::make_shared<NamingService>(std::move(options));
    root = service->start();
  }
  ~Service() {
    root = nullptr;
    orb->destroy();
  }
  /// The same object in this ORB, as if received from a client.
  ContextExtRef here(const IDL::traits<CORBA::Object>::ref_type& object, const OrbRef& of) {
    return IDL::traits<CosNaming::NamingContextExt>::narrow(
        orb->string_to_object(of->object_to_string(object)));
  }

  OrbRef orb;
  std::shared_ptr<NamingService> service;
  ContextExtRef root;
};

struct LimitedNaming : ::testing::Test {
  void start(const Limits& limits) { service = std::make_unique<Service>("limited", stored, limits); }
  CosNaming::Name name(const std::string& text) { return to_name(text); }
  void bind(const std::string& text) { service->root->bind(name(text), service->root); }

  Stored stored;
  std::unique_ptr<Service> service;
};

TEST_F(LimitedNaming, LimitsContextsAndBindings) {
  Limits limits;
  limits.contexts = 3;
  limits.bindings_of_context = 3;
  limits.bindings = 4;
  start(limits);
  const auto a = service->root->bind_new_context(name("a"));
  const auto unbound = service->root->new_context();
  EXPECT_THROW(service->root->new_context(), CORBA::NO_RESOURCES);
  EXPECT_THROW(service->root->bind_new_context(name("b")), CORBA::NO_RESOURCES);
  unbound->destroy();
  service->root->new_context();

  bind("b");
  bind("c");
  EXPECT_THROW(bind("d"), CORBA::NO_RESOURCES);
  a->bind(name("d"), a);
  EXPECT_THROW(a->bind(name("e"), a), CORBA::NO_RESOURCES);
  a->rebind(name("d"), service->root);
  service->root->unbind(name("b"));
  a->bind(name("e"), a);
}

TEST_F(LimitedNaming, TellsOfABindingWhenItCanBeResolved) {
  int told = 0;
  bool found = false;
  service = std::make_unique<Service>("told", stored, Limits(), [&] {
    ++told;
    found = service->root->resolve(name("a")) != nullptr;
  });
  bind("a");
  EXPECT_EQ(told, 1);
  EXPECT_TRUE(found);
  stored.full = true;
  EXPECT_THROW(bind("b"), CORBA::PERSIST_STORE);
  EXPECT_EQ(told, 1);
}

TEST_F(LimitedNaming, FlushesAContextWithAllItsBindingsAtOnce) {
  start(Limits());
  const int before = stored.flushes;
  const auto context = service->service->bind_unflushed_context(service->root, name("radio"));
  for (const char* const id : {"a", "b", "c"}) context->bind(name(id), service->root);
  context->unbind(name("b"));
  EXPECT_EQ(stored.flushes, before);
  EXPECT_EQ(stored.state.bindings(), 3u) << "they survive the process";
  service->service->flush(context);
  EXPECT_EQ(stored.flushes, before + 1);
  service->service->flush(context);
  EXPECT_EQ(stored.flushes, before + 1);
  context->bind(name("d"), service->root);
  EXPECT_EQ(stored.flushes, before + 2) << "from now on, as in other contexts";
}

TEST_F(LimitedNaming, RepeatsAFlushThatHasFailed) {
  start(Limits());
  const auto context = service->service->bind_unflushed_context(service->root, name("radio"));
  stored.full = true;
  EXPECT_THROW(service->service->flush(context), CORBA::PERSIST_STORE);
  stored.full = false;
  const int before = stored.flushes;
  service->service->flush(context);
  EXPECT_EQ(stored.flushes, before + 1);
}

TEST_F(LimitedNaming, FlushesTheBindingsOfOtherContextsOneByOne) {
  start(Limits());
  const auto context = service->root->bind_new_context(name("other"));
  const int before = stored.flushes;
  context->bind(name("a"), service->root);
  service->root->bind(name("b"), service->root);
  EXPECT_EQ(stored.flushes, before + 2);
  service->service->flush(context);
  EXPECT_EQ(stored.flushes, before + 2);
}

TEST_F(LimitedNaming, LimitsBytes) {
  Limits limits;
  limits.total_bytes = 20'000;
  limits.reference_bytes = 2'000;
  start(limits);
  int bound = 0;
  EXPECT_THROW(
      {
        for (; bound < 100; ++bound) bind(std::to_string(bound));
      },
      CORBA::NO_RESOURCES);
  EXPECT_GT(bound, 5);
  service->root->unbind(name("0"));
  bind("0");
  service->root->unbind(name("0"));
  const auto large = service->orb->string_to_object("corbaloc::localhost/" + std::string(2'000, 'k'));
  EXPECT_THROW(service->root->bind(name("0"), large), CORBA::IMP_LIMIT);
}

TEST_F(LimitedNaming, ListsAtMostTheLimitAtOnce) {
  Limits limits;
  limits.listed_bindings = 3;
  limits.listed_bytes = 1'000;
  start(limits);
  for (int i = 0; i < 8; ++i) bind(std::to_string(i) + std::string(i < 6 ? 1 : 600, 'x'));
  CosNaming::BindingList list;
  IteratorRef rest;
  service->root->list(100, list, rest);
  EXPECT_EQ(list.size(), 3u);
  ASSERT_TRUE(rest);
  std::size_t all = list.size();
  std::vector<std::size_t> pieces;
  while (rest->next_n(100, list)) pieces.push_back(list.size());
  EXPECT_THAT(pieces, ::testing::ElementsAre(3, 1, 1)) << all;
}

TEST_F(LimitedNaming, ReadsTheContextWhileIterating) {
  start({});
  for (const char* each : {"a", "b", "c", "d"}) bind(each);
  CosNaming::BindingList list;
  IteratorRef rest;
  service->root->list(1, list, rest);
  service->root->unbind(name("b"));
  service->root->unbind(name("c"));
  bind("e");
  ASSERT_TRUE(rest->next_n(10, list));
  ASSERT_EQ(list.size(), 2u);
  EXPECT_EQ(to_text(list[0].binding_name()), "d");
  EXPECT_EQ(to_text(list[1].binding_name()), "e");
}

TEST_F(LimitedNaming, EndsTheIterationOfADestroyedContext) {
  start({});
  const auto a = service->root->bind_new_context(name("a"));
  a->bind(name("x"), a);
  CosNaming::BindingList list;
  IteratorRef rest;
  a->list(0, list, rest);
  a->unbind(name("x"));
  a->destroy();
  CosNaming::Binding one;
  EXPECT_FALSE(rest->next_one(one));
}

TEST_F(LimitedNaming, DestroysTheLeastRecentlyUsedIterator) {
  Limits limits;
  limits.iterators = 2;
  start(limits);
  for (const char* each : {"a", "b", "c"}) bind(each);
  CosNaming::BindingList list;
  IteratorRef first, second, third;
  CosNaming::Binding one;
  service->root->list(0, list, first);
  service->root->list(0, list, second);
  EXPECT_TRUE(first->next_one(one));
  service->root->list(0, list, third);
  EXPECT_THROW(second->next_one(one), CORBA::OBJECT_NOT_EXIST);
  EXPECT_TRUE(first->next_one(one));
  first->destroy();
  service->root->list(0, list, second);
  EXPECT_TRUE(third->next_one(one));
}

TEST_F(LimitedNaming, KeepsItsStateWhenItCannotBeStored) {
  start({});
  bind("a");
  const auto context = service->root->bind_new_context(name("c"));
  stored.full = true;
  ::testing::internal::CaptureStderr();
  EXPECT_THROW(bind("b"), CORBA::PERSIST_STORE);
  const std::string log = ::testing::internal::GetCapturedStderr();
  EXPECT_NE(log.find("the naming service cannot store a change: "), std::string::npos) << log;
  EXPECT_THROW(service->root->rebind(name("a"), context), CORBA::PERSIST_STORE);
  EXPECT_THROW(service->root->unbind(name("a")), CORBA::PERSIST_STORE);
  EXPECT_THROW(service->root->bind_new_context(name("d")), CORBA::PERSIST_STORE);
  EXPECT_THROW(context->destroy(), CORBA::PERSIST_STORE);
  EXPECT_THROW(service->root->resolve(name("b")), Context::NotFound);
  EXPECT_THROW(service->root->resolve(name("d")), Context::NotFound);
  EXPECT_TRUE(service->root->resolve(name("a"))->_is_equivalent(service->root));
  EXPECT_NO_THROW(service->root->rebind(name("a"), service->root)) << "nothing is to be stored";
  stored.full = false;
  bind("b");
  context->bind(name("x"), context);
}

TEST_F(LimitedNaming, FindsItsContextsAfterARestart) {
  start({});
  const auto context = service->root->bind_new_context(name("a"));
  context->bind(name("self"), context);
  context->bind_context(name("up"), service->root);
  const auto unbound = service->root->new_context();
  unbound->bind(name("x"), unbound);
  const std::string key =
      PortableServer::ObjectId_to_string(poa_of(service->orb, "CorbalocPOA")->reference_to_id(unbound));
  service = nullptr;
  start({});
  EXPECT_NO_THROW(service->root->resolve(name("a/up/a/up/a/self")));
  const auto kept = IDL::traits<Context>::narrow(
      poa_of(service->orb, "CorbalocPOA")->id_to_reference(PortableServer::string_to_ObjectId(key)));
  EXPECT_NO_THROW(kept->resolve(name("x")));
}

TEST_F(LimitedNaming, DoesNotDestroyItsRoot) {
  start({});
  EXPECT_THROW(service->root->destroy(), CORBA::NO_PERMISSION);
  bind("a");
  EXPECT_THROW(service->root->destroy(), Context::NotEmpty);
}

TEST_F(LimitedNaming, CannotProceedAtADestroyedContext) {
  start({});
  const auto a = service->root->bind_new_context(name("a"));
  a->destroy();
  try {
    service->root->resolve(name("a/b/c"));
    ADD_FAILURE() << "resolved";
  } catch (const Context::CannotProceed& e) {
    EXPECT_EQ(to_text(e.rest_of_name()), "b/c");
    EXPECT_TRUE(e.cxt()->_is_equivalent(a));
  }
  EXPECT_TRUE(service->root->resolve(name("a"))->_is_equivalent(a));
  EXPECT_THROW(service->root->bind(name("a/b"), a), Context::CannotProceed);
  EXPECT_THROW(service->root->bind_new_context(name("a")), Context::AlreadyBound);
  service->root->unbind(name("a"));
}

/// Two services in ORBs of their own; the root of each is bound in the other. Both have the key NameService.
struct FederatedNaming : ::testing::Test {
  FederatedNaming() {
    near.root->bind_context(to_name("far"), near.here(far.root, far.orb));
    far.root->bind_context(to_name("near"), far.here(near.root, near.orb));
  }
  Stored near_stored, far_stored;
  Service near{"near", near_stored}, far{"far", far_stored};
};

TEST_F(FederatedNaming, FollowsNamesThroughOtherServices) {
  far.root->bind_new_context(to_name("radio"));
  far.root->bind(to_name("radio/modem"), far.root);
  EXPECT_TRUE(near.root->resolve(to_name("far/radio/modem")));
  EXPECT_TRUE(near.root->resolve(to_name("far/near/far/near/far/radio/modem")));
  near.root->bind(to_name("far/radio/other"), near.root);
  EXPECT_TRUE(far.root->resolve(to_name("radio/other")));
  near.root->rebind(to_name("far/radio/other"), near.root);
  near.root->unbind(to_name("far/radio/other"));
  EXPECT_TRUE(near.root->bind_new_context(to_name("far/radio/sub")));
  near.root->bind_context(to_name("far/here"), near.root);
  near.root->rebind_context(to_name("far/here"), near.root);
  EXPECT_TRUE(near.root->resolve(to_name("far/here/far")));
}

TEST_F(FederatedNaming, PassesExceptionsOfOtherServicesOn) {
  far.root->bind(to_name("object"), far.root);
  try {
    near.root->resolve(to_name("far/object/x"));
    ADD_FAILURE() << "resolved";
  } catch (const Context::NotFound& e) {
    EXPECT_EQ(e.why(), Reason::not_context);
    EXPECT_EQ(to_text(e.rest_of_name()), "object/x");
  }
  EXPECT_THROW(near.root->bind(to_name("far/object"), far.root), Context::AlreadyBound);
}

TEST_F(FederatedNaming, CannotProceedAtAServiceThatDoesNotRespond) {
  near.root->bind_context(to_name("gone"), IDL::traits<Context>::narrow(near.root->resolve(to_name("far"))));
  far.orb->shutdown(true);
  try {
    near.root->resolve(to_name("gone/a/b"));
    ADD_FAILURE() << "resolved";
  } catch (const Context::CannotProceed& e) {
    EXPECT_EQ(to_text(e.rest_of_name()), "a/b");
    EXPECT_TRUE(e.cxt());
  }
  EXPECT_TRUE(near.root->resolve(to_name("gone")));
}

TEST_F(FederatedNaming, LimitsCyclesThroughOtherServices) {
  CosNaming::Name circle;
  while (circle.size() < 16) {
    circle.emplace_back("far", "");
    circle.emplace_back("near", "");
  }
  EXPECT_TRUE(near.root->resolve(circle));
  circle.resize(kMaxNameComponents + 1);
  EXPECT_THROW(near.root->resolve(circle), Context::InvalidName);
}

}  // namespace
}  // namespace orbweaver::naming
