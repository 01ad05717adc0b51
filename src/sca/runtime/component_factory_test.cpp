#include "sca/runtime/component_factory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <thread>

#include "platform/testing/becomes_true.h"
#include "sca/runtime/property_any.h"

namespace orbweaver::sca {
namespace {

using platform::testing::becomes_true;
using ::testing::HasSubstr;
using enum CF::ErrorNumberType;

/// A component whose constructor can be held.
class Modem : public Component {
 public:
  explicit Modem(Context& context) : Component(context) {
    if (is_held) {
      is_entered = true;
      is_held.wait(true);
    }
    if (speed_ == 0) throw std::runtime_error("a modem cannot stand still");
  }
  ~Modem() override { shut_down(); }
  static inline std::atomic<bool> is_held{false}, is_entered{false};

 private:
  Property<std::uint32_t> speed_{*this, "speed", 7};
  Input<float> in_{*this, "in", [](const Packet<float>&) {}};
  Output<float> out_{*this, "out"};
};

class ModemFactory : public ComponentFactory {
 public:
  explicit ModemFactory(Context& context) : ComponentFactory(context) {
    add<Modem>("modem");
    add("none", [](Context&) { return nullptr; });
  }
  bool is_broken = false;
  std::function<void()> on_initialize = [] {};

 protected:
  void initialize() override {
    on_initialize();
    if (is_broken) throw std::runtime_error("there is no board");
  }
};

/// A factory in this process, and a reference to it.
class ComponentFactoryTest : public ::testing::Test {
 protected:
  ComponentFactoryTest() {
    static char program[] = "test";
    static char* argv[] = {program, nullptr};
    int argc = 1;
    host_ = std::make_unique<ComponentHost>(argc, argv);
    servant_ = CORBA::make_reference<ComponentFactoryServant>(
        *host_, std::make_unique<ComponentFactoryClasses>(own_), [this] { own_.set_up(); });
    factory_ = IDL::traits<CF::ComponentFactory>::narrow(
        host_->poa()->id_to_reference(host_->poa()->activate_object(servant_)));
  }
  ~ComponentFactoryTest() override {
    factory_ = nullptr;
    host_.reset();
  }

  static CF::Properties qualifiers(std::initializer_list<std::pair<const char*, const char*>> values = {
                                       {"COMPONENT_CLASS", "modem"}}) {
    CF::Properties all;
    for (const auto& [id, value] : values) all.emplace_back(id, any_of("string", value));
    return all;
  }
  IDL::traits<CF::LifeCycle>::ref_type create(const std::string& id) {
    return IDL::traits<CF::LifeCycle>::narrow(factory_->createComponent(id, qualifiers()).componentObject());
  }
  /// The number and message of the failure of createComponent().
  std::pair<CF::ErrorNumberType, std::string> failure(const std::string& id, const CF::Properties& given) {
    try {
      servant_->createComponent(id, given);
    } catch (const CF::ComponentFactory::CreateComponentFailure& e) {
      return {e.errorNumber(), e.msg()};
    }
    return {CF_NOTSET, "none"};
  }

