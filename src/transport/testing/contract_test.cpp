#include "transport/testing/contract.h"

#include "transport/testing/fixtures.h"

namespace orbweaver::transport::testing {

INSTANTIATE_TEST_SUITE_P(
    Library, TransportContract,
    ::testing::Values(transport_case<InprocFixture>("Inproc"), transport_case<ShmFixture>("Shm"),
                      transport_case<MqueueFixture>("Mqueue"), transport_case<UnixFixture>("Unix"),
                      transport_case<TcpV4Fixture>("TcpV4"), transport_case<TcpV6Fixture>("TcpV6"),
                      transport_case<UdpV4Fixture>("UdpV4"), transport_case<UdpV6Fixture>("UdpV6"),
                      transport_case<DelayingFixture<InprocFixture>>("InprocDelayed"),
                      transport_case<DelayingFixture<UdpV4Fixture>>("UdpDelayed"),
                      transport_case<DelayingFixture<MqueueFixture>>("MqueueDelayed")),
    transport_case_name);

}  // namespace orbweaver::transport::testing
