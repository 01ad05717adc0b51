// Nodes, devices and services of SCA 4.1 that register themselves with a domain, beside a node of 2.2.2.
#include "sca/cf41/component_registration.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <utility>

#include "Domain41C.h"
#include "platform/testing/becomes_true.h"
#include "sca/cf222/testing/test_domain.h"
#include "sca/cf41/facade.h"
#include "sca/cf41/testing/test_node41.h"

namespace orbweaver::sca {
namespace {

using namespace orbweaver::sca::testing;
using platform::testing::becomes_true;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using Registry = CF::FullComponentRegistry;
using RegisterError = CF::ComponentRegistry::RegisterError;

/// A domain that survives its domain manager.
class Registration41 : public ::testing::Test {
 protected:
  Registration41() : node222_("node-1"), node_("radio"), deployment_(node222_) {
    write_device_profile(root_);
    naming_ = naming::make_naming_service(orb_.poa);
    start();
  }
  ~Registration41() override { domain_->end(); }

  void start() {
    if (domain_) domain_->end();
    domain_.reset();
    model_ = std::move(*DomainModel::open(std::make_unique<DiskStore>(disk_)));
    DomainOptions options;
    options.root = root_.path().string();
    options.functions = deployment_.functions();
    options.facades = {facade_of_sca41()};
    options.watch.limit = watch_limit_;
    domain_.emplace(orb_.orb, naming_, *model_, std::move(options));
    domain_->start()->registerDeviceManager(orb_.use(node222_.manager()));
    client_ = IDL::traits<framework::DomainManager41>::narrow(node_.orb().orb->string_to_object(
        orb_.orb->object_to_string(naming_->resolve_str("orbweaver/DomainManager41"))));
  }
  /// Number and message of the RegisterError that a registration raises; CF_NOTSET and "" if it raises none.
  std::pair<CF::ErrorNumberType, std::string> error_of(const CF::ComponentType& component) {
    try {
      client_->registerComponent(component);
    } catch (const RegisterError& e) {
      return {e.errorNumber(), e.msg()};
    }
    return {CF::ErrorNumberType::CF_NOTSET, ""};
  }
  std::optional<CandidateDevice> candidate(const std::string& id) {
    for (const DeploymentDevice& device : domain_->devices())
      if (device.candidate.id == id) return device.candidate;
    return std::nullopt;
  }
  std::optional<CF::ComponentType> manager(const std::string& id) {
    for (const CF::ComponentType& each : client_->managers())
      if (each.identifier() == id) return each;
    return std::nullopt;
  }

