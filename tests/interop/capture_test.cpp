// Checks the messages of a client and a server, recorded from the loopback interface, with the GIOP dissector
// of tshark. Skipped with a message if the tools or the privilege to record are missing.
#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <regex>
#include <sstream>

#include "platform/testing/becomes_true.h"
#include "platform/testing/read_file.h"
#include "server.h"

namespace interop {
namespace {

namespace fs = std::filesystem;
namespace platform = orbweaver::platform;
using platform::testing::becomes_true;
using platform::testing::read_file;

/// Source and destination of the last packet of a recording: addresses of the loopback interface that nothing
/// else uses.
constexpr char kLastPacket[] = {127, 91, 83, 66, 127, 91, 83, 67};

/// Begins a connection to `port`, which need not be accepted.
void send_last_packet(const std::string& port) {
  sockaddr_in from{}, to{};
  from.sin_family = to.sin_family = AF_INET;
  std::memcpy(&from.sin_addr, kLastPacket, 4);
  std::memcpy(&to.sin_addr, kLastPacket + 4, 4);
  to.sin_port = htons(static_cast<std::uint16_t>(std::stoi(port)));
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  EXPECT_EQ(::bind(fd, reinterpret_cast<const sockaddr*>(&from), sizeof from), 0);
  static_cast<void>(::connect(fd, reinterpret_cast<const sockaddr*>(&to), sizeof to));
  ::close(fd);
}

/// Records a port of the loopback interface into a file.
class Recording {
 public:
  Recording(std::string file, std::string port) : file_(std::move(file)), port_(std::move(port)) {
    platform::SpawnRequest request;
    request.program = ORBWEAVER_DUMPCAP;
    request.arguments = {"-q", "-i", "lo", "-B", "64", "-f", "tcp port " + port_, "-w", file_};
    if (process_.spawn(request) != 0) return;
    platform::Poller poller;
    poller.add(process_.output());
    for (bool at_end = false; !at_end && said_.find("File:") == std::string::npos;) {
      if (!poller.wait(120'000)) return;
      said_ += platform::read_available(process_.output(), at_end);
    }
    started_ = process_.running() && said_.find("File:") != std::string::npos;
  }
  bool started() const { return started_; }
  const std::string& said() const { return said_; }

  /// Stops the recording when the file has all packets. The kernel hands them over in batches, in the order
  /// in which they were sent: waits for one that is sent now.
  void finish() {
    send_last_packet(port_);
    const std::string last(kLastPacket, sizeof kLastPacket);
    EXPECT_TRUE(becomes_true([&] { return read_file(file_).find(last) != std::string::npos; }));
    process_.terminate();
    (void)process_.reap();
  }

 private:
  const std::string file_, port_;
  platform::ChildProcess process_;
  std::string said_;
  bool started_ = false;
};

/// The part of a recording that is judged.
enum class Judged { both_sides, messages_to_the_server, messages_of_the_server };

struct Conversation {
  const char* name;
  const char* client;
  const char* server;
  const char* our_options = "";
  const char* left_out = "";  // tests of the client: known faults of the server
  Judged judged = Judged::both_sides;
};

/// For the test's name: the bytes of a struct would differ from run to run.
void PrintTo(const Conversation& conversation, std::ostream* out) { *out << conversation.name; }

struct Capture : testing::TestWithParam<Conversation> {
  fs::path folder;
  Capture() {
    std::string pattern = (fs::temp_directory_path() / "capture-XXXXXX").string();
    folder = mkdtemp(pattern.data());
  }
  ~Capture() override { fs::remove_all(folder); }

  /// Runs the client against the server.
  ProgramResult converse(const Server& server) const {
    const std::string client = sibling_program(GetParam().client);
    if (client.find("-client") != std::string::npos)  // in Java
      return run_program(client, {"orbweaver", server.ior(), server.corbaloc(), "references", "forwards",
                                  "structs", "arrays", "recursive", "calls", "exceptions", "large"});
    return run_program(client, {server.ior(), std::string("--gtest_filter=-") + GetParam().left_out});
  }
  /// The filter of tshark for malformed messages of the side that is judged.
  static std::string malformed(const std::string& port) {
    switch (GetParam().judged) {
      case Judged::messages_to_the_server: return "_ws.malformed && tcp.dstport == " + port;
      case Judged::messages_of_the_server: return "_ws.malformed && tcp.srcport == " + port;
      default: return "_ws.malformed";
    }
  }

  std::string tshark(const std::string& port, std::vector<std::string> more) {
    std::vector<std::string> arguments = {"-r", (folder / "talk.pcapng").string(), "-d",
                                          "tcp.port==" + port + ",giop"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_program(ORBWEAVER_TSHARK, arguments).output;
  }
};

/// The rows of tshark's expert information, except those about TCP, which the kernel causes:
/// "   3   Sequence   TCP  window is full".
std::string complaints_but_tcp(const std::string& expert) {
  static const std::regex row(R"(^\s+\d+\s+\S+\s+(\S+)\s+.*$)");
  std::istringstream lines(expert);
  std::string ours;
  std::smatch found;
  for (std::string line; std::getline(lines, line);)
    if (std::regex_match(line, found, row) && found[1] != "TCP") ours += line + "\n";
  return ours;
}

std::size_t lines_of(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

TEST_P(Capture, IsValidForTshark) {
  for (const char* program : {GetParam().client, GetParam().server})
    if (!fs::exists(sibling_program(program))) GTEST_SKIP() << program << " is not built";
  setenv("INTEROP_ORB_OPTIONS", GetParam().our_options, 1);
  Server server(sibling_program(GetParam().server));
  Recording recording(folder / "talk.pcapng", server.port());
  if (!recording.started()) GTEST_SKIP() << "cannot record the loopback interface: " << recording.said();
  const ProgramResult client = converse(server);
  ASSERT_EQ(client.status, 0) << client.output;
  recording.finish();

  const std::string port = server.port();
  EXPECT_THAT(tshark(port, {"-Y", malformed(port), "-n"}), testing::Not(testing::HasSubstr("GIOP")));
  if (GetParam().judged == Judged::both_sides) {
    EXPECT_EQ(complaints_but_tcp(tshark(port, {"-q", "-z", "expert,warn"})), "");
  }
  // The recording contains requests, replies, and a message in fragments.
  for (const char* kind : {"giop.type == 0", "giop.type == 1"})
    EXPECT_GT(lines_of(tshark(port, {"-n", "-Y", kind})), 50u) << kind;
  EXPECT_GT(lines_of(tshark(port, {"-n", "-Y", "giop.type == 7"})), 0u) << "no fragments";
  if (GetParam().our_options[0] == 0) return;
  const std::string direction =
      std::string(GetParam().name) == "OrbweaverCallsInFragments" ? "tcp.dstport == " : "tcp.srcport == ";
  EXPECT_GT(lines_of(tshark(port, {"-n", "-Y", "giop.type == 7 && " + direction + port})), 10u)
      << "no fragments of Orbweaver";
}

INSTANTIATE_TEST_SUITE_P(
    Conversations, Capture,
    testing::Values(
        Conversation{"OmniOrbCallsOrbweaver", "interop_omniorb_calls", "interop-orbweaver-server"},
        Conversation{"OrbweaverCallsOmniOrb", "interop_orbweaver_calls", "interop-omniorb-server"},
        Conversation{"OrbweaverRepliesInFragments", "interop_omniorb_calls", "interop-orbweaver-server",
                     "-ORBTune fragment-bytes=1024"},
        Conversation{"OrbweaverCallsInFragments", "interop_orbweaver_calls", "interop-omniorb-server",
                     "-ORBTune fragment-bytes=1024"},
        Conversation{"JacOrbCallsOrbweaver", "interop-jacorb-client", "interop-orbweaver-server"},
        Conversation{"OrbweaverCallsJacOrb", "interop_orbweaver_calls", "interop-jacorb-server", "",
                     ORBWEAVER_JACORB_FAULTS},
        // tshark takes the first fragment of a large exception of GlassFish's ORB for a whole message.
        Conversation{"GlassFishCallsOrbweaver", "interop-glassfish-client", "interop-orbweaver-server", "",
                     "", Judged::messages_of_the_server},
        Conversation{"OrbweaverCallsGlassFish", "interop_orbweaver_calls", "interop-glassfish-server", "",
                     ORBWEAVER_GLASSFISH_FAULTS, Judged::messages_to_the_server}),
    [](const auto& tested) { return std::string(tested.param.name); });

}  // namespace
}  // namespace interop
