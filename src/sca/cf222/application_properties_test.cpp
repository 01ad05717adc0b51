// Properties of applications, as far as the PRFs of their components permit.
#include "sca/cf222/testing/domain_fixture.h"

namespace orbweaver::sca {
namespace {

using namespace orbweaver::sca::testing;
using CF::PropertySet;
using ::testing::AllOf;
using ::testing::HasSubstr;

/// An application whose assembly controller has properties of every mode.
struct PropertiesOfApplication : DomainTest {
  PropertiesOfApplication() {
    std::string text = root.content("source.prf.xml");
    const std::string end = "</properties>";
    root.write("source.prf.xml",
               text.replace(text.find(end), end.size(),
                            "<simple id='level' type='ushort'><range min='1' max='9'/></simple>"
                            "<simple id='errors' type='ulong' mode='readonly'/>"
                            "<simple id='key' type='string' mode='writeonly'/>"
                            "<simplesequence id='taps' type='float'/></properties>"));
    join();
    application = create();
    for (const char* const id : {"level", "errors", "key", "gain"})
      deployment.components[0]->set(id, "ulong", "5");
  }
  std::string value(const std::string& id) {
    CF::Properties one{{id, CORBA::Any()}};
    deployment.components[0]->query(one);
    return text_of(one[0].value()).value_or("no text");
  }
  IDL::traits<framework::DomainApplication>::ref_type application;
};

TEST_F(PropertiesOfApplication, AreSetInTheTypesOfThePrf) {
  application->configure({{"level", any_of("string", "7")}, {"key", any_of("string", "secret")}});
  CF::Properties one{{"level", CORBA::Any()}};
  deployment.components[0]->query(one);
  EXPECT_EQ(type_name_of(one[0].value()), "ushort");
  EXPECT_EQ(value("key"), "secret");
}

TEST_F(PropertiesOfApplication, AreNotSetAgainstTheirModeRangeOrForm) {
  try {
    application->configure({{"level", any_of("ushort", "10")},
                            {"errors", any_of("ulong", "0")},
                            {"taps", any_of("float", "1")},
                            {"key", any_of("string", "secret")}});
    ADD_FAILURE() << "no exception";
  } catch (const PropertySet::InvalidConfiguration& e) {
    EXPECT_THAT(e.msg(), AllOf(HasSubstr("'level' must be from 1 to 9"), HasSubstr("'errors' is readonly"),
                               HasSubstr("'taps' must be a sequence")));
    ASSERT_EQ(e.invalidProperties().size(), 3u);
    EXPECT_EQ(e.invalidProperties()[1].id(), "errors");
  }
  EXPECT_EQ(value("key"), "5") << "none has been set";
}

TEST_F(PropertiesOfApplication, AreNotReturnedIfTheyAreWriteonly) {
  CF::Properties all;
  application->query(all);
  EXPECT_FALSE(all.empty());
  for (const CF::DataType& each : all) EXPECT_NE(each.id(), "key");
  CF::Properties key{{"level", CORBA::Any()}, {"key", CORBA::Any()}};
  try {
    application->query(key);
    ADD_FAILURE() << "no exception";
  } catch (const CF::UnknownProperties& e) {
    ASSERT_EQ(e.invalidProperties().size(), 1u);
    EXPECT_EQ(e.invalidProperties()[0].id(), "key");
  }
}

TEST_F(PropertiesOfApplication, HaveTheirRulesAfterARestartAndAnUninstallation) {
  client->uninstallApplication("DCE:chain");
  start();
  const auto again = IDL::traits<framework::DomainApplication>::narrow(use(client->applications().at(0)));
  EXPECT_THROW(again->configure({{"errors", any_of("ulong", "0")}}), PropertySet::InvalidConfiguration);
  EXPECT_EQ(value("errors"), "5");
}

TEST_F(PropertiesOfApplication, AreLeftToTheComponentIfItsProfilesAreGone) {
  start();
  std::filesystem::remove(root.path("source.prf.xml"));
  const auto again = IDL::traits<framework::DomainApplication>::narrow(use(client->applications().at(0)));
  again->configure({{"errors", any_of("ulong", "0")}});
  EXPECT_EQ(value("errors"), "0");
}

TEST_F(PropertiesOfApplication, AreLimitedInNumber) {
  const auto problem = [&](bool are_set, std::size_t count) -> std::string {
    CF::Properties many(count, {"level", any_of("ushort", "7")});
    try {
      are_set ? application->configure(many) : application->query(many);
    } catch (const CORBA::IMP_LIMIT& e) {
      return e.detail();
    }
    return "none";
  };
  for (const bool are_set : {true, false}) {
    EXPECT_EQ(problem(are_set, 10'001), "10001 properties are given; the limit is 10000");
    EXPECT_EQ(problem(are_set, 10'000), "none");
  }
}

}  // namespace
}  // namespace orbweaver::sca
