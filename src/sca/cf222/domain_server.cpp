#include "sca/cf222/domain_server.h"

#include <orbweaver/orb.h>
#include <orbweaver/poa.h>

#include <filesystem>
#include <memory>
#include <utility>

#include "naming/hosted_names.h"
#include "platform/file_size_signal.h"
#include "platform/process.h"
#include "sca/cf222/domain.h"
#include "sca/cf222/remote_calls.h"
#include "sca/deployment/late_calls.h"
#include "sca/files/file_name.h"
#include "server/server_orb.h"
#include "server/server_process.h"
#include "state/record_store.h"

namespace orbweaver::sca {
namespace {

namespace fs = std::filesystem;

/// Size of the rings of clients: those of components carry a few calls each, and are allocated when a
/// component connects to bind its name.
constexpr std::size_t kRingBytes = std::size_t{128} << 10;

state::SqliteFormat state_format() {
  state::SqliteFormat format;
  format.application_id = 0x4f57444d;  // "OWDM"
  format.content = "state of a domain";
  return format;
}

/// The file of the names beside a state file: "domain-names.sqlite" beside "domain.sqlite".
std::string names_file(const std::string& state_file) {
  const fs::path path(state_file);
  return (path.parent_path() / (path.stem().string() + "-names" + path.extension().string())).string();
}

Result<std::unique_ptr<DomainModel>> open_model(const std::string& state_file) {
  if (state_file.empty()) return DomainModel::open(state::make_memory_records());
  auto store = state::open_record_file(state_file, state_format());
  if (!store) return store.take_error();
  auto model = DomainModel::open(std::move(*store));
  if (!model) return Error{model.error().kind, state_file + ": " + model.error().message};
  return model;
}

Result<std::string> root_folder(const std::string& root) {
  std::error_code failed;
  const fs::path folder = fs::canonical(root.empty() ? "." : root, failed);
  if (!failed && fs::is_directory(folder, failed)) return folder.string();
  return Error{ErrorKind::invalid, "--root " + root + ": is not a folder" +
                                       (failed ? " (" + failed.message() + ")" : std::string())};
}

Result<void> check(const DomainServerOptions& options) {
  if (is_valid_part(options.name, FileNameRules::ascii) && options.name.size() <= 40) return {};
  return Error{ErrorKind::invalid,
               "--name '" + options.name +
                   "' cannot be the name of a domain: it has 1 to 40 printable characters "
                   "of ASCII, and no / * ?"};
}

/// The naming service of --naming. Raises what a call raises.
Result<DomainNames::ContextRef> find_naming(const IDL::traits<CORBA::ORB>::ref_type& orb,
                                            const std::string& reference) {
  const std::string what = "the naming service " + reference;
  try {
    const auto object = limited<CORBA::Object>(orb->string_to_object(reference), kAttributeLimit);
    if (object && object->_is_a(CosNaming::NamingContext::_interface_id()))
      return limited<CosNaming::NamingContext>(object, kAttributeLimit);
    return Error{ErrorKind::invalid, "--naming " + reference + ": is no naming context"};
  } catch (const CORBA::BAD_PARAM& e) {
    return Error{ErrorKind::invalid, "--naming " + reference + ": " + e.detail()};
  } catch (const CORBA::SystemException& e) {
    return Error{ErrorKind::unavailable,
                 what + " cannot be called: " + why(e) + "; start it, or leave out --naming to run one here"};
  }
}

std::string announcement(const DomainServerOptions& options, const Domain& domain,
                         const std::string& reference) {
  const std::string url = server::url_of(reference, naming::kRootKey);
  std::string text = "domain '" + domain.name() + "' as " + domain.name_of(domain.name()) + " in ";
  if (!options.naming.empty()) {
    text += options.naming;
  } else {
    text += url.empty() ? "its naming service, which has no TCP endpoint" : url;
  }
  return text + ", files in " + domain.root() +
         (options.server.state_file.empty() ? ", state is lost when it ends"
                                            : ", state in " + options.server.state_file);
}

Result<void> run(const DomainServerOptions& options, const IDL::traits<CORBA::ORB>::ref_type& orb,
                 naming::NamingFile names, DomainModel& model, DomainOptions domain_options,
                 DomainProperties properties, platform::TerminationSignals& signals) {
  const auto manager =
      IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"))->the_POAManager();
  DomainNames::ContextRef naming;
  if (options.naming.empty()) {
    const auto events = std::make_shared<RegistrationEvents>();
    domain_options.registration_events = events;
    naming = naming::host_names(orb, std::move(names), [events] { events->notify(); });
  } else {
    auto found = find_naming(orb, options.naming);
    if (!found) return found.take_error();
    naming = *found;
  }
  manager->activate();
  Domain domain(orb, naming, model, std::move(domain_options), std::move(properties));
  const std::string reference = orb->object_to_string(domain.start());
  std::shared_ptr<void> attached;
  if (options.attach) {
    auto made = options.attach(domain);
    if (!made) {
      domain.end();
      return made.take_error();
    }
    attached = std::move(*made);
  }
  auto announced = server::announce(options.server, reference, announcement(options, domain, reference));
  if (announced) server::wait_for_signal(signals);
  attached.reset();
  domain.end();
  finish_late_calls();
  return announced;
}

}  // namespace

Result<void> serve_domain(const DomainServerOptions& options, const DeploymentFunctions& functions) {
  platform::TerminationSignals signals;
  platform::ignore_file_size_signal();
  if (auto checked = check(options); !checked) return checked;
  const auto root = root_folder(options.root);
  if (!root) return root.error();
  DomainProperties properties;
  if (!options.profile.empty()) {
    auto read = read_domain_profile(*root, options.profile);
    if (!read) return read.take_error();
    properties = std::move(*read);
  }
  auto model = open_model(options.server.state_file);
  if (!model) return model.take_error();
  naming::NamingFile names;
  if (!options.server.state_file.empty() && options.naming.empty()) {
    auto opened = naming::open_naming_file(names_file(options.server.state_file));
    if (!opened) return opened.take_error();
    names = std::move(*opened);
  }
  IDL::traits<CORBA::ORB>::ref_type orb;
  Result<void> result;
  try {
    server::ServerOptions server = options.server;
    if (server.ring_bytes == 0) server.ring_bytes = kRingBytes;
    orb = server::make_orb(server, "domain");
    result = run(options, orb, std::move(names), **model,
                 {options.name, *root, options.profile, functions, {}, options.facades},
                 std::move(properties), signals);
  } catch (const CORBA::INITIALIZE& e) {
    const std::string hint =
        options.server.listen.empty()
            ? "; a naming service or another domain manager may use it: end that one, or give --port N, and "
              "to nodes and clients the same port"
            : std::string();
    result = Error{ErrorKind::unavailable, "cannot listen: " + e.detail() + hint};
  } catch (const CORBA::BAD_PARAM& e) {
    result = Error{ErrorKind::invalid, e.detail()};
  } catch (const CORBA::SystemException& e) {
    result = Error{ErrorKind::unavailable, e.detail()};
  } catch (const CF::FileException& e) {
    result = Error{ErrorKind::unavailable, "--root " + *root + ": " + e.msg()};
  } catch (const CORBA::UserException& e) {
    result = Error{ErrorKind::unavailable, std::string("the naming service raises ") + e._name()};
  }
  if (orb) orb->destroy();
  return result;
}

}  // namespace orbweaver::sca
