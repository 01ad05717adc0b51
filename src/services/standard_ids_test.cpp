// Repository ids of the services' interfaces and types, by which programs of other ORBs recognise them.
#include <gtest/gtest.h>
#include <orbweaver/any.h>

#include "CosEventChannelAdminC.h"
#include "CosLwLogC.h"
#include "StandardEventC.h"

namespace {

TEST(EventServiceIdl, HasTheIdsOfTheStandard) {
  EXPECT_STREQ(CosEventComm::PushConsumer::_interface_id(), "IDL:omg.org/CosEventComm/PushConsumer:1.0");
  EXPECT_STREQ(CosEventComm::PullSupplier::_interface_id(), "IDL:omg.org/CosEventComm/PullSupplier:1.0");
  EXPECT_STREQ(CosEventComm::Disconnected()._rep_id(), "IDL:omg.org/CosEventComm/Disconnected:1.0");
  EXPECT_STREQ(CosEventChannelAdmin::EventChannel::_interface_id(),
               "IDL:omg.org/CosEventChannelAdmin/EventChannel:1.0");
  EXPECT_STREQ(CosEventChannelAdmin::AlreadyConnected()._rep_id(),
               "IDL:omg.org/CosEventChannelAdmin/AlreadyConnected:1.0");
}

TEST(LogServiceIdl, HasTheIdsOfTheStandard) {
  EXPECT_STREQ(CosLwLog::Log::_interface_id(), "IDL:omg.org/CosLwLog/Log:1.0");
  EXPECT_STREQ(CosLwLog::LogProducer::_interface_id(), "IDL:omg.org/CosLwLog/LogProducer:1.0");
  EXPECT_STREQ(CosLwLog::InvalidParam()._rep_id(), "IDL:omg.org/CosLwLog/InvalidParam:1.0");
}

TEST(StandardEventIdl, HasTheIdsAndTheOrderOfTheStandard) {
  CORBA::Any any;
  any <<= StandardEvent::DomainManagementObjectAddedEventType();
  EXPECT_EQ(any.type()->id(), "IDL:StandardEvent/DomainManagementObjectAddedEventType:1.0");
  EXPECT_EQ(any.type()->member_name(3), "sourceCategory");
  EXPECT_EQ(any.type()->member_name(4), "sourceIOR");
  EXPECT_EQ(static_cast<int>(StandardEvent::SourceCategoryType::SERVICE), 4);
  EXPECT_EQ(static_cast<int>(StandardEvent::StateChangeType::BUSY), 7);
}

}  // namespace
