// orbweaver domain --state etcd://…: a state that domain managers on several hosts share. Left out of builds
// without the HTTP library.
#include <chrono>
#include <fstream>
#include <memory>
#include <utility>

#include "domain_extension.h"
#include "etcd/etcd_state.h"
#include "platform/environment.h"
#include "platform/process_identity.h"
#include "platform/socket_file.h"

namespace orbweaver::tools {
namespace {

struct Arguments {
  int lease_seconds = 5;
  std::string user, password_file, ca_file, certificate, key;
};

/// The first line of a file.
Result<std::string> read_password(const std::string& file) {
  char line[4096];
  std::ifstream in(file);
  if (in.getline(line, sizeof line) && *line != '\0') return std::string(line);
  return Error{ErrorKind::invalid, "--etcd-password-file " + file +
                                       ": cannot be read, or has no password of " +
                                       "at most 4,095 octets in its first line"};
}

Result<void> complete(const Arguments& arguments, sca::DomainServerOptions& domain) {
  const std::string state = domain.server.state_file;
  if (!etcd::is_etcd_url(state)) {
    if (arguments.user.empty() && arguments.ca_file.empty() && arguments.certificate.empty()) return {};
    return Error{ErrorKind::invalid, "the options --etcd-… need --state etcd://HOST:PORT"};
  }
  auto parsed = etcd::parse_etcd_url(state);
  if (!parsed) return Error{ErrorKind::invalid, "--state " + parsed.error().message};
  etcd::LeadershipOptions options;
  options.etcd = std::move(*parsed);
  if (!options.etcd.tls && !(arguments.ca_file.empty() && arguments.certificate.empty()))
    return Error{ErrorKind::invalid,
                 "--etcd-ca and --etcd-cert need --state etcds://HOST:PORT, which is TLS"};
  for (const auto& [option, file] :
       {std::pair("--etcd-ca ", arguments.ca_file), std::pair("--etcd-cert ", arguments.certificate),
        std::pair("--etcd-key ", arguments.key)}) {
    if (!file.empty() && !std::ifstream(file))
      return Error{ErrorKind::invalid, option + file + ": cannot be read"};
  }
  options.etcd.user = arguments.user;
  options.etcd.ca_file = arguments.ca_file;
  options.etcd.certificate = arguments.certificate;
  options.etcd.key = arguments.key;
  if (!arguments.user.empty()) {
    auto password = read_password(arguments.password_file);
    if (!password) return password.take_error();
    options.etcd.password = std::move(*password);
  }
  options.prefix = "orbweaver/domain/" + domain.name + "/";
  options.name = "host " + platform::host_name() + ", process " + std::to_string(platform::process_id());
  options.lease = std::chrono::seconds(arguments.lease_seconds);
  options.is_patient = platform::environment(sca::kStandByVariable) != nullptr;
  domain.server.state_file.clear();
  domain.shared_state = [options] { return etcd::make_etcd_state(options); };
  return {};
}

DomainExtension::Complete set_up(CLI::App& app) {
  const auto arguments = std::make_shared<Arguments>();
  app.add_option("--etcd-lease", arguments->lease_seconds,
                 "With --state etcd://: seconds after which another one leads (default: 5)")
      ->type_name("N")
      ->check(CLI::Range(2, 60));
  const auto password = app.add_option("--etcd-password-file", arguments->password_file,
                                       "File with the password of --etcd-user")
                            ->type_name("FILE");
  const auto user = app.add_option("--etcd-user", arguments->user, "User at the etcd")->type_name("NAME");
  user->needs(password);
  password->needs(user);
  app.add_option("--etcd-ca", arguments->ca_file,
                 "Certificates that sign those of an etcds:// (default: those of the system)")
      ->type_name("FILE");
  const auto certificate =
      app.add_option("--etcd-cert", arguments->certificate, "Certificate of this client of an etcds://")
          ->type_name("FILE");
  const auto key = app.add_option("--etcd-key", arguments->key, "Its key")->type_name("FILE");
  certificate->needs(key);
  key->needs(certificate);
  return [arguments](sca::DomainServerOptions& domain) { return complete(*arguments, domain); };
}

const bool registered = register_domain_extension({set_up});

}  // namespace
}  // namespace orbweaver::tools
