// Interceptors of IORs.
#include "giop/ior.h"
#include "interceptors/testing/intercepted_orb.h"
#include "orb/reference/reference.h"

namespace orbtest {
namespace {

using ::testing::ElementsAre;
using IorInfoRef = CORBA::object_reference<pi::IORInfo>;
namespace giop = orbweaver::giop;

constexpr IOP::ComponentId kOurComponent = 0x4f570020, kOfIiop = 0x4f570021;

class IorRecorder final : public virtual pi::IORInterceptor_3_0 {
 public:
  explicit IorRecorder(Log& log) : log_(log) {}
  std::function<void(IorInfoRef)> on_establish, on_established;
  std::string name() override { return "ior"; }
  void destroy() override {}
  void establish_components(IorInfoRef info) override {
    if (on_establish) on_establish(info);
  }
  void components_established(IorInfoRef info) override {
    std::string name;
    for (const std::string& each : info->adapter_template()->adapter_name()) name += "/" + each;
    log_.add("established " + name);
    if (on_established) on_established(info);
  }
  void adapter_manager_state_changed(const pi::AdapterManagerId& id, pi::AdapterState state) override {
    log_.add("manager " + id + " " + std::to_string(state));
  }
  void adapter_state_changed(const pi::ObjectReferenceTemplateSeq& templates,
                             pi::AdapterState state) override {
    for (const auto& each : templates)
      log_.add("adapter " + each->adapter_name().back() + " " + std::to_string(state));
  }

