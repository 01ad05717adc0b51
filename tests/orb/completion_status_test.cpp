// Completion status of failed calls, over a scripted channel.
#include <gmock/gmock.h>

#include "orb/minor_codes.h"
#include "orb/reference/reference.h"
#include "testing/scripted_channel.h"
#include "testing/test_orb.h"

namespace orbtest {
namespace {

namespace giop = orbweaver::giop;
using orbweaver::Error;
using orbweaver::ErrorKind;
using orbweaver::Result;
using orbweaver::transport::Channel;
using Status = CORBA::CompletionStatus;

struct CompletionStatus : ::testing::Test {
  std::shared_ptr<ChannelScript> script = std::make_shared<ChannelScript>();
  int connections = 0;
  std::function<std::unique_ptr<Channel>()> maker = [this]() -> std::unique_ptr<Channel> {
    ++connections;
    return std::make_unique<ScriptedChannel>(script);
  };
  TestOrb client{Options{"-ORBTransportPlugin", ORBWEAVER_TEST_PLUGINS "/libplugin-scripted.so",
                         "-ORBTransportOption",
                         "scripted.maker=" + std::to_string(reinterpret_cast<std::uintptr_t>(&maker)),
                         "-ORBTransportPreference", "scripted", "-ORBCallTimeout", "60000"}};
  CallsRef calls = client.unchecked(reference_to(0, {1}, "anywhere", "scripted"));

  ~CompletionStatus() override {
    calls = nullptr;
    client.destroy();
  }
  Status of_timeout() {
    try {
      calls->twice(1);
    } catch (const CORBA::TIMEOUT& e) {
      return e.completed();
    }
    ADD_FAILURE() << "no TIMEOUT";
    return Status::COMPLETED_YES;
  }
  /// Answers a request as soon as it is sent.
  std::function<Result<void>(const Octets&)> answers(std::uint32_t result) {
    return [this, result](const Octets& request) {
      std::uint32_t id = 0;
      std::memcpy(&id, request.data() + giop::kHeaderBytes, 4);
      script->arrives(reply(id).ulong(result).bytes());
      return Result<void>();
    };
  }
};

TEST_F(CompletionStatus, IsNoWhenNothingWasSentByTheDeadline) {
  script->on_commit = [](const Octets&) { return Error{ErrorKind::timed_out, "full"}; };
  for (int i = 0; i < 3; ++i) EXPECT_EQ(of_timeout(), Status::COMPLETED_NO);
  script->on_commit = answers(8);
  EXPECT_EQ(calls->twice(4), 8);
  EXPECT_EQ(connections, 1);
}

TEST_F(CompletionStatus, IsMaybeWhenTheRequestWasPartlySent) {
  script->on_commit = [this](const Octets&) {
    script->close();
    return Error{ErrorKind::timed_out, "a part has left"};
  };
  EXPECT_EQ(of_timeout(), Status::COMPLETED_MAYBE);
}

TEST_F(CompletionStatus, IsMaybeWhenTheServerClosesAfterTheDeadline) {
  script->on_commit = [this](const Octets&) {
    script->arrives(Message(giop::MessageType::close_connection).bytes());
    calls->_reference()->current_binding()->connection->reader().check_for_close();  // as read by another
                                                                                     // thread meanwhile
    return Error{ErrorKind::timed_out, "a part has left"};
  };
  EXPECT_EQ(of_timeout(), Status::COMPLETED_MAYBE);
}

}  // namespace
}  // namespace orbtest
