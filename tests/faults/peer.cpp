#include "peer.h"

#include <malloc.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "platform/socket.h"

namespace faulttest {

namespace platform = orbweaver::platform;

std::string CallLogPage::path() const {
  return "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(file_.get());
}

std::vector<std::string> transports() {
  std::vector<std::string> all = {"shm", "unix", "tcp"};
  if (std::ifstream("/proc/sys/fs/mqueue/msg_max")) all.push_back("mqueue");
  return all;
}

std::vector<std::string> transports_with_udp() {
  std::vector<std::string> all = transports();
  all.push_back("udp");
  return all;
}

Options options_for(const std::string& transport_name, const Options& more) {
  const std::string kill_point_name =
      transport_name == "udp" ? transport_name : "kill-point-" + transport_name;
  Options options = {"-ORBTransportPlugin",
                     ORBWEAVER_TEST_PLUGINS "/libplugin-kill-points.so",
                     "-ORBTransportPreference",
                     kill_point_name,
                     "-ORBListen",
                     kill_point_name,
                     "-ORBTune",
                     "ring-bytes=65536",
                     "-ORBTune",
                     "pool-bytes=262144",
                     "-ORBCallTimeout",
                     "120000"};
  options.insert(options.end(), more.begin(), more.end());
  return options;
}

TargetRef reference_to_target(TestOrb& broker, const std::string& reference) {
  const auto object = broker.orb->string_to_object(reference);
  return TargetRef::adopt(Faults::Target::_make(object->_reference()));
}

PeerUnderTest::PeerUnderTest(const std::string& role, const std::string& what, const Options& options,
                             long die_at) {
  const auto program = std::filesystem::path(platform::executable_path()).parent_path() / "faults-peer";
  platform::SpawnRequest request{
      program.string(), {role, what}, {"ORBWEAVER_TEST_DIE_AT=" + std::to_string(die_at)}};
  if (role == "serve") request.extra_environment.push_back("ORBWEAVER_TEST_CALL_LOG=" + what);
  request.arguments.insert(request.arguments.end(), options.begin(), options.end());
  if (process_.spawn(request) != 0) throw std::runtime_error("cannot start " + request.program);
  platform::Poller poller;
  poller.add(process_.output());
  bool at_end = false;
  while (!at_end && line_.find('\n') == std::string::npos && poller.wait(120'000)) {
    line_ += platform::read_available(process_.output(), at_end);
  }
  line_.resize(std::min(line_.find('\n'), line_.size()));
}

void PeerUnderTest::stop() {
  process_.signal(SIGSTOP);
  waitpid(process_.pid(), nullptr, WUNTRACED);
}

bool PeerUnderTest::is_alive() {
  return process_.running() &&
         platform::poll(process_.ended(), platform::kReadable, platform::Deadline::in_ns(0)) == 0;
}

/// The number of Orbweaver's files in /dev/shm, without those of other programs.
static std::size_t shared_files() {
  const std::filesystem::directory_iterator all("/dev/shm");
  return static_cast<std::size_t>(std::count_if(begin(all), end(all), [](const auto& file) {
    return file.path().filename().string().find("orbweaver") != std::string::npos;
  }));
}

static std::size_t threads_but_limits_watch() {
  const std::filesystem::directory_iterator all("/proc/self/task");
  return static_cast<std::size_t>(std::count_if(begin(all), end(all), [](const auto& thread) {
    std::string name;
    std::ifstream(thread.path() / "comm") >> name;
    return name != "ow-limits";
  }));
}

ResourceSnapshot ResourceSnapshot::now() {
  return {orbtest::descriptors(), threads_but_limits_watch(), shared_files()};
}

bool ResourceSnapshot::are_restored() const {
  return becomes_true([&] {
    const ResourceSnapshot is = now();
    return is.descriptors <= descriptors && is.threads <= threads && is.files <= files;
  });
}

std::string ResourceSnapshot::difference() const {
  const ResourceSnapshot is = now();
  std::ostringstream text;
  text << "descriptors " << descriptors << ", now " << is.descriptors << "; threads " << threads << ", now "
       << is.threads << "; files " << files << ", now " << is.files;
  return text.str();
}

std::size_t heap_bytes() { return mallinfo2().uordblks; }

std::size_t mapped_shared_bytes() {
  std::ifstream maps("/proc/self/maps");
  std::size_t bytes = 0;
  for (std::string line; std::getline(maps, line);) {
    if (line.find("memfd:orbweaver") == std::string::npos) continue;
    std::size_t begin = 0, end = 0;
    char dash = 0;
    std::istringstream(line) >> std::hex >> begin >> dash >> end;
    bytes += end - begin;
  }
  return bytes;
}

static ::testing::AssertionResult restored(const char* kind, std::size_t (*bytes)(), std::size_t before,
                                           std::size_t limit) {
  if (becomes_true([&] { return bytes() <= limit; })) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << kind << ": " << before << " bytes before, now " << bytes();
}

::testing::AssertionResult heap_restored(std::size_t before) {
  return restored("heap", heap_bytes, before, before + 64 * 1024);
}

::testing::AssertionResult shared_mappings_restored(std::size_t before) {
  return restored("shared mappings", mapped_shared_bytes, before, before);
}

}  // namespace faulttest
