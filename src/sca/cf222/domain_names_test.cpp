// The names of a domain in the naming service.
#include "sca/cf222/testing/domain_fixture.h"

#include "CosNamingS.h"

namespace orbweaver::sca {
namespace {

using namespace orbweaver::sca::testing;
using ::testing::HasSubstr;

TEST_F(DomainTest, IsBoundInTheNamingServiceWithItsChannels) {
  for (const char* name : {"orbweaver/DomainManager", "orbweaver/orbweaver"})
    EXPECT_TRUE(domain->naming->resolve_str(name)->_is_equivalent(domain->manager)) << name;
  EXPECT_TRUE(domain->naming->resolve_str("orbweaver/IDM_Channel"));
  EXPECT_TRUE(domain->naming->resolve_str("orbweaver/ODM_Channel"));
  EXPECT_EQ(client->identifier(), "orbweaver");
  domain->domain.end();
  for (const char* name : {"orbweaver/DomainManager", "orbweaver/orbweaver"})
    EXPECT_THROW(domain->naming->resolve_str(name), CosNaming::NamingContext::NotFound) << name;
}

TEST_F(DomainTest, HasTheIdentifierOfItsProfile) {
  EXPECT_EQ(client->domainManagerProfile(), "");
  root.write("domain.dmd.xml",
             "<domainmanagerconfiguration id=\"DCE:radio\" name=\"radio\"><domainmanagersoftpkg><localfile "
             "name=\"sink.spd.xml\"/></domainmanagersoftpkg><services><service><usesidentifier>log"
             "</usesidentifier><findby><domainfinder type=\"log\"/></findby></service></services>"
             "</domainmanagerconfiguration>");
  profile = "/domain.dmd.xml";
  start();
  EXPECT_EQ(client->identifier(), "DCE:radio");
  EXPECT_EQ(client->domainManagerProfile(), "/domain.dmd.xml");
}

TEST_F(DomainTest, FindsNamesInTheApplicationThenInTheDomainThenInTheRoot) {
  const auto bound = [&](const std::string& context) {
    const auto object = components.activate(CORBA::make_reference<TestComponent>(context));
    domain->naming->bind(domain->naming->to_name(context + "a"), domain->orb.use(object));
    return object;
  };
  const auto found = [&](const std::string& name, const std::string& application, const auto& object) {
    const auto is = domain->domain.find_by_name(name, application);
    return object ? is && is->_is_equivalent(object) : !is;
  };
  const IDL::traits<CORBA::Object>::ref_type none{};
  EXPECT_TRUE(found("a", "rx", none));
  const auto in_root = bound("");
  EXPECT_TRUE(found("a", "rx", in_root));
  const auto in_domain = bound("orbweaver/");
  EXPECT_TRUE(found("a", "rx", in_domain));
  domain->domain.naming_context("rx");
  EXPECT_TRUE(found("a", "rx", in_domain));
  const auto in_application = bound("orbweaver/rx/");
  EXPECT_TRUE(found("a", "rx", in_application));
  EXPECT_TRUE(found("a", "tx", in_domain)) << "of another application";
  EXPECT_TRUE(found("a", "", in_domain)) << "of a node";
  EXPECT_TRUE(found("rx/a", "rx", in_application));
  EXPECT_TRUE(found("orbweaver/rx/a", "rx", in_application));
  EXPECT_TRUE(found("/a", "rx", in_root));
  EXPECT_TRUE(found("/rx/a", "rx", none));
  EXPECT_TRUE(found("", "rx", none));
  EXPECT_TRUE(found("/", "rx", none));
  EXPECT_TRUE(domain->domain.naming_service()->_is_equivalent(domain->naming));
}

/// A naming context of a client, which always has a binding.
class EndlessContext final : public virtual CORBA::servant_traits<CosNaming::NamingContext>::base_type {
 public:
  using Name = CosNaming::Name;
  using ObjectRef = IDL::traits<CORBA::Object>::ref_type;
  using ContextRef = IDL::traits<CosNaming::NamingContext>::ref_type;
  void bind(const Name&, ObjectRef) override {}
  void rebind(const Name&, ObjectRef) override {}
  void bind_context(const Name&, ContextRef) override {}
  void rebind_context(const Name&, ContextRef) override {}
  ObjectRef resolve(const Name&) override { return nullptr; }
  void unbind(const Name&) override { ++unbound; }
  ContextRef new_context() override { return nullptr; }
  ContextRef bind_new_context(const Name&) override { return nullptr; }
  void destroy() override { ++destroyed; }
  void list(std::uint32_t, CosNaming::BindingList& bindings,
            IDL::traits<CosNaming::BindingIterator>::ref_type&) override {
    bindings.emplace_back(Name{CosNaming::NameComponent("x", "")}, CosNaming::BindingType::nobject);
  }

  std::atomic<int> unbound = 0, destroyed = 0;
};

CosNaming::Name name(const std::string& id) { return {CosNaming::NameComponent(id, "")}; }

TEST_F(DomainTest, LeavesContextsAloneThatComponentsHaveBound) {
  const auto context = IDL::traits<CosNaming::NamingContext>::narrow(domain->domain.naming_context("rx"));
  context->bind_context(name("root"), domain->naming);
  domain->domain.remove_naming_context("rx");
  EXPECT_TRUE(domain->naming->resolve_str("orbweaver/orbweaver")) << "the root has not been emptied";
  EXPECT_THROW(domain->naming->resolve_str("orbweaver/rx"), CosNaming::NamingContext::NotFound);
}

const CosNaming::Name kInDomain{CosNaming::NameComponent("orbweaver", ""),
                                CosNaming::NameComponent("rx", "")};

TEST_F(DomainTest, UnbindsAContextOfSomebodyElseWithoutEmptyingIt) {
  const auto servant = CORBA::make_reference<EndlessContext>();
  const auto context = IDL::traits<CosNaming::NamingContext>::narrow(components.activate(servant));
  domain->naming->rebind_context(kInDomain, domain->orb.use(context));
  domain->domain.remove_naming_context("rx");
  EXPECT_THROW(domain->naming->resolve_str("orbweaver/rx"), CosNaming::NamingContext::NotFound);
  EXPECT_EQ(servant->unbound, 0);
  EXPECT_EQ(servant->destroyed, 0);
}

TEST_F(DomainTest, RemovesNoMoreBindingsOfAContextThanItsLimit) {
  const auto servant = CORBA::make_reference<EndlessContext>();
  const auto& poa = domain->orb.poa;
  const auto context =
      IDL::traits<CosNaming::NamingContext>::narrow(poa->id_to_reference(poa->activate_object(servant)));
  domain->naming->rebind_context(kInDomain, context);
  domain->domain.remove_naming_context("rx");
  EXPECT_THROW(domain->naming->resolve_str("orbweaver/rx"), CosNaming::NamingContext::NotFound);
  EXPECT_GT(servant->unbound, 0);
}

TEST_F(DomainTest, SaysThatTheNameOfAnApplicationIsThatOfAnotherObject) {
  try {
    domain->domain.naming_context("Log");
    FAIL();
  } catch (const std::exception& e) {
    EXPECT_THAT(e.what(), HasSubstr("another object is bound to the name 'Log'"));
  }
}

}  // namespace
}  // namespace orbweaver::sca
