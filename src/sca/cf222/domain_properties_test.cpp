// The properties of a domain manager, CF::PropertySet (SCA 2.2.2 3.1.3.1.5), and the DMD that declares them.
#include "sca/cf222/domain_properties.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sca/cf222/given_limit.h"
#include "sca/cf222/testing/test_domain.h"
#include "sca/runtime/property_any.h"

namespace orbweaver::sca {
namespace {

using ::testing::HasSubstr;

SimpleProperty property(const std::string& id, PropertyType type, const std::string& value) {
  SimpleProperty made;
  made.id = id;
  made.type = type;
  made.value = value;
  made.configurable = true;
  return made;
}

/// "band" is readonly.
DomainProperties properties() {
  SimpleProperty band = property("band", PropertyType::string, "vhf");
  band.read_only = true;
  return DomainProperties({property("squelch", PropertyType::int32, "3"), band});
}

std::string value_of(const DomainProperties& domain, const std::string& id) {
  CF::Properties queried{CF::DataType(id, CORBA::Any())};
  domain.query(queried);
  return text_of(queried[0].value()).value_or("none");
}

TEST(DomainProperties, AreQueriedByIdOrAll) {
  const DomainProperties domain = properties();
  CF::Properties all;
  domain.query(all);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].id() + " " + all[1].id(), "band squelch");
  EXPECT_EQ(type_name_of(all[1].value()), "long");
  EXPECT_EQ(value_of(domain, "squelch"), "3");
  CF::Properties unknown{CF::DataType("squelch", CORBA::Any()), CF::DataType("volume", CORBA::Any())};
  try {
    domain.query(unknown);
    ADD_FAILURE() << "no exception";
  } catch (const CF::UnknownProperties& e) {
    ASSERT_EQ(e.invalidProperties().size(), 1u);
    EXPECT_EQ(e.invalidProperties()[0].id(), "volume");
  }
}

TEST(DomainProperties, AreConfigured) {
  DomainProperties domain = properties();
  domain.configure({CF::DataType("squelch", any_of("long", "-7"))});
  EXPECT_EQ(value_of(domain, "squelch"), "-7");
}

TEST(DomainProperties, RejectInvalidValuesOneByOne) {
  DomainProperties domain = properties();
  try {
    domain.configure({{"squelch", CORBA::Any()}, {"squelch", any_of("long", "5")}});
    ADD_FAILURE() << "no exception";
  } catch (const CF::PropertySet::PartialConfiguration& e) {
    EXPECT_EQ(e.invalidProperties().size(), 1u);
  }
  EXPECT_EQ(value_of(domain, "squelch"), "5") << "only the other value is invalid";
}

TEST(DomainProperties, RejectMoreValuesThanTheLimit) {
  DomainProperties domain = properties();
  try {
    domain.configure(CF::Properties(kMaxGiven + 1, CF::DataType("squelch", any_of("long", "5"))));
    ADD_FAILURE() << "no exception";
  } catch (const CF::PropertySet::InvalidConfiguration& e) {
    EXPECT_EQ(e.msg(), "10001 properties are given; the limit is 10000");
    EXPECT_TRUE(e.invalidProperties().empty());
  }
  EXPECT_EQ(value_of(domain, "squelch"), "3");
}

TEST(DomainProperties, RejectALongIdWithAShortMessage) {
  DomainProperties domain = properties();
  try {
    domain.configure({{std::string(100'000, 'x'), CORBA::Any()}});
    ADD_FAILURE() << "no exception";
  } catch (const CF::PropertySet::InvalidConfiguration& e) {
    EXPECT_LT(e.msg().size(), 1000u);
  }
}

TEST(DomainProperties, RejectAConfigurationOfWhichNothingIsValid) {
  DomainProperties domain = properties();
  try {
    domain.configure({CF::DataType("band", any_of("string", "uhf"))});
    ADD_FAILURE() << "no exception";
  } catch (const CF::PropertySet::InvalidConfiguration& e) {
    EXPECT_EQ(e.msg(), "'band' is readonly");
    EXPECT_EQ(e.invalidProperties().size(), 1u);
  }
  EXPECT_EQ(value_of(domain, "band"), "vhf");
}

TEST(DomainProperties, NameTheInvalidPartOfAConfiguration) {
  DomainProperties domain = properties();
  try {
    domain.configure({CF::DataType("volume", any_of("long", "1")),
                      CF::DataType("squelch", any_of("long", "4")),
                      CF::DataType("band", any_of("string", "uhf"))});
    ADD_FAILURE() << "no exception";
  } catch (const CF::PropertySet::PartialConfiguration& e) {
    ASSERT_EQ(e.invalidProperties().size(), 2u);
    EXPECT_EQ(e.invalidProperties()[0].id() + " " + e.invalidProperties()[1].id(), "volume band");
  }
  EXPECT_EQ(value_of(domain, "squelch"), "4") << "the valid part is set";
}

TEST(DomainProperties, AreThoseOfTheDomainsProfile) {
  const testing::TemporaryFolder folder;
  folder.write("domain.dmd.xml",
               "<domainmanagerconfiguration id='d' name='d'>"
               "<domainmanagersoftpkg><localfile name='domain.spd.xml'/></domainmanagersoftpkg>"
               "<services><service><usesidentifier>log</usesidentifier>"
               "<findby><domainfinder type='log'/></findby></service></services>"
               "</domainmanagerconfiguration>");
  folder.write("domain.spd.xml",
               "<softpkg id='p' name='p'><author><name>a</name></author>"
               "<propertyfile><localfile name='domain.prf.xml'/></propertyfile>"
               "<descriptor><localfile name='domain.scd.xml'/></descriptor>"
               "<implementation id='i'><code><localfile name='domain'/></code><os name='Linux'/>"
               "</implementation></softpkg>");
  std::filesystem::copy_file(ORBWEAVER_SCA_TESTDATA "/sink.scd.xml", folder.path("domain.scd.xml"));
  folder.write("domain.prf.xml",
               "<properties><simple id='squelch' type='long'><value>5</value><kind kindtype='configure'/>"
               "</simple></properties>");
  const auto read = read_domain_profile(folder.path().string(), "/domain.dmd.xml");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(value_of(*read, "squelch"), "5");
  EXPECT_EQ(read->id(), "d");
  const auto none = read_domain_profile(folder.path().string(), "/none.dmd.xml");
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().message, HasSubstr("none.dmd.xml"));
}

}  // namespace
}  // namespace orbweaver::sca
