#include "sca/control/event_text.h"

#include <gtest/gtest.h>

#include "DomainC.h"
#include "StandardEventC.h"

namespace orbweaver::sca {
namespace {

template <class Event>
EventText described(const Event& event) {
  CORBA::Any any;
  any <<= event;
  return describe_event(any);
}

TEST(EventText, DescribesAStateChange) {
  using namespace StandardEvent;
  const EventText text = described(StateChangeEventType(
      "p1", "d1", StateChangeCategoryType::USAGE_STATE_EVENT, StateChangeType::IDLE, StateChangeType::BUSY));
  EXPECT_EQ(text.type, "IDL:StandardEvent/StateChangeEventType:1.0");
  EXPECT_EQ(text.text, "'d1' is now BUSY (was IDLE)");
  EXPECT_EQ(text.value["category"], "USAGE_STATE_EVENT");
  EXPECT_EQ(text.value["from"], "IDLE");
}

TEST(EventText, DescribesWhatIsAddedAndRemoved) {
  using namespace StandardEvent;
  EXPECT_EQ(described(DomainManagementObjectAddedEventType("p1", "id1", "left",
                                                           SourceCategoryType::DEVICE_MANAGER, nullptr))
                .text,
            "node 'left' (id1) has been added");
  const EventText removed = described(
      DomainManagementObjectRemovedEventType("p1", "id2", "radio", SourceCategoryType::APPLICATION_FACTORY));
  EXPECT_EQ(removed.text, "installed application 'radio' (id2) has been removed");
  EXPECT_EQ(removed.value["source_category"], "APPLICATION_FACTORY");
}

TEST(EventText, DescribesLostComponentsAndEndedProcesses) {
  EXPECT_EQ(described(StandardEvent::AbnormalComponentTerminationEventType("d1", "c1", "a1")).text,
            "component 'c1' of the application 'a1' on 'd1' is lost");
  const EventText ended = described(::orbweaver::framework::ProcessEnded("d1", 7, "killed by SIGSEGV"));
  EXPECT_EQ(ended.text, "process 7 of the device 'd1' has ended: killed by SIGSEGV");
  EXPECT_EQ(ended.value["process_id"], 7);
}

TEST(EventText, DescribesEventsOfOtherTypes) {
  const EventText number = described(std::int32_t{5});
  EXPECT_EQ(number.type, "long");
  EXPECT_EQ(number.value, 5);
  const EventText properties = described(CF::DataType("gain", CORBA::Any()));
  EXPECT_EQ(properties.type, "IDL:CF/DataType:1.0");
  EXPECT_NE(properties.text.find("gain"), std::string::npos) << properties.text;
  EXPECT_EQ(describe_event(CORBA::Any()).text, "");
}

TEST(EventText, WritesTimesInUtc) {
  EXPECT_EQ(utc_time(1'000'000'000, 250'999'999), "2001-09-09T01:46:40.250Z");
  EXPECT_EQ(utc_time(0, -1), "1970-01-01T00:00:00.000Z");
}

}  // namespace
}  // namespace orbweaver::sca
