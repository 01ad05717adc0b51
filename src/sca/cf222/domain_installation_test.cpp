// installApplication and uninstallApplication.
#include "sca/cf222/testing/domain_fixture.h"

namespace orbweaver::sca {
namespace {

using namespace orbweaver::sca::testing;
using ::testing::HasSubstr;

TEST_F(DomainTest, InstallsApplications) {
  const auto factory = install();
  EXPECT_EQ(factory->softwareProfile(), "/chain.sad.xml");
  EXPECT_THROW(client->installApplication("/chain.sad.xml"), CF::DomainManager::ApplicationAlreadyInstalled);
  EXPECT_THROW(client->installApplication("/none.sad.xml"), CF::InvalidFileName);
  EXPECT_THROW(client->installApplication("../chain.sad.xml"), CF::InvalidFileName);
  EXPECT_THAT(message_of([&] { client->installApplication("/filter.spd.xml"); }),
              HasSubstr("filter.spd.xml:"));
  client->uninstallApplication(factory->identifier());
  EXPECT_THROW(client->uninstallApplication("DCE:chain"), CF::DomainManager::InvalidIdentifier);
  EXPECT_THROW(factory->name(), CORBA::OBJECT_NOT_EXIST);
}

TEST_F(DomainTest, RejectsAnAssemblyThatSetsAPropertyWithoutADefinition) {
  std::string text = root.content("chain.sad.xml");
  const auto at = text.find("refid=\"packets\"");
  ASSERT_NE(at, std::string::npos);
  root.write("chain.sad.xml", text.replace(at, 15, "refid=\"pakets\""));
  EXPECT_THROW(client->installApplication("/chain.sad.xml"), CF::InvalidProfile);
  EXPECT_TRUE(has_logged(domain->domain,
                         "installApplication::invalid Profile is /chain.sad.xml: ", CosLwLog::FAILURE_ALARM));
  EXPECT_TRUE(has_logged(domain->domain, "has no property 'pakets'; did you mean 'packets'?"));
  EXPECT_TRUE(client->applicationFactories().empty());
}

TEST_F(DomainTest, KeepsAnApplicationWhoseRemovalCannotBeStored) {
  const auto factory = install();
  disk.full = true;
  EXPECT_THROW(client->uninstallApplication("DCE:chain"), CF::DomainManager::ApplicationUninstallationError);
  disk.full = false;
  EXPECT_EQ(factory->name(), "Chain");
  client->uninstallApplication("DCE:chain");
}

TEST_F(DomainTest, InstallsNoFileOutsideItsRoot) {
  const TemporaryFolder elsewhere;
  namespace fs = std::filesystem;
  fs::copy_file(root.path("chain.sad.xml"), elsewhere.path("secret.sad.xml"));
  fs::create_symlink(elsewhere.path("secret.sad.xml"), root.path("out.sad.xml"));
  fs::create_directory_symlink(elsewhere.path(), root.path("folder"));
  fs::create_directory(root.path("sub"));
  fs::create_directory_symlink("../.." / fs::canonical(root.path()).filename(), root.path("sub/back"));
  for (const char* const name : {"/out.sad.xml", "/folder/secret.sad.xml", "/sub/back/chain.sad.xml"})
    EXPECT_THAT(message_of([&] { client->installApplication(name); }),
                HasSubstr("a symbolic link leads out of the folder of --root"))
        << name;
  fs::create_symlink(root.path("chain.sad.xml"), root.path("in.sad.xml"));
  client->installApplication("/in.sad.xml");
}

}  // namespace
}  // namespace orbweaver::sca
