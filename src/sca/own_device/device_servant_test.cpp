// Devices of a program's own class: capacities, states and properties of their servant.
#include "sca/own_device/device_servant.h"

#include <gmock/gmock.h>

#include <stdexcept>
#include <vector>

#include "sca/runtime/property_any.h"

namespace orbweaver::sca {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class Receiver : public Device {
 public:
  using Device::Device;
  ~Receiver() override { shut_down(); }

  using Device::set_enabled;
  bool works = true;
  std::vector<std::string> calls;

 protected:
  bool on_allocate(const Amounts& amounts) override {
    note("allocate", amounts);
    if (amounts.contains("power")) throw std::runtime_error("the amplifier is too hot");
    return works;
  }
  void on_deallocate(const Amounts& amounts) override {
    note("deallocate", amounts);
    if (!works) throw std::runtime_error("no answer");
  }

 private:
  void note(const std::string& what, const Amounts& amounts) {
    std::string text = what;
    for (const auto& [id, amount] : amounts)
      text += " " + id + "=" + std::to_string(static_cast<int>(amount * 10));
    calls.push_back(text);
  }

  Capacity channels_{*this, "channels", 2};
  Capacity power_{*this, "power", 10.5, "double"};
  Property<double> tone_hz_{*this, "tone_hz", 1000.0};
};

CF::DataType value(const std::string& id, const std::string& type, const std::string& text) {
  return {id, any_of(type, text)};
}

struct OwnDevice : ::testing::Test {
  Context context = Context::with({{"COMPONENT_IDENTIFIER", "receiver"}});
  Receiver receiver{context};
  std::vector<std::string> changes;
  CORBA::servant_reference<DeviceServant> servant = CORBA::make_reference<DeviceServant>(
      receiver, nullptr, DeviceNames{"left", "/receiver.spd.xml"},
      [this](const DeviceStateChange& change) { changes.push_back(change.from + ">" + change.to); }, [] {});

  std::string left(const std::string& id) {
    CF::Properties values{CF::DataType(id, CORBA::Any())};
    servant->query(values);
    return type_name_of(values.at(0).value()) + " " + text_of(values.at(0).value()).value_or("?");
  }
};

TEST_F(OwnDevice, AllocatesAndGivesBack) {
  EXPECT_EQ(servant->identifier() + " " + servant->label() + " " + servant->softwareProfile(),
            "receiver left /receiver.spd.xml");
  EXPECT_FALSE(servant->compositeDevice());
  EXPECT_TRUE(servant->allocateCapacity({value("channels", "ulong", "1")}));
  EXPECT_EQ(left("channels"), "ulong 1");
  EXPECT_EQ(servant->usageState(), CF::Device::UsageType::ACTIVE);
  EXPECT_FALSE(servant->allocateCapacity({value("channels", "ulong", "2")})) << "one is left";
  servant->deallocateCapacity({value("channels", "ulong", "1")});
  EXPECT_EQ(left("channels"), "ulong 2");
  EXPECT_EQ(servant->usageState(), CF::Device::UsageType::IDLE);
  EXPECT_THAT(receiver.calls, ElementsAre("allocate channels=10", "deallocate channels=10"));
  EXPECT_THAT(changes, ElementsAre("IDLE>ACTIVE", "ACTIVE>IDLE"));
}

TEST_F(OwnDevice, GivesBackWhatAnIdHas) {
  const CF::DataType id = value("allocation_id", "string", "a/1");
  ASSERT_TRUE(servant->allocateCapacity({value("channels", "ulong", "2"), id}));
  servant->deallocateCapacity({id});
  servant->deallocateCapacity({id});
  EXPECT_THAT(receiver.calls, ElementsAre("allocate channels=20", "deallocate channels=20")) << "once";
}

TEST_F(OwnDevice, MayRefuseAnAllocation) {
  receiver.works = false;
  EXPECT_FALSE(servant->allocateCapacity({value("channels", "ulong", "1")}));
  EXPECT_EQ(left("channels"), "ulong 2");
  ::testing::internal::CaptureStderr();
  EXPECT_FALSE(servant->allocateCapacity({value("power", "double", "0.5")}));
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr("the amplifier is too hot"));
  EXPECT_EQ(left("power"), "double 10.5");
  EXPECT_EQ(servant->usageState(), CF::Device::UsageType::IDLE);
}

