// Applications are created, controlled and released.
#include "sca/cf222/testing/domain_fixture.h"

#include <atomic>
#include <thread>

#include "sca/domain/record_json.h"

namespace orbweaver::sca {
namespace {

using namespace orbweaver::sca::testing;
using platform::testing::becomes_true;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST_F(DomainTest, CreatesApplications) {
  join();
  const auto application = create("rx");
  EXPECT_EQ(application->name(), "rx");
  EXPECT_EQ(application->profile(), "/chain.sad.xml");
  EXPECT_EQ(application->componentNamingContexts().at(0).elementId(), "orbweaver/rx/source_1");
  EXPECT_EQ(application->componentProcessIds().at(0).processId(), 4711u);
  EXPECT_EQ(application->componentDevices().at(0).assignedDeviceId(), "node-1/gpp");
  EXPECT_EQ(application->componentImplementations().at(0).elementId(), "x86");
  EXPECT_EQ(client->applications().size(), 1u);
  application->start();
  EXPECT_EQ(deployment.components[0]->started, 1);
  EXPECT_EQ(application->state(), State::APPLICATION_STARTED);
  application->stop();
  EXPECT_EQ(application->state(), State::APPLICATION_STOPPED);
  application->releaseObject();
  EXPECT_THAT(deployment.undeployed, ElementsAre("rx"));
  EXPECT_THAT(client->applications(), IsEmpty());
  EXPECT_THROW(application->name(), CORBA::OBJECT_NOT_EXIST);
}

TEST_F(DomainTest, PassesPropertiesToControllerAndExternalOnes) {
  join();
  const auto application = create();
  CORBA::Any three = any_of("ulong", "3"), four = any_of("ulong", "4");
  application->configure({CF::DataType("rate", three), CF::DataType("volume", four)});
  CF::Properties properties{CF::DataType("volume", CORBA::Any()), CF::DataType("rate", CORBA::Any())};
  application->query(properties);
  EXPECT_EQ(text_of(properties[0].value()), "4");
  EXPECT_EQ(text_of(properties[1].value()), "3");
  CF::Properties of_component{CF::DataType("gain", CORBA::Any())};
  deployment.components[0]->query(of_component);
  EXPECT_EQ(text_of(of_component[0].value()), "4") << "under its own id";
  CF::Properties unknown{CF::DataType("nothing", CORBA::Any())};
  EXPECT_THROW(application->query(unknown), CF::UnknownProperties);
  EXPECT_THROW(application->getPort("nothing"), CF::PortSupplier::UnknownPort);
}

TEST_F(DomainTest, PassesTestsAndExceptionsOfTheController) {
  join();
  const auto application = create();
  CF::Properties values{CF::DataType("a", any_of("ulong", "1")), CF::DataType("b", any_of("ulong", "2"))};
  application->runTest(7, values);
  EXPECT_EQ(values.at(0).id(), "b") << "a result of the component";
  EXPECT_THROW(application->runTest(8, values), CF::TestableObject::UnknownTest);
  deployment.components[0]->fails = true;
  EXPECT_THROW(application->runTest(7, values), CF::UnknownProperties);
  EXPECT_EQ(message_of([&] { application->start(); }), "no antenna");
  EXPECT_THROW(application->stop(), CF::Resource::StopError);
  try {
    application->configure({CF::DataType("rate", any_of("ulong", "3"))});
    ADD_FAILURE() << "no exception";
  } catch (const CF::PropertySet::InvalidConfiguration& e) {
    EXPECT_EQ(e.msg(), "no antenna");
    EXPECT_EQ(e.invalidProperties().size(), 1u);
  }
}

TEST_F(DomainTest, InitializesNoComponentOfAnApplication) {
  join();
  const auto application = create();
  application->initialize();
  EXPECT_EQ(deployment.components[0]->initialized, 0) << "the creation has done that";
  EXPECT_EQ(application->state(), State::APPLICATION_STOPPED);
}

TEST_F(DomainTest, ReturnsTheExternalPortsOfAnApplicationOnly) {
  join();
  const auto application = create();
  const auto port = node->activate(CORBA::make_reference<TestPort>());
  deployment.components[0]->set_port("out", port);
  EXPECT_TRUE(application->getPort("audio")->_is_equivalent(port));
  EXPECT_THROW(application->getPort("out"), CF::PortSupplier::UnknownPort) << "not external";
}

TEST_F(DomainTest, LimitsThePropertiesAndAssignmentsOfACreation) {
  join();
  const auto factory = install();
  const auto created = [&](std::size_t properties, std::size_t assignments) {
    return message_of([&] {
      factory->create("rx", CF::Properties(properties, CF::DataType("gain", CORBA::Any())),
                      CF::DeviceAssignmentSequence(assignments, CF::DeviceAssignmentType("c", "d")));
    });
  };
  const std::string rejected = "10001 properties or device assignments are given; the limit is 10000";
  EXPECT_EQ(created(10'001, 0), rejected);
  EXPECT_EQ(created(0, 10'001), rejected);
  EXPECT_EQ(created(10'000, 10'000), "nothing");
}

TEST_F(DomainTest, KeepsNoTraceOfAnApplicationThatCannotBeCreated) {
  const auto factory = install();
  EXPECT_EQ(message_of([&] { factory->create("rx", {}, {}); }), "no device");
  EXPECT_THAT(domain->model->applications(), IsEmpty());
  join();
  disk.full = true;
  EXPECT_THAT(message_of([&] { factory->create("rx", {}, {}); }), HasSubstr("no space"));
  disk.full = false;
  factory->create("rx", {}, {});
  EXPECT_THAT(message_of([&] { factory->create("rx", {}, {}); }), HasSubstr("exists already"));
}

TEST_F(DomainTest, CreatesOnlyOneOfTheApplicationsOfOneNameAtATime) {
  join();
  const auto factory = install();
  std::atomic<int> created = 0, rejected = 0;
  std::vector<std::jthread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&, i] {
      TestOrb orb;
      const auto own = orb.use(factory);
      try {
        own->create(i % 2 == 0 ? "same" : "other " + std::to_string(i), {}, {});
        ++created;
      } catch (const CF::ApplicationFactory::CreateApplicationError& e) {
        if (e.errorNumber() == CF::ErrorNumberType::CF_EEXIST) ++rejected;
      }
    });
  }
  threads.clear();
  EXPECT_EQ(created, 5);
  EXPECT_EQ(rejected, 3);
  EXPECT_EQ(client->applications().size(), 5u);
}

TEST_F(DomainTest, ListsNoApplicationWhoseObjectDoesNotExistYet) {
  join();
  std::string name;
  deployment.deployed = [&](const Application&) { name = use(client->applications().at(0))->name(); };
  create("rx");
  EXPECT_EQ(name, "rx");
}

TEST_F(DomainTest, UndoesACreationDuringWhichANodeIsLost) {
  join();
  deployment.during = [&](const Application& record) {
    std::jthread([&] { node.reset(); }).join();  // not in an upcall
    becomes_true([&] { return domain->model->devices().empty(); });
    EXPECT_THAT(client->applications(), IsEmpty()) << record.name << " is listed before it exists";
    // A deployment that waits for the component to register ends at once.
    EXPECT_TRUE(becomes_true([&] {
      const std::string end = domain->domain.process_end(record.components[0].device, 4711);
      return end.find("was lost with its device: ") == 0;
    }));
  };
  EXPECT_THAT(message_of([&] { create(); }),
              HasSubstr("device 'node-1/gpp' of component 'source_1:rx' is lost"));
  EXPECT_THAT(deployment.undeployed, ElementsAre("rx"));
  EXPECT_THAT(domain->model->applications(), IsEmpty());
}

TEST_F(DomainTest, KeepsAnApplicationWhoseFailedCreationCouldNotBeUndone) {
  join();
  deployment.during = [](const Application&) {  // the stored record has a process
    throw CF::ApplicationFactory::CreateApplicationError(CF::ErrorNumberType::CF_EIO, "cannot be terminated");
  };
  EXPECT_EQ(message_of([&] { create(); }), "cannot be terminated");
  ASSERT_EQ(client->applications().size(), 1u);
  const auto left = IDL::traits<framework::DomainApplication>::narrow(use(client->applications()[0]));
  EXPECT_EQ(left->state(), State::APPLICATION_FAILED);
  EXPECT_THAT(left->failure(), HasSubstr("could not be undone"));
  left->releaseObject();
  EXPECT_THAT(deployment.undeployed, ElementsAre("rx"));
  EXPECT_THAT(domain->model->applications(), IsEmpty());
}

TEST_F(DomainTest, FreesTheNameOfACreationWhoseObjectCannotBeMade) {
  DomainFacade facade;
  facade.name = "other-edition";
  facade.manager = [](Domain&) { return CORBA::make_reference<TestComponent>("manager"); };
  facade.factory = [](Domain&, const std::string& id) { return CORBA::make_reference<TestComponent>(id); };
  facade.application = [](Domain&, const std::string&) -> DomainFacade::Servant {
    throw CORBA::NO_RESOURCES(0, CORBA::CompletionStatus::COMPLETED_NO, "no object");
  };
  facades.push_back(facade);
  start();
  join();
  deployment.during = [](const Application&) {  // the stored record has a process
    throw CF::ApplicationFactory::CreateApplicationError(CF::ErrorNumberType::CF_EIO, "cannot be terminated");
  };
  EXPECT_EQ(message_of([&] { create(); }), "cannot be terminated");
  EXPECT_TRUE(has_logged(domain->domain, "cannot be removed from the state: ")) << "it is tried again";
  EXPECT_TRUE(becomes_true([&] { return domain->model->applications().empty(); }));
  EXPECT_THAT(deployment.undeployed, ElementsAre("rx"));
}

TEST_F(DomainTest, KeepsAnApplicationWhoseReleaseIsIncompleteUntilTheNextRelease) {
  join();
  const auto application = create();
  deployment.left = {"device 'gpp' does not answer"};
  EXPECT_THROW(application->releaseObject(), CF::LifeCycle::ReleaseError);
  EXPECT_EQ(application->state(), State::APPLICATION_FAILED);
  EXPECT_TRUE(domain->domain.naming_context("rx"));
  EXPECT_THROW(application->releaseObject(), CF::LifeCycle::ReleaseError);
  EXPECT_THAT(client->applications(), IsEmpty());
  EXPECT_THROW(domain->naming->resolve_str("orbweaver/rx"), CosNaming::NamingContext::NotFound);
}

TEST_F(DomainTest, RejectsNamesOfApplicationsThatAreNoPrintableText) {
  join();
  const auto factory = install();
  for (const std::string& name : {std::string(300, 'x'), std::string("a\nb"), std::string("caf\xe9")})
    EXPECT_THAT(message_of([&] { factory->create(name, {}, {}); }), HasSubstr("give it another one"));
  EXPECT_THAT(disk.records, ::testing::SizeIs(3)) << "a node, a device and the installed application";
}

TEST_F(DomainTest, FreesTheNameOfACreationWhoseUndoingCouldNotBeStored) {
  join();
  deployment.during = [&](const Application&) {
    disk.full = true;
    throw CF::ApplicationFactory::CreateApplicationError(CF::ErrorNumberType::CF_EIO, "no antenna");
  };
  EXPECT_EQ(message_of([&] { create(); }), "no antenna");
  deployment.during = [](const Application&) {};
  EXPECT_TRUE(has_logged(domain->domain, "cannot be removed from the state: no space"));
  EXPECT_THAT(message_of([&] { create(); }), HasSubstr("exists already"));
  disk.full = false;
  EXPECT_TRUE(becomes_true([&] { return domain->model->applications().empty(); }));
  EXPECT_TRUE(create()) << "the name is free, without a restart of the domain";
}

TEST_F(DomainTest, FreesTheNameOfAnInterruptedCreationWhoseRemovalCouldNotBeStored) {
  join();
  create();
  domain.reset();
  for (auto& [key, value] : disk.records) {
    Application record;
    if (!key.starts_with("application/") || !from_json_text(value, record)) continue;
    record.state = ApplicationState::deploying;
    value = to_json_text(record);
  }
  std::atomic<bool> fills{true};
  deployment.undeploying = [&](const Application&) {
    if (fills) disk.full = true;
  };
  start();
  EXPECT_TRUE(becomes_true([&] { return has_logged(domain->domain, "the name is in use until then"); }));
  fills = false;
  EXPECT_TRUE(becomes_true([&] {
    disk.full = false;
    return domain->model->applications().empty();
  }));
}

}  // namespace
}  // namespace orbweaver::sca
