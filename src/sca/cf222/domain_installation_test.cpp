// installApplication and uninstallApplication.
#include <atomic>
#include <functional>
#include <optional>
#include <thread>
#include <vector>

#include "platform/testing/waiting_thread.h"
#include "sca/cf222/testing/domain_fixture.h"

namespace orbweaver::sca {
namespace {

using namespace orbweaver::sca::testing;
using platform::testing::becomes_true;
using platform::testing::WaitingThread;
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

// The uninstallation begins between the change of the model and its event.
TEST_F(DomainTest, UninstallsAnApplicationOnlyAfterItsInstallationHasEnded) {
  std::optional<WaitingThread> uninstalling;
  DomainFacade facade;
  facade.name = "other-edition";
  facade.manager = [](Domain&) { return CORBA::make_reference<TestComponent>("manager"); };
  facade.application = [](Domain&, const std::string& id) {
    return CORBA::make_reference<TestComponent>(id);
  };
  facade.factory = [&](Domain& of, const std::string& id) {
    if (!uninstalling) {
      uninstalling.emplace([&of, id] { of.applications().uninstall(id); });
      EXPECT_TRUE(uninstalling->waits()) << "it has been uninstalled before its object existed";
    }
    return CORBA::make_reference<TestComponent>("factory");
  };
  facades.push_back(facade);
  start();
  const auto consumer = CORBA::make_reference<Consumer>();
  client->registerWithEventChannel(components.activate(consumer), "test", "ODM_Channel");
  domain->domain.applications().install("/chain.sad.xml");
  ASSERT_TRUE(uninstalling);
  uninstalling->join();
  EXPECT_FALSE(domain->model->installed_application("DCE:chain"));
  EXPECT_THROW(use(domain->domain.factory("DCE:chain"))->name(), CORBA::OBJECT_NOT_EXIST);
  EXPECT_TRUE(becomes_true([&] { return consumer->events().size() == 2; }));
  EXPECT_THAT(consumer->events(), ::testing::ElementsAre("+DCE:chain", "-DCE:chain"));
}

TEST_F(DomainTest, InstallsAndUninstallsInSeveralThreads) {
  join();
  const auto consumer = CORBA::make_reference<Consumer>();
  client->registerWithEventChannel(components.activate(consumer), "test", "ODM_Channel");
  Applications& applications = domain->domain.applications();
  constexpr int kRounds = 100;
  std::atomic<int> installed = 0, uninstalled = 0;
  const auto repeat = [&](const std::function<void()>& call, std::atomic<int>& successes) {
    for (int i = 0; i < kRounds; ++i) {
      try {
        call();
        ++successes;
      } catch (const CF::DomainManager::ApplicationAlreadyInstalled&) {
      } catch (const CF::DomainManager::InvalidIdentifier&) {
      } catch (const CORBA::OBJECT_NOT_EXIST&) {
      }
    }
  };
  std::atomic<int> created = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 2; ++i) {
      threads.emplace_back([&] { repeat([&] { applications.install("/chain.sad.xml"); }, installed); });
      threads.emplace_back([&] { repeat([&] { applications.uninstall("DCE:chain"); }, uninstalled); });
    }
    threads.emplace_back([&] {
      repeat(
          [&] {
            try {
              applications.create("DCE:chain", "rx", {}, {});
            } catch (const CF::ApplicationFactory::CreateApplicationError&) {  // it has not been released
            }
          },
          created);
    });
    threads.emplace_back([&] {
      for (int i = 0; i < kRounds; ++i)
        for (const Application& each : domain->model->applications()) {
          try {
            applications.release(each.id);
          } catch (const CORBA::Exception&) {  // it is being created
          }
        }
    });
  }
  const bool is_installed = domain->model->installed_application("DCE:chain").has_value();
  EXPECT_EQ(installed, uninstalled + is_installed);
  if (is_installed) applications.uninstall("DCE:chain");
  EXPECT_THROW(use(domain->domain.factory("DCE:chain"))->name(), CORBA::OBJECT_NOT_EXIST);
  const auto count = [&] {
    int of_chain = 0;
    std::string last = "-DCE:chain";
    for (const std::string& each : consumer->events()) {
      if (each.substr(1) != "DCE:chain") continue;
      ++of_chain;
      EXPECT_NE(each, last) << "events are in the order of the changes";
      last = each;
    }
    return of_chain;
  };
  EXPECT_TRUE(becomes_true([&] { return static_cast<int>(consumer->events().size()) >= 2 * installed; }));
  EXPECT_EQ(count(), 2 * installed);
}

}  // namespace
}  // namespace orbweaver::sca