TEST_F(OwnDevice, SurvivesAnExceptionOfTheEnd) {
  ASSERT_TRUE(servant->allocateCapacity({value("channels", "ulong", "1")}));
  receiver.works = false;
  ::testing::internal::CaptureStderr();
  servant->deallocateCapacity({value("channels", "ulong", "1")});
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr("no answer"));
  EXPECT_EQ(left("channels"), "ulong 2");
}

TEST_F(OwnDevice, RejectsOtherCapacities) {
  try {
    servant->allocateCapacity({value("channels", "ulong", "1"), value("antennas", "ulong", "1")});
    ADD_FAILURE() << "it has allocated them";
  } catch (const CF::Device::InvalidCapacity& e) {
    EXPECT_EQ(e.msg(), "the device has no capacity 'antennas'; it has channels and power");
    ASSERT_EQ(e.capacities().size(), 1u);
    EXPECT_EQ(e.capacities()[0].id(), "antennas");
  }
  EXPECT_THROW(servant->allocateCapacity({value("channels", "long", "-1")}), CF::Device::InvalidCapacity);
  EXPECT_THROW(servant->allocateCapacity({value("channels", "string", "1")}), CF::Device::InvalidCapacity);
  EXPECT_THROW(servant->deallocateCapacity({value("channels", "ulong", "1")}), CF::Device::InvalidCapacity)
      << "nothing is allocated";
  EXPECT_THAT(receiver.calls, IsEmpty());
}

TEST_F(OwnDevice, CannotBeUsedWhileItIsLockedOrDisabled) {
  ASSERT_TRUE(servant->allocateCapacity({value("channels", "ulong", "1")}));
  servant->adminState(CF::Device::AdminType::LOCKED);
  EXPECT_EQ(servant->adminState(), CF::Device::AdminType::SHUTTING_DOWN);
  EXPECT_THROW(servant->allocateCapacity({value("channels", "ulong", "1")}), CF::Device::InvalidState);
  servant->deallocateCapacity({value("channels", "ulong", "1")});
  EXPECT_EQ(servant->adminState(), CF::Device::AdminType::LOCKED);
  servant->adminState(CF::Device::AdminType::UNLOCKED);
  receiver.set_enabled(false);
  EXPECT_EQ(servant->operationalState(), CF::Device::OperationalType::DISABLED);
  EXPECT_THROW(servant->allocateCapacity({value("channels", "ulong", "1")}), CF::Device::InvalidState);
  receiver.set_enabled(true);
  EXPECT_TRUE(servant->allocateCapacity({value("channels", "ulong", "1")}));
}

TEST_F(OwnDevice, HasThePropertiesOfItsComponent) {
  servant->configure({value("tone_hz", "double", "440")});
  CF::Properties values{CF::DataType("power", CORBA::Any()), CF::DataType("tone_hz", CORBA::Any()),
                        CF::DataType("channels", CORBA::Any())};
  servant->query(values);
  std::vector<std::string> texts;
  for (const CF::DataType& each : values)
    texts.push_back(each.id() + "=" + text_of(each.value()).value_or("?"));
  EXPECT_THAT(texts, ElementsAre("power=10.5", "tone_hz=440", "channels=2"));
  values.clear();
  servant->query(values);
  texts.clear();
  for (const CF::DataType& each : values) texts.push_back(each.id());
  EXPECT_THAT(texts, ElementsAre("tone_hz", "channels", "power"));
  values = {CF::DataType("antennas", CORBA::Any())};
  EXPECT_THROW(servant->query(values), CF::UnknownProperties);
}

TEST(OwnDeviceClass, HasCapacitiesOfDifferentIds) {
  struct Twice : Device {
    using Device::Device;
    ~Twice() override { shut_down(); }
    Capacity one{*this, "channels", 1};
    Capacity two{*this, "channels", 1};
  };
  Context context;
  EXPECT_THROW(Twice{context}, std::invalid_argument);
  struct Negative : Device {
    using Device::Device;
    ~Negative() override { shut_down(); }
    Capacity one{*this, "channels", -1};
  };
  EXPECT_THROW(Negative{context}, std::invalid_argument);
}

}  // namespace
}  // namespace orbweaver::sca
