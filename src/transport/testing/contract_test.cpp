#include "transport/testing/contract.h"

#include "transport/testing/fixtures.h"

namespace orbweaver::transport::testing {

INSTANTIATE_TEST_SUITE_P(
    Library, TransportContract,
    ::testing::Values(subject<InprocFixture>("Inproc"), subject<ShmFixture>("Shm"), subject<MqueueFixture>("Mqueue"),
                      subject<UnixFixture>("Unix"), subject<TcpV4Fixture>("TcpV4"), subject<TcpV6Fixture>("TcpV6"),
                      subject<UdpV4Fixture>("UdpV4"), subject<UdpV6Fixture>("UdpV6"),
                      subject<DelayedFixture<InprocFixture>>("InprocDelayed"),
                      subject<DelayedFixture<UdpV4Fixture>>("UdpDelayed"),
                      subject<DelayedFixture<MqueueFixture>>("MqueueDelayed")),
    subject_name);

}  // namespace orbweaver::transport::testing
