// Options of the ORB: each one in docs/options.md rejects invalid values with a message.
#include <gmock/gmock.h>

#include <fstream>
#include <set>
#include <sstream>

#include "orb/minor_codes.h"
#include "testing/test_orb.h"

namespace orbtest {
namespace {

using ::testing::HasSubstr;
namespace minor = orbweaver::minor;

struct BadValue {
  const char* option;
  const char* value;
  const char* message;  // a part of it
};

void PrintTo(const BadValue& bad, std::ostream* out) { *out << bad.option << " '" << bad.value << "'"; }

// Values whose validity depends on the machine (priorities, cores, huge pages) are not in the list.
const BadValue kBadValues[] = {
    {"-ORBTransportPreference", "pigeon", "not 'pigeon'"},
    {"-ORBTransportPreference", "", "takes a list"},
    {"-ORBTransportPreference", ",", "takes a list"},
    {"-ORBTransportPreference", "shm,,tcp", "takes a list"},
    {"-ORBListen", "", "takes a list"},
    {"-ORBListen", ",", "takes a list"},
    {"-ORBListen", "shm,", "takes a list"},
    {"-ORBListen", "pigeon:home", "not 'pigeon'"},
    {"-ORBListen", "tls", "-ORBTransportPlugin liborbweaver-tls.so"},
    {"-ORBListen", "unix:relative/path", "begins with '/'"},
    {"-ORBListen", "unix:@", "has no name"},
    {"-ORBListen", "tcp:nonsense", "has no port"},
    {"-ORBListen", "tcp:127.0.0.1:99999", "0 to 65535"},
    {"-ORBListen", "udp:127.0.0.1:port", "0 to 65535"},
    {"-ORBListen", "tcp:[::1", "no ']'"},
    {"-ORBListenEndpoints", ",", "takes a list"},
    {"-ORBTransportPlugin", "/nowhere/at/all.so", "/nowhere/at/all.so"},
    {"-ORBTransportOption", "udp", "takes transport.key=value"},
    {"-ORBTransportOption", "udp.=1", "takes transport.key=value"},
    {"-ORBTransportOption", "pigeon.weight=1", "not 'pigeon'"},
    {"-ORBTransportOption", "tcp.colour=red", "no option 'colour'"},
    {"-ORBPublishHost", "", "takes a host name"},
    {"-ORBPublishHost", "no such host", "not 'no such host'"},
    {"-ORBPublishHost", "iiop://host", "not 'iiop://host'"},
    {"-ORBWait", "forever", "not 'forever'"},
    {"-ORBThreads", "many", "not 'many'"},
    {"-ORBThreads", "pool:0", "not '0'"},
    {"-ORBThreads", "pool", "pool:N"},
    {"-ORBThreadPriority", "fifo", "takes a priority"},
    {"-ORBThreadPriority", "fifo:100", "not '100'"},
    {"-ORBThreadPriority", "urgent", "not 'urgent'"},
    {"-ORBThreadAffinity", "", "takes a list of cores"},
    {"-ORBThreadAffinity", "0,", "takes a list of cores"},
    {"-ORBThreadAffinity", "first", "not 'first'"},
    {"-ORBCallTimeout", "soon", "not 'soon'"},
    {"-ORBUdpCallTimeout", "0", "not '0'"},
    {"-ORBConnectTimeout", "1.5", "not '1.5'"},
    {"-ORBConnectionsPerPeer", "0", "not '0'"},
    {"-ORBNestedConnections", "-1", "not '-1'"},
    {"-ORBNestedIdle", "0", "not '0'"},
    {"-ORBBatchDelay", "soon", "not 'soon'"},
    {"-ORBBatchBytes", "0", "not '0'"},
    {"-ORBMaxMessageBytes", "12", "not '12'"},
    {"-ORBMaxMessageBytes", "99999999999999999999999", "whole number"},
    {"-ORBMaxFragmentBytes", "1023", "not '1023'"},
    {"-ORBMaxFragmentBytes", "2001", "a multiple of 8, such as 2000"},
    {"-ORBMaxMessageBytes", "2000000000", "to 1073741824"},
    {"-ORBMaxReceiveBytes", "0", "not '0'"},
    {"-ORBMaxReceiveBytes", "1000000", "is less than"},
    {"-ORBMessageTimeout", "-1", "not '-1'"},
    {"-ORBHandshakeTimeout", "10s", "not '10s'"},
    {"-ORBIdleTimeout", "never", "not 'never'"},
    {"-ORBReplyTimeout", "-1", "not '-1'"},
    {"-ORBMaxServedBytes", "0", "not '0'"},
    {"-ORBMaxServedBytes", "1000000", "is less than"},
    {"-ORBMaxConnections", "many", "not 'many'"},
    {"-ORBMaxConnectionsPerPeer", "-1", "not '-1'"},
    {"-ORBReservedDescriptors", "1.5", "not '1.5'"},
    {"-ORBMaxOutgoingConnections", "-1", "not '-1'"},
    {"-ORBOutgoingIdleTimeout", "never", "not 'never'"},
    {"-ORBRingBytes", "-5", "not '-5'"},
    {"-ORBRingBytes", "5000", "a power of two, such as 8192"},
    {"-ORBPoolBytes", "1", "not '1'"},
    {"-ORBPoolFull", "explode", "not 'explode'"},
    {"-ORBPoolFull", "wait:0", "not '0'"},
    {"-ORBHugePages", "yes", "not 'yes'"},
    {"-ORBInitRef", "=x", "takes Name=reference"},
    {"-ORBInitRef", "NameService", "takes Name=reference"},
    {"-ORBInitRef", "a=b", "not an object reference"},
    {"-ORBInitRef", "a=corbaloc::host:notaport/x", "'a=corbaloc::host:notaport/x'"},
    {"-ORBAllow", "", "has no rule"},
    {"-ORBAllow", "everybody", "user:NAME"},
    {"-ORBAllow", "user:7,", "not a rule"},
    {"-ORBAllow", "net:10.0.0.0/33", "prefix length"},
    {"-ORBDeny", "net:radio", "no IP address"},
    {"-ORBDeny", "net:10.0.0.1/8", "bits set behind its prefix"},
    {"-ORBInsecureFallback", "yes", "not 'yes'"},
    {"-ORBExceptionDetail", "some", "not 'some'"},
    {"-ORBLog", "loud", "not 'loud'"},
};

class OptionValue : public ::testing::TestWithParam<BadValue> {};

TEST_P(OptionValue, IsRejectedWithTheNameOfItsOption) {
  const BadValue& bad = GetParam();
  const std::string detail = raised_by<CORBA::BAD_PARAM>(
      [&] {
        TestOrb broker(Options{bad.option, bad.value});
      },
      minor::kBadOption);
  EXPECT_THAT(detail, HasSubstr(bad.option));
  EXPECT_THAT(detail, HasSubstr(bad.message));
}

std::string name_of(const ::testing::TestParamInfo<BadValue>& info) {
  std::string name = std::string(info.param.option + 4) + "_";
  for (const char* c = info.param.value; *c != 0; ++c)
    name += std::isalnum(static_cast<unsigned char>(*c)) ? *c : '_';
  return name.substr(0, 40) + "_" + std::to_string(info.index);
}
INSTANTIATE_TEST_SUITE_P(Orb, OptionValue, ::testing::ValuesIn(kBadValues), name_of);

TEST(Options, RejectAnUnknownOptionAndListTheKnownOnes) {
  const std::string detail = raised_by<CORBA::BAD_PARAM>(
      [] {
        TestOrb broker(Options{"-ORBNonsense", "1"});
      },
      minor::kBadOption);
  EXPECT_THAT(detail, HasSubstr("unknown option -ORBNonsense"));
  EXPECT_THAT(detail, HasSubstr("-ORBListen"));
}

TEST(Options, RejectAnOptionWithoutItsValue) {
  EXPECT_THAT(raised_by<CORBA::BAD_PARAM>([] { TestOrb broker(Options{"-ORBWait"}); }, minor::kBadOption),
              HasSubstr("-ORBWait needs a value"));
}

TEST(Options, HaveABadValueTestForEachDocumentedOption) {
  std::set<std::string> tested;
  for (const BadValue& bad : kBadValues) tested.insert(bad.option);
  std::ifstream page(std::string(ORBWEAVER_SOURCE_DIR) + "/docs/options.md");
  int documented = 0;
  for (std::string line; std::getline(page, line);) {
    if (line.rfind("| `-ORB", 0) != 0) continue;
    const std::string option = line.substr(3, line.find_first_of(" `", 3) - 3);
    EXPECT_EQ(tested.count(option), 1u) << option;
    ++documented;
  }
  EXPECT_GT(documented, 20);
}

TEST(Options, AcceptAnyHostNameOrAddressToPublish) {
  for (const char* host : {"radio-7.example", "192.0.2.7", "2001:db8::7", "fe80::1%eth0"}) {
    TestOrb broker{Options{"-ORBListen", "tcp", "-ORBPublishHost", host}};
    EXPECT_NO_THROW(broker.serve(CORBA::make_reference<Servant>())) << host;
  }
}

TEST(Endpoint, IsNamedWhenItCannotBeOpened) {
  for (const char* endpoint : {"tcp:nohost.invalid:1", "tcp:1.2.3.4:4711"}) {
    TestOrb broker{Options{"-ORBListen", endpoint}};
    EXPECT_THAT(raised_by<CORBA::INITIALIZE>([&] { broker.serve(CORBA::make_reference<Servant>()); },
                                             minor::kCannotListen),
                HasSubstr("tcp: "))
        << endpoint;
  }
}

}  // namespace
}  // namespace orbtest
