#include "transport/testing/contract.h"

extern "C" const orbweaver::transport::Plugin orbweaver_transport_plugin;

namespace orbweaver::transport::testing {

/// Takes the transport out of the plug-in as the ORB does.
struct SeqpacketFixture {
  static Transport& transport() {
    class Taking final : public Registry {
     public:
      Result<void> add(std::unique_ptr<Transport> transport) override {
        taken = std::move(transport);
        return {};
      }
      std::unique_ptr<Transport> taken;
    };
    static Taking registry;
    if (!registry.taken) {
      EXPECT_TRUE(ok(orbweaver_transport_plugin.add_transports(registry)));
    }
    return *registry.taken;
  }
  static std::string listen_address() { return ""; }
  static constexpr bool kCrossesProcesses = true;
  static constexpr bool kReliable = true;
  static std::string unavailable() { return ""; }
};

INSTANTIATE_TEST_SUITE_P(Plugin, TransportContract,
                         ::testing::Values(transport_case<SeqpacketFixture>("Seqpacket")),
                         transport_case_name);

}  // namespace orbweaver::transport::testing