  Context exec_params_ = Context::with({{"COMPONENT_IDENTIFIER", "factory_1"}});
  ModemFactory own_{exec_params_};
  std::unique_ptr<ComponentHost> host_;
  CORBA::servant_reference<ComponentFactoryServant> servant_;
  IDL::traits<CF::ComponentFactory>::ref_type factory_;
};

TEST_F(ComponentFactoryTest, CreatesAComponentWithItsQualifiersAndPorts) {
  const CF::ComponentType created =
      factory_->createComponent("a", qualifiers({{"COMPONENT_CLASS", "modem"}, {"speed", "12"}}));
  EXPECT_EQ(created.identifier(), "a");
  EXPECT_EQ(created.type(), CF::ComponentEnumType::MANAGEABLE_APPLICATION_COMPONENT);
  ASSERT_EQ(created.providesPorts().size(), 1u);
  EXPECT_EQ(created.providesPorts()[0].portName(), "in");
  EXPECT_TRUE(created.providesPorts()[0].portReference());
  EXPECT_TRUE(IDL::traits<CF::ControllableInterface>::narrow(created.componentObject()));
  CF::Properties queried;
  IDL::traits<CF::PropertySet>::narrow(created.componentObject())->query(queried);
  ASSERT_EQ(queried.size(), 1u);
  EXPECT_EQ(text_of(queried[0].value()), "12");
}

TEST_F(ComponentFactoryTest, RejectsTheIdOfAnExistingComponent) {
  const auto first = create("a");
  EXPECT_EQ(failure("a", qualifiers()), std::pair(CF_EEXIST, std::string("there is a component 'a'")));
  first->releaseObject();
  EXPECT_THROW(first->initialize(), CORBA::OBJECT_NOT_EXIST);
  EXPECT_NO_THROW(create("a")->initialize()) << "the id is free again";
  EXPECT_THROW(first->initialize(), CORBA::OBJECT_NOT_EXIST) << "an object of its own";
}

TEST_F(ComponentFactoryTest, ReportsWhatItCannotCreate) {
  EXPECT_EQ(failure("a", qualifiers({{"COMPONENT_CLASS", "modem"}, {"speed", "0"}})).second,
            "a modem cannot stand still");
  EXPECT_THAT(failure("a", qualifiers({{"COMPONENT_CLASS", "moden"}})).second,
              HasSubstr("the factory has no class 'moden'"));
  EXPECT_EQ(failure("a", qualifiers({{"COMPONENT_CLASS", "none"}})).second,
            "the factory has created no component");
  EXPECT_EQ(failure("", qualifiers()).first, CF_EINVAL);
  EXPECT_THAT(failure("a", qualifiers({{"speed", "1"}, {"speed", "2"}})).second,
              HasSubstr("'speed' is given twice"));
  EXPECT_THAT(failure("a", {{"speed", CORBA::Any()}}).second, HasSubstr("a type that no property has"));
  EXPECT_NO_THROW(create("a")) << "the id is still free";
}

TEST_F(ComponentFactoryTest, ReportsThatItCannotBeInitialized) {
  EXPECT_NO_THROW(factory_->initialize());
  own_.is_broken = true;
  try {
    factory_->initialize();
    ADD_FAILURE() << "it was initialized";
  } catch (const CF::LifeCycle::InitializeError& e) {
    EXPECT_EQ(e.errorMessages(), CF::StringSequence{"there is no board"});
  }
}

TEST_F(ComponentFactoryTest, ReleasesItsComponentsAndEndsWhenItIsReleased) {
  create("a");
  create("b");
  std::thread serving([&] { host_->serve(); });
  factory_->releaseObject();
  serving.join();
  EXPECT_EQ(failure("a", qualifiers()), std::pair(CF_EBUSY, std::string("the factory has been released")));
}

TEST_F(ComponentFactoryTest, ReleasesAComponentThatIsCreatedDuringItsRelease) {
  Modem::is_entered = false;
  Modem::is_held = true;
  std::pair<CF::ErrorNumberType, std::string> failed;
  std::thread creating([&] { failed = failure("a", qualifiers()); });
  EXPECT_TRUE(becomes_true([] { return Modem::is_entered.load(); }));
  EXPECT_EQ(failure("a", qualifiers()).first, CF_EEXIST);
  servant_->releaseObject();  // does not wait for the constructor
  Modem::is_held = false;
  Modem::is_held.notify_all();
  creating.join();
  EXPECT_EQ(failed, std::pair(CF_EBUSY, std::string("the factory has been released")));
}

TEST_F(ComponentFactoryTest, EndsAfterTheReleaseOfItsLastComponent) {
  std::atomic<bool> has_ended{false};
  std::thread serving([&] {
    host_->serve();
    has_ended = true;
  });
  std::thread unused([&] { servant_->end_when_unused(std::chrono::milliseconds(0)); });
  const auto first = create("a"), second = create("b");
  EXPECT_EQ(failure("c", qualifiers({{"COMPONENT_CLASS", "none"}})).first, CF_NOTSET);
  first->releaseObject();
  second->initialize();
  EXPECT_FALSE(has_ended);
  second->releaseObject();
  serving.join();
  unused.join();
}

TEST_F(ComponentFactoryTest, ServesARequestInServiceWhenItEndsUnused) {
  std::atomic<bool> is_initializing{false};
  const auto orb = factory_->_get_orb();
  const auto is_ending = [&] {
    try {
      orb->work_pending();
      return false;
    } catch (const CORBA::BAD_INV_ORDER&) {  // its shutdown has begun
      return true;
    }
  };
  own_.on_initialize = [&] {
    is_initializing = true;
    is_initializing.notify_all();
    EXPECT_TRUE(becomes_true(is_ending));
    servant_->end_wait();
  };
  create("a")->releaseObject();
  static char program[] = "client";
  static char* argv[] = {program, nullptr};
  int argc = 1;
  const auto client = CORBA::ORB_init(argc, argv, "client");  // as another process
  const auto remote =
      IDL::traits<CF::ComponentFactory>::narrow(client->string_to_object(orb->object_to_string(factory_)));
  std::thread initializing([&] { EXPECT_NO_THROW(remote->initialize()); });
  is_initializing.wait(false);
  servant_->end_when_unused(std::chrono::milliseconds(0));
  initializing.join();
  client->destroy();
  EXPECT_EQ(failure("a", qualifiers()), std::pair(CF_EBUSY, std::string("the factory has been released")));
}

TEST_F(ComponentFactoryTest, StaysIfItCreatesAnotherComponentInTime) {
  std::thread unused([&] { servant_->end_when_unused(std::chrono::hours(1)); });
  create("a")->releaseObject();
  EXPECT_NO_THROW(create("a")->initialize());
  servant_->end_wait();
  unused.join();
  EXPECT_NO_THROW(factory_->initialize());
}

}  // namespace
}  // namespace orbweaver::sca
