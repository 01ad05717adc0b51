#include "sca/cf222/domain_server.h"

#include <orbweaver/orb.h>
#include <orbweaver/poa.h>

#include <atomic>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include "base/printable.h"
#include "naming/hosted_names.h"
#include "platform/execute_again.h"
#include "platform/file_size_signal.h"
#include "platform/freed_memory.h"
#include "platform/last_message.h"
#include "platform/line_writer.h"
#include "platform/process.h"
#include "sca/cf222/domain.h"
#include "sca/cf222/domain_state.h"
#include "sca/cf222/end_limit.h"
#include "sca/cf222/remote_calls.h"
#include "sca/deployment/late_calls.h"
#include "sca/files/file_name.h"
#include "server/server_orb.h"
#include "server/server_process.h"

namespace orbweaver::sca {
namespace {

namespace fs = std::filesystem;

/// Size of the rings of clients: those of components carry a few calls each, and are allocated when a
/// component connects to bind its name.
constexpr std::size_t kRingBytes = std::size_t{128} << 10;

/// Time limit of calls that have no shorter one, in milliseconds, unless --orb gives another one.
constexpr const char* kCallTimeoutMs = "60000";

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

std::string announcement(const DomainServerOptions& options, const Domain& domain, const DomainState& state,
                         const std::string& reference) {
  const std::string url = server::url_of(reference, naming::kRootKey);
  std::string text = "domain '" + domain.name() + "' as " + domain.name_of(domain.name()) + " in ";
  if (!options.naming.empty()) {
    text += options.naming;
  } else {
    text += url.empty() ? "its naming service, which has no TCP endpoint" : url;
  }
  return text + ", files in " + domain.root() + ", " + state.text();
}

/// Whether the domain manager ends by itself: then a loss of the leadership changes nothing.
std::atomic<bool> is_ending = false;

/// Ends all that the process does, wherever it is, since another one may lead. As a new execution it stands
/// by.
void lose_leadership(const std::string& program, const std::string& reason) {
  if (is_ending) return;
  platform::write_last_message(platform::kStandardError, program + ": it has lost the leadership (" +
                                                             printable_lines(reason) + "), and stands by\n");
  const int error = platform::execute_again(kStandByVariable + std::string("=1"));
  platform::write_last_message(platform::kStandardError,
                               program + ": cannot be executed again: " + platform::error_text(error) + "\n");
  std::_Exit(1);
}

/// Waits until this process may use the state; false if a signal has come before.
Result<bool> acquire(DomainState& state, const DomainServerOptions& options,
                     const platform::TerminationSignals& signals) {
  const std::string program = options.server.program;
  const auto waiting = [&](const std::string& reason) {
    std::printf("%s: domain '%s': %s\n", program.c_str(), options.name.c_str(),
                printable_lines(reason).c_str());
    std::fflush(stdout);
  };
  return state.acquire(signals.arrived(), waiting,
                       [program](const std::string& reason) { lose_leadership(program, reason); });
}

Result<void> run(const DomainServerOptions& options, const IDL::traits<CORBA::ORB>::ref_type& orb,
                 naming::NamingFile names, DomainModel& model, const DomainState& state,
                 DomainOptions domain_options, DomainProperties properties,
                 platform::TerminationSignals& signals, std::optional<EndLimit>& limit) {
  const auto manager =
      IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"))->the_POAManager();
  DomainNames::ContextRef naming;
  if (options.naming.empty()) {
    const auto events = std::make_shared<RegistrationEvents>();
    domain_options.registration_events = events;
    auto hosted = naming::host_names(orb, std::move(names), [events] { events->notify(); });
    naming = hosted.root;
    domain_options.hosted_names = std::move(hosted.service);
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
  auto announced =
      server::announce(options.server, reference, announcement(options, domain, state, reference));
  if (announced) server::wait_for_signal(signals);
  is_ending = true;
  limit.emplace(kEndLimit, [program = options.server.program] { end_process(program); });
  attached.reset();
  domain.end();
  finish_late_calls();
  return announced;
}

/// Calls `function` with the ORB of the options, and destroys it. Errors of the ORB and of calls as
/// serve_domain().
template <class Function>
Result<void> with_orb(const DomainServerOptions& options, const std::string& root, Function function) {
  IDL::traits<CORBA::ORB>::ref_type orb;
  Result<void> result;
  try {
    server::ServerOptions server = options.server;
    if (server.ring_bytes == 0) server.ring_bytes = kRingBytes;
    server.orb.insert(server.orb.begin(), {"-ORBCallTimeout", kCallTimeoutMs});
    orb = server::make_orb(server, "domain");
    result = function(orb);
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
    result = Error{ErrorKind::unavailable, "--root " + root + ": " + e.msg()};
  } catch (const CORBA::UserException& e) {
    result = Error{ErrorKind::unavailable, std::string("the naming service raises ") + e._name()};
  }
  if (orb) orb->destroy();
  return result;
}

/// Runs the domain manager that may use the state.
Result<void> serve(const DomainServerOptions& options, DomainState& state, const std::string& root,
                   const DeploymentFunctions& functions, DomainProperties properties,
                   platform::TerminationSignals& signals, std::optional<EndLimit>& limit) {
  auto model = state.open_model();
  if (!model) return model.take_error();
  naming::NamingFile names;
  if (options.naming.empty()) {
    auto opened = state.open_names();
    if (!opened) return opened.take_error();
    names = std::move(*opened);
  }
  return with_orb(options, root, [&](const IDL::traits<CORBA::ORB>::ref_type& orb) {
    DomainOptions domain{options.name, root, options.profile, functions, {}, options.facades};
    domain.is_sole = state.excludes_others();
    domain.redeploy = options.redeploy;
    return run(options, orb, std::move(names), **model, state, std::move(domain), std::move(properties),
               signals, limit);
  });
}

}  // namespace

Result<void> serve_domain(const DomainServerOptions& options, const DeploymentFunctions& functions) {
  platform::TerminationSignals signals;
  platform::ignore_file_size_signal();
  platform::return_freed_memory();
  if (auto checked = check(options); !checked) return checked;
  const auto root = root_folder(options.root);
  if (!root) return root.error();
  DomainProperties properties;
  if (!options.profile.empty()) {
    auto read = read_domain_profile(*root, options.profile);
    if (!read) return read.take_error();
    properties = std::move(*read);
  }
  const auto state = options.shared_state ? make_shared_domain_state(options.shared_state())
                                          : make_file_state(options.server.state_file);
  // A domain manager that could not listen when it leads would be none.
  if (options.shared_state) {
    auto tried = with_orb(options, *root, [](const auto&) { return Result<void>(); });
    if (!tried) return tried;
  }
  auto may_serve = acquire(*state, options, signals);
  if (!may_serve) return may_serve.take_error();
  if (!*may_serve) return {};
  std::optional<EndLimit> limit;  // of the end, which includes that of the ORB
  auto served = serve(options, *state, *root, functions, std::move(properties), signals, limit);
  is_ending = true;
  state->release();
  return served;
}

}  // namespace orbweaver::sca
