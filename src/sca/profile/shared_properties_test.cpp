// Property files that many elements of other profiles name.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "sca/profile/profiles.h"
#include "sca/testdata/test_profiles.h"

namespace orbweaver::sca {
namespace {

TEST(SharedProperties, AreStoredOnceForAllImplementationsOfAPackage) {
  testing::TestProfiles profiles;
  std::string properties, implementations;
  for (int i = 0; i < 50; ++i) {
    const std::string number = std::to_string(i);
    properties += "<simple id=\"p" + number + "\" type=\"string\"><kind kindtype=\"configure\"/></simple>";
    implementations += "<implementation id=\"i" + number +
                       "\"><propertyfile type=\"PRF\"><localfile name=\"p.prf.xml\"/></propertyfile><code "
                       "type=\"Executable\"><localfile name=\"code\"/></code><os name=\"Linux\"/>"
                       "</implementation>";
  }
  profiles.write("p.prf.xml", "<properties>" + properties + "</properties>");
  profiles.write("p.spd.xml", "<softpkg id=\"p\" name=\"p\" type=\"sca_non_compliant\"><author/>" +
                                  implementations + "</softpkg>");
  Findings findings;
  Profiles read("", Profiles::CodeFiles::may_be_missing, findings);
  read.check(profiles.path("p.spd.xml"));
  EXPECT_EQ(findings.mistakes(), 0u) << findings.text(10);
  const SoftwarePackage* const package = read.find_package(profiles.path("p.spd.xml"));
  ASSERT_NE(package, nullptr);
  ASSERT_EQ(package->implementations.size(), 50u);
  std::set<const SimpleProperty*> stored;
  const SoftwarePackage copy = *package;
  for (const SoftwarePackage* const each : {package, &copy})
    for (const Implementation& implementation : each->implementations)
      for (const SimpleProperty& property : implementation.properties->simple) stored.insert(&property);
  EXPECT_EQ(stored.size(), 50u) << "not a copy for each implementation, or package";
}

}  // namespace
}  // namespace orbweaver::sca