  std::chrono::milliseconds watch_limit_ = std::chrono::minutes(2);
  TemporaryFolder root_;
  Disk disk_;
  TestNode node222_;
  TestNode41 node_;
  TestDeployment deployment_;
  TestOrb orb_;
  naming::ContextExtRef naming_;
  std::unique_ptr<DomainModel> model_;
  std::optional<Domain> domain_;
  CORBA::object_reference<framework::DomainManager41> client_;
};

TEST_F(Registration41, TakesANodeWithItsDevicesIntoTheDomain) {
  client_->registerComponent(node_.manager({node_.gpp()}));
  const auto record = model_->node("radio");
  ASSERT_TRUE(record);
  EXPECT_TRUE(record->is_sca41);
  EXPECT_TRUE(domain_->file_manager()->exists("/radio/gpp.spd.xml")) << "its file system is mounted";
  const auto device = candidate("radio.gpp");
  ASSERT_TRUE(device);
  EXPECT_EQ(device->closed, "");
  EXPECT_TRUE(device->executes);
  EXPECT_EQ(device->node, "radio");
  EXPECT_EQ(device->platform.system, "Linux");
  ASSERT_THAT(device->properties, SizeIs(3)) << "as the device has told, and not those of its profile";
  EXPECT_EQ(unmet(device->properties[1], {"waveform", "fm"}), std::nullopt) << "one of two values";
  EXPECT_TRUE(unmet(device->properties[1], {"waveform", "pm"}));
  EXPECT_EQ(device->properties[2].action, MatchAction::external);
}

TEST_F(Registration41, ListsNodesOfBothEditions) {
  client_->registerComponent(node_.manager({node_.gpp()}));
  const auto managers = client_->managers();
  ASSERT_EQ(managers.size(), 2u);
  const auto radio = manager("radio");
  ASSERT_TRUE(radio);
  EXPECT_TRUE(radio->componentObject()->_is_a("IDL:CF/ReleasableManager:1.0")) << "the object of the node";
  CF::ManagerInfo info;
  ASSERT_TRUE(radio->specializedInfo().at(0).value() >>= info);
  EXPECT_EQ(radio->specializedInfo()[0].id(), CF::MANAGER_INFO_ID);
  EXPECT_TRUE(info.fileSys()->exists("/gpp.spd.xml"));
  ASSERT_EQ(info.deployedComponents().size(), 1u);
  const CF::ComponentType& device = info.deployedComponents()[0];
  EXPECT_EQ(device.type(), CF::ComponentEnumType::EXECUTABLE_DEVICE_COMPONENT);
  EXPECT_TRUE(device.componentObject()->_is_a("IDL:CF/ExecutableInterface:1.0"));
  CF::AllocationProperties properties;
  ASSERT_TRUE(device.specializedInfo().at(1).value() >>= properties);
  ASSERT_EQ(properties.size(), 3u);
  EXPECT_THAT(properties[1].values(), ElementsAre("am", "fm"));
  const auto of_222 = manager("node-1");
  ASSERT_TRUE(of_222);
  ASSERT_TRUE(of_222->specializedInfo().at(0).value() >>= info);
  EXPECT_TRUE(info.fileSys()->exists("/gpp.spd.xml"));
  EXPECT_EQ(info.deployedComponents().size(), 1u);
}

TEST_F(Registration41, TakesADeviceThatRegistersLater) {
  client_->registerComponent(node_.manager());
  EXPECT_FALSE(candidate("radio.gpp"));
  client_->registerComponent(node_.gpp(false));
  const auto device = candidate("radio.gpp");
  ASSERT_TRUE(device);
  EXPECT_EQ(device->platform.system, "Linux") << "of its profile, from the file system of its node";
  client_->registerComponent(node_.gpp(false));
  EXPECT_EQ(domain_->devices().size(), 2u) << "one device, which has registered twice";
}

TEST_F(Registration41, ClosesADeviceThatIsLocked) {
  client_->registerComponent(node_.manager({node_.gpp()}));
  node_.device->adminState(CF::AdministratableInterface::AdminType::LOCKED);
  EXPECT_EQ(candidate("radio.gpp")->closed, "is locked");
}

TEST_F(Registration41, UnregistersDevicesNodesAndServices) {
  client_->registerComponent(node_.manager({node_.gpp()}));
  CF::ComponentType service = node_.gpp();
  service.identifier("clock");
  service.type(CF::ComponentEnumType::SERVICE_COMPONENT);
  client_->registerComponent(service);
  EXPECT_TRUE(model_->service("clock"));
  client_->unregisterComponent("clock");
  EXPECT_FALSE(model_->service("clock"));
  client_->unregisterComponent("radio.gpp");
  EXPECT_FALSE(candidate("radio.gpp"));
  client_->unregisterComponent("radio");
  EXPECT_FALSE(model_->node("radio"));
  EXPECT_FALSE(domain_->file_manager()->exists("/radio/gpp.spd.xml"));
  try {
    client_->unregisterComponent("radio");
    FAIL() << "no exception";
  } catch (const Registry::UnregisterError& e) {
    EXPECT_EQ(e.errorNumber(), CF::ErrorNumberType::CF_ENOENT);
    EXPECT_THAT(e.msg(), HasSubstr("'radio'"));
  }
}

/// Callers on other hosts.
const Caller kNode{"net:192.0.2.1"}, kForeign{"net:192.0.2.2"}, kDevice{"subject:CN=gpp"};

/// A domain with a node of SCA 4.1, which another host has registered, and a device that has registered
/// itself.
struct ForeignRegistration41 : Registration41 {
  ForeignRegistration41() {
    register_component(*domain_, node_.manager(), kNode);
    register_component(*domain_, node_.gpp(false), kDevice);
  }
  CF::ErrorNumberType unregister(const std::string& id, const Caller& caller) {
    try {
      unregister_component(*domain_, id, caller);
    } catch (const Registry::UnregisterError& e) {
      return e.errorNumber();
    }
    return CF::ErrorNumberType::CF_NOTSET;
  }
};

TEST_F(ForeignRegistration41, IsEndedByItsRegistrantsAndAdministratorsOnly) {
  using Error = CF::ErrorNumberType;
  EXPECT_EQ(unregister("radio.gpp", kForeign), Error::CF_EPERM);
  EXPECT_EQ(unregister("radio", kForeign), Error::CF_EPERM);
  EXPECT_EQ(unregister("radio", kDevice), Error::CF_EPERM);
  EXPECT_EQ(unregister("node-1", kForeign), Error::CF_EPERM) << "a node of SCA 2.2.2";
  EXPECT_EQ(unregister("none", kForeign), Error::CF_ENOENT);
  EXPECT_TRUE(candidate("radio.gpp"));
  EXPECT_EQ(unregister("radio.gpp", kDevice), Error::CF_NOTSET);
  register_component(*domain_, node_.gpp(false), kDevice);
  EXPECT_EQ(unregister("radio.gpp", kNode), Error::CF_NOTSET) << "of its node";
  EXPECT_EQ(unregister("radio", {"user:0", true}), Error::CF_NOTSET);
  EXPECT_FALSE(model_->node("radio"));
}

TEST_F(ForeignRegistration41, StaysThatOfItsRegistrantWhenAnotherRegistersTheSameObject) {
  register_component(*domain_, node_.manager({node_.gpp()}), kForeign);
  register_component(*domain_, node_.gpp(false), kForeign);
  EXPECT_EQ(unregister("radio.gpp", kForeign), CF::ErrorNumberType::CF_EPERM);
  EXPECT_EQ(unregister("radio", kForeign), CF::ErrorNumberType::CF_EPERM);
  EXPECT_EQ(unregister("radio.gpp", kDevice), CF::ErrorNumberType::CF_NOTSET);
}

TEST_F(Registration41, StaysThatOfItsRegistrantsAfterTheLossOfItsNode) {
  watch_limit_ = std::chrono::milliseconds(500);
  start();
  const auto manager = [&](const CF::Components& components) {
    CF::ComponentType described = node_.manager(components);
    described.componentObject(orb_.use(described.componentObject()));  // which may hang: not collocated
    return described;
  };
  register_component(*domain_, manager({}), kNode);
  register_component(*domain_, node_.gpp(false), kDevice);
  node_.hang(true);
  ASSERT_TRUE(becomes_true([&] { return !model_->node("radio"); }));
  register_component(*domain_, manager({node_.gpp()}), kForeign);
  node_.hang(false);
  ASSERT_TRUE(becomes_true([&] { return model_->node("radio") && model_->device("radio.gpp"); }));
  EXPECT_EQ(model_->node("radio").value_or(Node()).registrant, kNode.identity);
  EXPECT_EQ(model_->device("radio.gpp").value_or(RegisteredDevice()).registrant, kDevice.identity);
}

TEST_F(ForeignRegistration41, SurvivesARestartOfTheDomainManager) {
  start();
  EXPECT_EQ(unregister("radio.gpp", kForeign), CF::ErrorNumberType::CF_EPERM);
  EXPECT_EQ(unregister("radio.gpp", kDevice), CF::ErrorNumberType::CF_NOTSET);
  EXPECT_EQ(unregister("radio", kNode), CF::ErrorNumberType::CF_NOTSET);
}

TEST_F(Registration41, RejectsWhatItCannotUse) {
  using Error = CF::ErrorNumberType;
  CF::ComponentType nothing = node_.manager();
  nothing.componentObject(nullptr);
  EXPECT_THROW(client_->registerComponent(nothing), CF::InvalidObjectReference);
  auto [number, message] = error_of(node_.gpp());
  EXPECT_EQ(number, Error::CF_ENOENT) << "its node is not registered";
  EXPECT_THAT(message, HasSubstr(CF::DEVICE_MANAGER_ID));
  CF::ComponentType application = node_.gpp();
  application.type(CF::ComponentEnumType::APPLICATION_COMPONENT);
  EXPECT_EQ(error_of(application).first, Error::CF_EINVAL);
  CF::ComponentType wrong = node_.manager();
  wrong.specializedInfo({TestNode41::info(CF::MANAGER_INFO_ID, std::string("files"))});
  EXPECT_THAT(error_of(wrong).second, HasSubstr("has another type"));
  client_->registerComponent(node_.manager());
  CF::ComponentType no_profile = node_.gpp(false);
  no_profile.profile("/none.spd.xml");
  EXPECT_THAT(error_of(no_profile).second, HasSubstr("/none.spd.xml"));
  TestNode41 other("radio");
  EXPECT_EQ(error_of(other.manager()).first, Error::CF_EEXIST) << "the first one runs";
  EXPECT_EQ(model_->nodes().size(), 2u);
}

TEST_F(Registration41, NoticesANodeThatHasEnded) {
  std::optional<TestNode41> other;
  other.emplace("mobile");
  client_->registerComponent(other->manager({other->gpp()}));
  ASSERT_TRUE(candidate("mobile.gpp"));
  other.reset();
  EXPECT_TRUE(becomes_true([&] { return !model_->node("mobile"); }));
  EXPECT_FALSE(model_->device("mobile.gpp"));
}

TEST_F(Registration41, TakesANodeBackThatAnswersAgain) {
  watch_limit_ = std::chrono::milliseconds(500);
  start();
  client_->registerComponent(node_.manager());
  client_->registerComponent(node_.gpp());
  CF::ComponentType service = node_.gpp();
  service.type(CF::ComponentEnumType::SERVICE_COMPONENT);
  for (const char* const name : {"clock", "gone"}) {
    service.identifier(name);
    client_->registerComponent(service);
  }
  client_->unregisterComponent("gone");
  node_.hang(true);
  EXPECT_TRUE(becomes_true([&] { return !model_->node("radio"); }));
  EXPECT_FALSE(model_->service("clock"));
  node_.hang(false);
  EXPECT_TRUE(becomes_true([&] { return candidate("radio.gpp") && model_->service("clock"); }))
      << "what has registered after its node, too, as nothing registers again by itself";
  EXPECT_FALSE(model_->service("gone"));
}

TEST_F(Registration41, LimitsWhatADeviceTells) {
  using Error = CF::ErrorNumberType;
  const auto told = [&](const CF::AllocationProperties& properties) {
    CF::ComponentType device = node_.gpp(false);
    device.specializedInfo().push_back(TestNode41::info(CF::ALLOCATION_PROPS_ID, properties));
    return error_of(device).first;
  };
  const auto property = [](const std::string& id, const CF::StringSequence& values) {
    return CF::AllocationPropertyType(id, values, CF::PropertyActionType::CF_EQ, CF::PropertyType::CF_STRING);
  };
  client_->registerComponent(node_.manager());
  EXPECT_EQ(told({property(std::string(1025, 'p'), {})}), Error::CF_E2BIG);
  EXPECT_EQ(told({property("p", {std::string(1025, 'v')})}), Error::CF_E2BIG);
  EXPECT_EQ(told({property("p", CF::StringSequence(257, "v"))}), Error::CF_E2BIG);
  EXPECT_EQ(told(CF::AllocationProperties(1025, property("p", {"v"}))), Error::CF_E2BIG);
  EXPECT_EQ(told({property("p", CF::StringSequence(200, std::string(1000, 'v'))),
                  property("q", CF::StringSequence(200, std::string(1000, 'v')))}),
            Error::CF_E2BIG)
      << "together";
  EXPECT_FALSE(candidate("radio.gpp"));
  EXPECT_EQ(told({property("p", CF::StringSequence(200, std::string(1000, 'v')))}), Error::CF_NOTSET);
  EXPECT_TRUE(candidate("radio.gpp"));
}

TEST_F(Registration41, MountsTheFilesOfANodeUnderAValidName) {
  TestNode41 other("DCE:radio/two");
  client_->registerComponent(other.manager());
  EXPECT_TRUE(domain_->file_manager()->exists("/DCE_radio_two/gpp.spd.xml"));
}

TEST_F(Registration41, FindsANodeAgainAfterARestart) {
  client_->registerComponent(node_.manager({node_.gpp()}));
  start();
  const auto device = candidate("radio.gpp");
  ASSERT_TRUE(device);
  EXPECT_EQ(device->closed, "");
  EXPECT_THAT(device->properties, SizeIs(3));
  EXPECT_TRUE(domain_->file_manager()->exists("/radio/gpp.spd.xml"));
}

TEST_F(Registration41, StoresNothingThatTheDiskDoesNotTake) {
  disk_.full = true;
  EXPECT_EQ(error_of(node_.manager()).first, CF::ErrorNumberType::CF_EIO);
  disk_.full = false;
  EXPECT_FALSE(model_->node("radio"));
}

TEST_F(Registration41, ShowsManagersOf222ToItsClientsOnly) {
  client_->registerComponent(node_.manager({node_.gpp()}));
  const auto domain = IDL::traits<CF::DomainManager>::narrow(naming_->resolve_str("orbweaver/orbweaver"));
  EXPECT_EQ(domain->deviceManagers().size(), 1u) << "a node of SCA 4.1 is no CF::DeviceManager";
  EXPECT_EQ(client_->domainManagerProfile(), "");
  EXPECT_TRUE(client_->fileMgr()->exists("/gpp.spd.xml"));
}

}  // namespace
}  // namespace orbweaver::sca
