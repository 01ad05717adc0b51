#include "naming/naming_server.h"

#include <orbweaver/orb.h>
#include <orbweaver/poa.h>

#include <cstdio>
#include <filesystem>

#include "base/whole_file.h"
#include "giop/ior.h"
#include "naming/naming_file.h"
#include "platform/environment.h"
#include "platform/file_size_signal.h"
#include "platform/process.h"
#include "services/naming/naming_service.h"
#include "transport/transport.h"

namespace orbweaver::naming {
namespace {

namespace fs = std::filesystem;

/// The object key of the root, by the convention of all naming services.
constexpr const char* kRootKey = "NameService";

/// Whether this host has the address ::1, which clients may take for "localhost".
bool has_ipv6_loopback() {
  return static_cast<bool>(transport::tcp_transport().listen("[::1]:0", transport::ChannelOptions()));
}

/// The endpoints without --listen.
std::string default_endpoints(int port) {
  const std::string number = std::to_string(port);
  // A free port of one address may be in use on the other.
  const bool both = port != 0 && has_ipv6_loopback();
  return "shm,unix,tcp:127.0.0.1:" + number + (both ? ",tcp:[::1]:" + number : "");
}

std::vector<std::string> orb_options(const ServerOptions& options) {
  std::vector<std::string> words{"orbweaver"};
  const auto add = [&](const char* option, const std::string& value) {
    if (!value.empty()) words.insert(words.end(), {option, value});
  };
  // `inproc` makes references to own objects recognizable.
  add("-ORBListen", "inproc," + (options.listen.empty() ? default_endpoints(options.port) : options.listen));
  add("-ORBPublishHost", options.publish_host);
  for (const std::string& rule : options.allow) add("-ORBAllow", rule);
  for (const std::string& rule : options.deny) add("-ORBDeny", rule);
  words.insert(words.end(), options.orb.begin(), options.orb.end());
  return words;
}

IDL::traits<CORBA::ORB>::ref_type make_orb(std::vector<std::string> words) {
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  int argc = static_cast<int>(argv.size());
  argv.push_back(nullptr);
  auto orb = CORBA::ORB_init(argc, argv.data(), "naming");
  if (argc == 1) return orb;
  orb->destroy();
  throw CORBA::BAD_PARAM(0, CORBA::CompletionStatus::COMPLETED_NO,
                         std::string("'") + argv[1] + "' is not an ORB option");
}

/// The URL that other ORBs use; empty if the service does not listen on TCP.
std::string url_of(const std::string& reference) {
  const auto ior = giop::parse_ior(reference);
  if (!ior) return {};
  for (const giop::TaggedData& tagged : ior->profiles) {
    if (tagged.tag != giop::profile_tag::kIiop) continue;
    const auto profile = giop::decode_iiop_profile(tagged.data);
    if (!profile || profile->host.empty() || profile->port == 0) continue;
    const bool is_ipv6 = profile->host.find(':') != std::string::npos;
    return "corbaloc::" + (is_ipv6 ? "[" + profile->host + "]" : profile->host) + ":" +
           std::to_string(profile->port) + "/" + kRootKey;
  }
  return {};
}

Result<void> announce(const ServerOptions& options, const std::string& reference) {
  if (!options.ior_file.empty() && !write_whole_file(options.ior_file, reference + "\n"))
    return Error{ErrorKind::unavailable, "--ior-file " + options.ior_file + " cannot be written"};
  if (options.print_ior) std::printf("%s\n", reference.c_str());
  const std::string url = url_of(reference);
  std::printf("orbweaver naming: serving %s, %s\n",
              url.empty() ? "callers on this host, with --ior-file or --print-ior" : url.c_str(),
              options.state_file.empty() ? "names are lost when it ends"
                                         : ("state in " + options.state_file).c_str());
  if (std::fflush(stdout) == 0) return {};
  return Error{ErrorKind::unavailable, "standard output cannot be written"};
}

Result<void> wait_for_signal(platform::TerminationSignals& signals) {
  platform::Poller poller;
  poller.add(signals.arrived());
  while (signals.take() == 0) poller.wait(-1);
  return {};
}

}  // namespace

Result<std::string> default_state_file() {
  const char* const state = platform::environment("XDG_STATE_HOME");
  const char* const home = platform::environment("HOME");
  fs::path folder;
  if (state != nullptr && *state == '/') {
    folder = state;
  } else if (home != nullptr && *home == '/') {
    folder = fs::path(home) / ".local/state";
  } else {
    return Error{ErrorKind::unavailable,
                 "there is no folder for the state: HOME is not set; name a file with --state"};
  }
  folder /= "orbweaver";
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    return Error{ErrorKind::unavailable,
                 folder.string() + ": cannot be created: " + error.message() + "; name a file with --state"};
  }
  return (folder / "naming.sqlite").string();
}

Result<void> serve_names(const ServerOptions& options) {
  platform::TerminationSignals signals;
  platform::ignore_file_size_signal();
  ServiceOptions service;
  service.root_id = kRootKey;
  if (!options.state_file.empty()) {
    auto opened = open_naming_file(options.state_file);
    if (!opened) return opened.take_error();
    service.store = std::move(opened->store);
    service.state = std::move(opened->state);
  }
  IDL::traits<CORBA::ORB>::ref_type orb;
  Result<void> result;
  try {
    orb = make_orb(orb_options(options));
    const auto poa = [&](const char* name) {
      return IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references(name));
    };
    service.contexts = poa("CorbalocPOA");
    service.iterators = poa("RootPOA");
    const auto manager = service.iterators->the_POAManager();
    const auto root = std::make_shared<NamingService>(std::move(service))->start();
    manager->activate();
    result = announce(options, orb->object_to_string(root));
    if (result) result = wait_for_signal(signals);
  } catch (const CORBA::INITIALIZE& e) {
    const std::string hint = options.listen.empty() ? "; another naming service may use it: end that one, or "
                                                      "give --port N and, to clients, the same port"
                                                    : std::string();
    result = Error{ErrorKind::unavailable, "cannot listen: " + e.detail() + hint};
  } catch (const CORBA::SystemException& e) {
    result = Error{ErrorKind::invalid, e.detail()};
  }
  if (orb) orb->destroy();
  return result;
}

}  // namespace orbweaver::naming
