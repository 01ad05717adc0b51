#include "transport/testing/contract.h"

#include "transport/testing/fixtures.h"

namespace orbweaver::transport::testing {

INSTANTIATE_TYPED_TEST_SUITE_P(Inproc, TransportContract, InprocFixture);
INSTANTIATE_TYPED_TEST_SUITE_P(Shm, TransportContract, ShmFixture);
INSTANTIATE_TYPED_TEST_SUITE_P(Mqueue, TransportContract, MqueueFixture);
INSTANTIATE_TYPED_TEST_SUITE_P(Unix, TransportContract, UnixFixture);
INSTANTIATE_TYPED_TEST_SUITE_P(TcpV4, TransportContract, TcpV4Fixture);
INSTANTIATE_TYPED_TEST_SUITE_P(TcpV6, TransportContract, TcpV6Fixture);
INSTANTIATE_TYPED_TEST_SUITE_P(UdpV4, TransportContract, UdpV4Fixture);
INSTANTIATE_TYPED_TEST_SUITE_P(UdpV6, TransportContract, UdpV6Fixture);
INSTANTIATE_TYPED_TEST_SUITE_P(InprocDelayed, TransportContract, DelayedFixture<InprocFixture>);
INSTANTIATE_TYPED_TEST_SUITE_P(UdpDelayed, TransportContract, DelayedFixture<UdpV4Fixture>);
INSTANTIATE_TYPED_TEST_SUITE_P(MqueueDelayed, TransportContract, DelayedFixture<MqueueFixture>);

}  // namespace orbweaver::transport::testing
