#include "server/server_orb.h"

#include <vector>

#include "giop/ior.h"
#include "transport/transport.h"

namespace orbweaver::server {
namespace {

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
  if (options.ring_bytes != 0) add("-ORBTune", "ring-bytes=" + std::to_string(options.ring_bytes));
  words.insert(words.end(), options.orb.begin(), options.orb.end());
  return words;
}

}  // namespace

IDL::traits<CORBA::ORB>::ref_type make_orb(const ServerOptions& options, const std::string& id) {
  std::vector<std::string> words = orb_options(options);
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  int argc = static_cast<int>(argv.size());
  argv.push_back(nullptr);
  auto orb = CORBA::ORB_init(argc, argv.data(), id);
  if (argc == 1) return orb;
  orb->destroy();
  throw CORBA::BAD_PARAM(0, CORBA::CompletionStatus::COMPLETED_NO,
                         std::string("'") + argv[1] + "' is not an ORB option");
}

std::string url_of(const std::string& reference, const std::string& key) {
  const auto ior = giop::parse_ior(reference);
  if (!ior) return {};
  for (const giop::TaggedData& tagged : ior->profiles) {
    if (tagged.tag != giop::profile_tag::kIiop) continue;
    const auto profile = giop::decode_iiop_profile(tagged.data);
    if (!profile || profile->host.empty() || profile->port == 0) continue;
    const bool is_ipv6 = profile->host.find(':') != std::string::npos;
    return "corbaloc::" + (is_ipv6 ? "[" + profile->host + "]" : profile->host) + ":" +
           std::to_string(profile->port) + "/" + key;
  }
  return {};
}

}  // namespace orbweaver::server