 private:
  Log& log_;
};

struct IorInterceptors : ::testing::Test {
  Log log;
  CORBA::object_reference<IorRecorder> interceptor = CORBA::make_reference<IorRecorder>(log);
  std::unique_ptr<InterceptedOrb> orb;
  void make_orb() {
    orb = std::make_unique<InterceptedOrb>(
        [&](const InitInfo& info) { info->add_ior_interceptor(interceptor); },
        Options{"-ORBListen", "inproc,tcp"});
  }
  static std::vector<OctetSeq> components(const ObjectRef& object, IOP::ComponentId id) {
    std::vector<OctetSeq> found;
    for (const auto& profile : object->_reference()->ior().profiles) {
      const auto decoded = giop::decode_iiop_profile(profile.data);
      for (const auto& each : decoded->components) {
        if (each.tag == id) found.push_back(each.data);
      }
    }
    return found;
  }
};

TEST_F(IorInterceptors, AddComponentsToTheReferencesOfEachPoa) {
  interceptor->on_establish = [](const IorInfoRef& info) {
    info->add_ior_component(IOP::TaggedComponent(kOurComponent, {1, 2}));
    info->add_ior_component_to_profile(IOP::TaggedComponent(kOfIiop, {3}), IOP::TAG_INTERNET_IOP);
    EXPECT_EQ(raised([&] { info->add_ior_component_to_profile(IOP::TaggedComponent(kOfIiop), 77); }),
              "BAD_PARAM 29");
    EXPECT_EQ(raised([&] { info->adapter_template(); }), "BAD_INV_ORDER 14");
    EXPECT_EQ(info->state(), pi::HOLDING);
  };
  make_orb();
  const ServantRef servant = CORBA::make_reference<Servant>();
  orb->serve(servant);
  const PoaRef child = make_poa(orb->root, "child");
  child->activate_object(servant);
  for (const PoaRef& poa : {orb->root, child}) {
    const ObjectRef object = poa->servant_to_reference(servant);
    EXPECT_THAT(components(object, kOurComponent), ElementsAre(OctetSeq{1, 2}));
    EXPECT_THAT(components(object, kOfIiop), ElementsAre(OctetSeq{3}));
    TestOrb client;
    EXPECT_EQ(client.at(orb->orb->object_to_string(object))->twice(2), 4);
  }
}

TEST_F(IorInterceptors, SeeThePoliciesOfThePoa) {
  make_orb();
  int seen = 0;
  interceptor->on_establish = [&](const IorInfoRef& info) {
    const auto lifespan = IDL::traits<PortableServer::LifespanPolicy>::narrow(info->get_effective_policy(17));
    ASSERT_TRUE(lifespan);
    EXPECT_EQ(lifespan->value(), PortableServer::LifespanPolicyValue::PERSISTENT);
    EXPECT_FALSE(info->get_effective_policy(22));
    EXPECT_EQ(raised([&] { info->get_effective_policy(4711); }), "INV_POLICY 3");
    ++seen;
  };
  make_persistent_poa(orb->root, "persistent");
  EXPECT_EQ(seen, 1);
}

TEST_F(IorInterceptors, IgnoreExceptionsOfEstablishComponents) {
  interceptor->on_establish = [](const IorInfoRef&) { throw std::runtime_error("broken"); };
  make_orb();
  EXPECT_TRUE(orb->root);
}

TEST_F(IorInterceptors, PreventAPoa) {
  make_orb();
  interceptor->on_established = [](const IorInfoRef&) { throw CORBA::NO_PERMISSION(); };
  EXPECT_EQ(raised([&] { orb->root->create_POA("rejected", nullptr, {}); }), "OBJ_ADAPTER 6");
  interceptor->on_established = nullptr;
  EXPECT_TRUE(orb->root->create_POA("rejected", nullptr, {}));
}

TEST_F(IorInterceptors, AreToldOfStates) {
  make_orb();
  EXPECT_THAT(log.take(), ElementsAre("established /RootPOA", "manager RootPOAManager 1"));
  const PoaRef poa = orb->root->create_POA("child", orb->root->the_POAManager(), {});
  EXPECT_THAT(log.take(), ElementsAre("established /RootPOA/child"));
  orb->root->the_POAManager()->hold_requests(false);
  orb->root->the_POAManager()->discard_requests(false);
  poa->destroy(false, false);
  orb->root->the_POAManager()->deactivate(false, false);
  EXPECT_THAT(log.take(), ElementsAre("manager RootPOAManager 0", "manager RootPOAManager 2",
                                      "adapter child 4", "manager RootPOAManager 3"));
  orb->destroy();
  EXPECT_THAT(log.take(), ElementsAre("adapter RootPOA 4"));
}

TEST_F(IorInterceptors, ReplaceTheFactoryOfReferences) {
  /// Gives all objects the type of their base.
  class Factory final : public virtual pi::ObjectReferenceFactory {
   public:
    explicit Factory(CORBA::object_reference<pi::ObjectReferenceFactory> next) : next_(std::move(next)) {}
    ObjectRef make_object(const std::string&, const pi::ObjectId& id) override {
      return next_->make_object("IDL:OrbTest/Watcher:1.0", id);
    }

   private:
    const CORBA::object_reference<pi::ObjectReferenceFactory> next_;
  };
  CORBA::object_reference<pi::ObjectReferenceTemplate> kept;
  interceptor->on_established = [&](const IorInfoRef& info) {
    EXPECT_EQ(info->current_factory(), info->adapter_template());
    EXPECT_EQ(raised([&] { info->current_factory(nullptr); }), "BAD_PARAM 64");
    EXPECT_EQ(raised([&] { info->add_ior_component(IOP::TaggedComponent(1)); }), "BAD_INV_ORDER 14");
    info->current_factory(CORBA::make_reference<Factory>(info->current_factory()));
    kept = info->adapter_template();
  };
  make_orb();
  const ServantRef servant = CORBA::make_reference<Servant>();
  orb->root->activate_object(servant);
  const ObjectRef object = orb->root->servant_to_reference(servant);
  EXPECT_EQ(object->_repository_id(), "IDL:OrbTest/Watcher:1.0");
  EXPECT_EQ(IDL::traits<OrbTest::Calls>::narrow(object)->twice(2), 4);
  EXPECT_EQ(kept->make_object("IDL:OrbTest/Calls:1.0", orb->root->servant_to_id(servant))->_repository_id(),
            "IDL:OrbTest/Calls:1.0");
  orb->destroy();
  EXPECT_EQ(raised([&] { kept->make_object("IDL:OrbTest/Calls:1.0", {}); }), "OBJECT_NOT_EXIST 80");
}

}  // namespace
}  // namespace orbtest
