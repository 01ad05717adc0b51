// Options of the ORB: each one in docs/options.md rejects invalid values with a message.
#include <gmock/gmock.h>

#include <set>

#include "base/log.h"
#include "orb/minor_codes.h"
#include "orb/options.h"
#include "testing/documented_options.h"
#include "testing/test_orb.h"
#include "transport/blocks/link_descriptors.h"
#include "transport/blocks/pool.h"
#include "transport/huge_pages.h"
#include "transport/plugins.h"

namespace orbtest {
namespace {

using ::testing::HasSubstr;
namespace minor = orbweaver::minor;

/// Parses the options of `words`, the first of which is the program's name.
orbweaver::Result<orbweaver::orb::Options> parse(std::vector<std::string>& words) {
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  int argc = static_cast<int>(argv.size());
  return orbweaver::orb::parse_options(argc, argv.data());
}

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
    {"-ORBTransportPreference", "shm,tcp,shm", "takes each transport once, not 'shm' twice"},
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
    {"-ORBThreads", "unordered", "unordered:N"},
    {"-ORBThreads", "unordered:", "not ''"},
    {"-ORBThreads", "unordered:0", "not '0'"},
    {"-ORBThreads", "unordered:1025", "not '1025'"},
    {"-ORBThreads", "unordered:two", "not 'two'"},
    {"-ORBThreadPriority", "fifo", "takes a priority"},
    {"-ORBThreadPriority", "fifo:100", "not '100'"},
    {"-ORBThreadPriority", "urgent", "not 'urgent'"},
    {"-ORBThreadAffinity", "", "takes a list of cores"},
    {"-ORBThreadAffinity", "0,", "takes a list of cores"},
    {"-ORBThreadAffinity", "first", "not 'first'"},
    {"-ORBCallTimeout", "soon", "not 'soon'"},
    {"-ORBTune", "udp-call-timeout-ms=0", "not '0'"},
    {"-ORBTune", "reply-handler-timeout-ms=0", "not '0'"},
    {"-ORBTune", "connect-timeout-ms=1.5", "not '1.5'"},
    {"-ORBTune", "connections-per-peer=0", "not '0'"},
    {"-ORBTune", "async-calls=0", "not '0'"},
    {"-ORBTune", "deferred-requests=0", "not '0'"},
    {"-ORBTune", "auxiliary-connections=-1", "not '-1'"},
    {"-ORBTune", "auxiliary-idle-ms=0", "not '0'"},
    {"-ORBTune", "batch-delay-us=soon", "not 'soon'"},
    {"-ORBTune", "batch-bytes=0", "not '0'"},
    {"-ORBMaxMessageBytes", "12", "not '12'"},
    {"-ORBMaxMessageBytes", "99999999999999999999999", "whole number"},
    {"-ORBTune", "fragment-bytes=1023", "not '1023'"},
    {"-ORBTune", "fragment-bytes=2001", "a multiple of 8, such as 2000"},
    {"-ORBMaxMessageBytes", "2000000000", "to 1073741824"},
    {"-ORBCallTimeout", "1s", "not '1s' (in milliseconds)"},
    {"-ORBTune", "receive-bytes=0", "not '0'"},
    {"-ORBTune", "receive-bytes=1000000", "is less than"},
    {"-ORBTune", "message-timeout-ms=-1", "not '-1'"},
    {"-ORBTune", "handshake-timeout-ms=10s", "not '10s'"},
    {"-ORBTune", "idle-timeout-ms=never", "not 'never'"},
    {"-ORBTune", "reply-timeout-ms=-1", "not '-1'"},
    {"-ORBTune", "request-queue-bytes=0", "not '0'"},
    {"-ORBTune", "service-bytes=0", "not '0'"},
    {"-ORBTune", "bidirectional-queue-bytes=0", "not '0'"},
    {"-ORBTune", "bidirectional-queue-bytes=1000000", "is less than"},
    {"-ORBTune", "bidirectional-lanes=-1", "not '-1'"},
    {"-ORBTune", "service-bytes=1000000", "is less than"},
    {"-ORBTune", "max-connections=many", "not 'many'"},
    {"-ORBTune", "max-connections-per-peer=-1", "not '-1'"},
    {"-ORBTune", "reserved-descriptors=1.5", "not '1.5'"},
    {"-ORBTune", "max-outgoing-connections=-1", "not '-1'"},
    {"-ORBTune", "oneway-queue-requests=1000001", "not '1000001'"},
    {"-ORBTune", "oneway-queue-bytes=4k", "not '4k'"},
    {"-ORBTune", "oneway-queue-total-bytes=-1", "not '-1'"},
    {"-ORBTune", "outgoing-idle-timeout-ms=never", "not 'never'"},
    {"-ORBTune", "ring-bytes=-5", "not '-5'"},
    {"-ORBTune", "ring-bytes=5000", "a power of two, such as 8192"},
    {"-ORBTune", "pool-bytes=1", "not '1'"},
    {"-ORBTune", "pool-full=explode", "not 'explode'"},
    {"-ORBTune", "pool-full=wait:0", "not '0'"},
    {"-ORBTune", "huge-pages=yes", "not 'yes'"},
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
    {"-ORBTune", "", "takes key=value"},
    {"-ORBTune", "idle-timeout-ms", "takes key=value"},
    {"-ORBTune", "=1", "takes key=value"},
    {"-ORBTune", "idle-timeout-ms=1,,ring-bytes=4096", "takes key=value"},
    {"-ORBTune", "idle-timeout-ms=1,ring-bytes=5000", "ring-bytes takes a power of two"},
    {"-ORBTune", "colour=red", "no key 'colour'; its keys: async-calls auxiliary-connections"},
    {"-ORBAcceptBidirectional", "on", "takes off, received or any, not 'on'"},
    {"-ORBInsecureFallback", "yes", "not 'yes'"},
    {"-ORBExceptionDetail", "some", "not 'some'"},
    {"-ORBLog", "loud", "not 'loud'"},
};

/// The option, or for -ORBTune with a known key "-ORBTune key".
std::string subject_of(const BadValue& bad) {
  const std::string option = bad.option, value = bad.value;
  const std::string key = value.substr(0, value.find('='));
  const bool has_key = option == "-ORBTune" && key.size() + 1 < value.size() && !key.empty() &&
                       key != "colour" && value.find(',') == std::string::npos;
  return has_key ? option + " " + key : option;
}

/// On 32-bit machines, too, where a multiple of this size exceeds all sizes.
TEST(Options, AcceptTheLargestMessageSize) {
  std::vector<std::string> words{"program", "-ORBMaxMessageBytes", "1073741824"};
  const auto options = parse(words);
  ASSERT_TRUE(options) << options.error().message;
  EXPECT_GE(options->receive_bytes(), options->max_message_bytes);
  EXPECT_GE(options->reply_bytes(), options->max_message_bytes);
}

class OptionValue : public ::testing::TestWithParam<BadValue> {};

TEST_P(OptionValue, IsRejectedWithTheNameOfItsOption) {
  const BadValue& bad = GetParam();
  const std::string detail = raised_by<CORBA::BAD_PARAM>(
      [&] {
        TestOrb broker(Options{bad.option, bad.value});
      },
      minor::kBadOption);
  EXPECT_THAT(detail, HasSubstr(subject_of(bad)));
  EXPECT_THAT(detail, HasSubstr(bad.message));
}

/// Option and value without -ORB and with '_' for other characters than letters and digits; the index of a
/// parameter makes it unique.
template <class Parameter>
std::string name_of(const ::testing::TestParamInfo<Parameter>& info) {
  std::string name = std::string(info.param.option + 4) + "_";
  for (const char* c = info.param.value; *c != 0; ++c)
    name += std::isalnum(static_cast<unsigned char>(*c)) ? *c : '_';
  return name.substr(0, 40) + "_" + std::to_string(info.index);
}
INSTANTIATE_TEST_SUITE_P(Orb, OptionValue, ::testing::ValuesIn(kBadValues), name_of<BadValue>);

TEST(Options, RejectAnUnknownOptionAndListTheKnownOnes) {
  const std::string detail = raised_by<CORBA::BAD_PARAM>(
      [] {
        TestOrb broker(Options{"-ORBNonsense", "1"});
      },
      minor::kBadOption);
  EXPECT_THAT(detail, HasSubstr("unknown option -ORBNonsense"));
  EXPECT_THAT(detail, HasSubstr("-ORBListen"));
}

TEST(Options, RejectAFormerSpellingAndNameTheKey) {
  const std::string detail = raised_by<CORBA::BAD_PARAM>(
      [] {
        TestOrb broker(Options{"-ORBIdleTimeout", "1000"});
      },
      minor::kBadOption);
  EXPECT_THAT(detail, HasSubstr("unknown option -ORBIdleTimeout: use -ORBTune idle-timeout-ms=VALUE"));
}

TEST(Options, TuneTakesSeveralKeysAndTheLastValueOfOne) {
  std::vector<std::string> words{"program", "-ORBTune", "idle-timeout-ms=7,ring-bytes=8192", "-ORBTune",
                                 "idle-timeout-ms=9"};
  const auto options = parse(words);
  ASSERT_TRUE(options);
  EXPECT_EQ(options->idle_timeout_ms, 9);
  EXPECT_EQ(options->ring_bytes, 8192u);
}

/// Options that apply to the whole process.
struct ProcessOption {
  const char* option;
  const char* value;
  std::string (*state)();  // of the process
};
void PrintTo(const ProcessOption& each, std::ostream* out) { *out << each.option << ' ' << each.value; }

class ProcessOptions : public ::testing::TestWithParam<ProcessOption> {};

TEST_P(ProcessOptions, LeaveTheProcessUnchangedWhenALaterOptionIsInvalid) {
  const ProcessOption& each = GetParam();
  const std::string before = each.state();
  for (const std::string invalid : {"-ORBNonsense", "-ORBWait", "-ORBIdleTimeout"}) {
    std::vector<std::string> words{"program", "other", each.option, each.value, invalid, "forever"};
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    int argc = static_cast<int>(argv.size());
    EXPECT_FALSE(orbweaver::orb::parse_options(argc, argv.data())) << invalid;
    EXPECT_EQ(each.state(), before) << invalid;
    EXPECT_EQ(argc, 6);
    EXPECT_STREQ(argv[2], each.option) << "the arguments have changed";
  }
}

namespace transport = orbweaver::transport;
INSTANTIATE_TEST_SUITE_P(
    Orb, ProcessOptions,
    ::testing::Values(
        ProcessOption{"-ORBTune", "pool-bytes=4096",
                      [] { return std::to_string(transport::blocks::pool_bytes()); }},
        ProcessOption{"-ORBTune", "pool-full=raise",
                      [] { return std::to_string(transport::blocks::pool_full_policy().wait); }},
        ProcessOption{"-ORBTune", "huge-pages=on",
                      [] { return std::to_string(transport::huge_pages_enabled()); }},
        ProcessOption{"-ORBTune", "reserved-descriptors=7",
                      [] { return std::to_string(transport::blocks::reserved_descriptors()); }},
        ProcessOption{"-ORBLog", "debug",
                      [] { return std::to_string(orbweaver::log::enabled(orbweaver::log::Level::debug)); }},
        ProcessOption{"-ORBTransportPlugin", ORBWEAVER_TEST_PLUGINS "/libplugin-valid.so",
                      [] { return transport::known_names(); }}),
    name_of<ProcessOption>);

TEST(Options, RejectAnOptionWithoutItsValue) {
  EXPECT_THAT(raised_by<CORBA::BAD_PARAM>([] { TestOrb broker(Options{"-ORBWait"}); }, minor::kBadOption),
              HasSubstr("-ORBWait needs a value"));
}

TEST(Options, HaveABadValueTestForEachDocumentedOption) {
  std::set<std::string> tested;
  for (const BadValue& bad : kBadValues) tested.insert(subject_of(bad));
  int options = 0, keys = 0;
  for (const DocumentedOption& each : documented_options()) {
    EXPECT_EQ(tested.count(each.subject), 1u) << each.subject;
    ++(each.subject.rfind("-ORBTune ", 0) == 0 ? keys : options);
  }
  EXPECT_GT(options, 15);
  EXPECT_GT(keys, 20);
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
