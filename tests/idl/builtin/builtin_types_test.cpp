// Data types of the built-in IDL in generated C++.
#include <gmock/gmock.h>
#include <orbweaver/any.h>
#include <orbweaver/orb.h>
#include <orbweaver/poa.h>

#include <sstream>

#include "builtinS.h"

namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using LocatorRef = IDL::traits<Builtin::Locator>::ref_type;

class Locator final : public virtual CORBA::servant_traits<Builtin::Locator>::base_type {
  IOP::IOR locate(CORBA::ParameterMode mode, std::vector<IOP::ServiceContext>& contexts,
                  CORBA::ServiceInformation& about) override {
    if (mode == CORBA::ParameterMode::PARAM_INOUT) throw Builtin::Unknown(IOP::TaggedProfile(7, {1}));
    contexts.emplace_back(4u, std::vector<std::uint8_t>{5, 6});
    about.service_options({1, 2});
    about.service_details({CORBA::ServiceDetail(3, {4})});
    return IOP::IOR("IDL:X:1.0", {IOP::TaggedProfile(0, {9})});
  }
  std::vector<IOP::TaggedComponent> components(const IOP::TaggedProfile& of) override {
    return {IOP::TaggedComponent(of.tag(), of.profile_data())};
  }
};

CORBA::object_reference<CORBA::ORB> make_orb(const char* id, std::vector<std::string> words) {
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  int argc = static_cast<int>(words.size());
  return CORBA::ORB_init(argc, argv.data(), id);
}

Builtin::Description description() {
  return Builtin::Description("name", "IDL:Y:1.0", Builtin::kDirection, {CORBA::OperationMode::OP_ONEWAY},
                              CORBA::CompletionStatus::COMPLETED_MAYBE, CORBA::exception_type::USER_EXCEPTION,
                              CORBA::SetOverrideType::ADD_OVERRIDE,
                              CORBA::ServiceInformation({1, 2}, {CORBA::ServiceDetail(3, {4})}));
}

template <class T>
std::string printed(const T& value) {
  std::ostringstream text;
  text << value;
  return text.str();
}

TEST(BuiltinTypes, ArePassedInCalls) {
  const auto server = make_orb("builtin server", {"test", "-ORBListen", "tcp"});
  const auto client = make_orb("builtin client", {"test", "-ORBTransportPreference", "tcp"});
  const auto root = IDL::traits<PortableServer::POA>::narrow(server->resolve_initial_references("RootPOA"));
  root->the_POAManager()->activate();
  const auto id = root->activate_object(CORBA::make_reference<Locator>());
  const LocatorRef locator = IDL::traits<Builtin::Locator>::narrow(
      client->string_to_object(server->object_to_string(root->id_to_reference(id))));

  std::vector<IOP::ServiceContext> contexts{IOP::ServiceContext(1, {2})};
  CORBA::ServiceInformation about;
  const IOP::IOR found = locator->locate(CORBA::ParameterMode::PARAM_IN, contexts, about);
  EXPECT_EQ(found.type_id(), "IDL:X:1.0");
  EXPECT_THAT(found.profiles().at(0).profile_data(), ElementsAre(9));
  ASSERT_EQ(contexts.size(), 2u);
  EXPECT_EQ(contexts[1].context_id(), 4u);
  EXPECT_THAT(contexts[1].context_data(), ElementsAre(5, 6));
  EXPECT_THAT(about.service_options(), ElementsAre(1, 2));
  EXPECT_THAT(about.service_details().at(0).service_detail(), ElementsAre(4));
  try {
    locator->locate(CORBA::ParameterMode::PARAM_INOUT, contexts, about);
    ADD_FAILURE() << "no exception";
  } catch (const Builtin::Unknown& e) {
    EXPECT_EQ(e.where().tag(), 7u);
  }
  EXPECT_THAT(locator->components(IOP::TaggedProfile(3, {8})).at(0).component_data(), ElementsAre(8));
  client->destroy();
  server->destroy();
}

TEST(BuiltinTypes, AreInsertedIntoAnys) {
  CORBA::Any any;
  any <<= description();
  Builtin::Description found;
  ASSERT_TRUE(any >>= found);
  EXPECT_EQ(printed(found), printed(description()));
  EXPECT_THAT(printed(any), HasSubstr("direction: PARAM_OUT"));
  EXPECT_THAT(printed(any), HasSubstr("completed: COMPLETED_MAYBE"));

  any <<= IOP::ServiceContext(4, {5});
  EXPECT_EQ(any.type()->id(), "IDL:omg.org/IOP/ServiceContext:1.0");
  EXPECT_EQ(any.type()->member_name(1), "context_data");
  IOP::ServiceContext context;
  ASSERT_TRUE(any >>= context);
  EXPECT_THAT(context.context_data(), ElementsAre(5));
  any <<= CORBA::ParameterMode::PARAM_OUT;
  EXPECT_EQ(any.type()->id(), "IDL:omg.org/CORBA/ParameterMode:1.0");
}

TEST(BuiltinTypes, AreMembersOfUnions) {
  Builtin::Either either;
  either.contexts({IOP::ServiceContext(1, {2})});
  EXPECT_EQ(either._d(), CORBA::AttributeMode::ATTR_READONLY);
  EXPECT_THAT(printed(either), HasSubstr("context_id: 1"));
}

}  // namespace
