#include "sca/control/domain_client.h"

#include <orbweaver/messaging.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "sca/control/call_error.h"
#include "services/naming/service_addresses.h"

namespace orbweaver::sca {
namespace {

constexpr std::size_t kMaxThreads = 64;
constexpr std::uint32_t kListedAtOnce = 100;
constexpr std::size_t kMaxListed = 10'000;

CosNaming::Name name_of(const std::string& domain, const std::string& object) {
  return {CosNaming::NameComponent(domain, ""), CosNaming::NameComponent(object, "")};
}

}  // namespace

DomainClient::DomainClient(const ControlOptions& options) : options_(options) {
  std::string words[] = {"orbweaver", "-ORBCallTimeout", std::to_string(options.query_timeout_ms)};
  char* argv[] = {words[0].data(), words[1].data(), words[2].data(), nullptr};
  int argc = 3;
  static std::atomic<int> count = 0;
  orb_ = CORBA::ORB_init(argc, argv, "domain client " + std::to_string(++count));
  try {
    CORBA::Any limit;
    limit <<= static_cast<TimeBase::TimeT>(options.action_timeout_ms) * 10'000;  // units of 100 ns
    action_policies_ = {orb_->create_policy(Messaging::RELATIVE_RT_TIMEOUT_POLICY_TYPE, limit)};
    root_ = find_naming();
    if (!root_) throw Error{ErrorKind::unavailable, "'" + options.naming + "' is not a naming service"};
  } catch (const CORBA::BAD_PARAM& e) {
    orb_->destroy();
    throw Error{ErrorKind::invalid, "--naming " + options.naming + ": " + e.detail()};
  } catch (const CORBA::NO_PERMISSION&) {
    orb_->destroy();
    throw Error{ErrorKind::unavailable,
                "the naming service " + options.naming +
                    " does not admit this user or host: it belongs to another user, whose commands it "
                    "takes; --allow of the domain manager admits others, --naming names another service"};
  } catch (const CORBA::SystemException& e) {
    orb_->destroy();
    throw Error{ErrorKind::unavailable, "the naming service " + options.naming +
                                            " does not answer: " + describe(e) +
                                            "; does the domain run? --naming names another one"};
  } catch (...) {
    orb_->destroy();
    throw;
  }
}

DomainClient::ContextRef DomainClient::find_naming() const {
  const std::vector<std::string> services = naming::service_addresses(options_.naming);
  for (std::size_t i = 0;; ++i) {
    try {
      const auto context = IDL::traits<CosNaming::NamingContext>::narrow(orb_->string_to_object(services[i]));
      if (context || i + 1 == services.size()) return context;
    } catch (const CORBA::BAD_PARAM&) {  // malformed
      throw;
    } catch (const CORBA::SystemException&) {
      if (i + 1 == services.size()) throw;
    }
  }
}

DomainClient::~DomainClient() {
  root_ = nullptr;
  orb_->destroy();
}

DomainClient::ObjectRef DomainClient::with_action_timeout(const ObjectRef& object) const {
  return object->_set_policy_overrides(action_policies_, CORBA::SetOverrideType::ADD_OVERRIDE);
}

DomainClient::ObjectRef DomainClient::find_in_domain(const std::string& name) const {
  try {
    return root_->resolve(name_of(options_.domain, name));
  } catch (const CosNaming::NamingContext::NotFound&) {
    return nullptr;
  } catch (const CosNaming::NamingContext::InvalidName&) {
    return nullptr;
  }
}

DomainClient::DomainRef DomainClient::domain() const {
  const ObjectRef object = find_in_domain(options_.domain);
  if (!object) {
    std::string all;
    for (const std::string& name : domain_names()) all += (all.empty() ? "" : ", ") + name;
    throw Error{ErrorKind::unavailable,
                "there is no domain '" + options_.domain + "' in " + options_.naming +
                    (all.empty() ? "" : "; there are " + all + ": name one with --domain")};
  }
  try {
    if (auto domain = IDL::traits<CF::DomainManager>::narrow(object)) return domain;
  } catch (const CORBA::SystemException& e) {
    throw Error{ErrorKind::unavailable,
                "the domain '" + options_.domain + "' does not answer: " + describe(e)};
  }
  throw Error{ErrorKind::unavailable,
              "'" + options_.domain + "' is bound to an object that is no domain manager"};
}

std::vector<std::string> DomainClient::domain_names() const {
  CosNaming::BindingList all, more;
  IDL::traits<CosNaming::BindingIterator>::ref_type rest;
  root_->list(kListedAtOnce, all, rest);
  while (rest && all.size() < kMaxListed && rest->next_n(kListedAtOnce, more) && !more.empty())
    all.insert(all.end(), more.begin(), more.end());
  if (rest) rest->destroy();
  std::vector<std::string> names(all.size());
  each_concurrently(all.size(), [&](std::size_t i) {
    const CosNaming::Binding& binding = all[i];
    if (binding.binding_type() != CosNaming::BindingType::ncontext || binding.binding_name().size() != 1)
      return;
    const std::string& name = binding.binding_name().front().id();
    try {
      const ObjectRef object = root_->resolve(name_of(name, name));
      // One that does not answer is listed: its name and type are known.
      if (object && (object->_repository_id() == "IDL:CF/DomainManager:1.0" ||
                     IDL::traits<CF::DomainManager>::narrow(object)))
        names[i] = name;
    } catch (const CORBA::Exception&) {  // no domain
    }
  });
  names.erase(std::remove(names.begin(), names.end(), ""), names.end());
  std::sort(names.begin(), names.end());
  return names;
}

void each_concurrently(std::size_t count, const std::function<void(std::size_t)>& function) {
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < count; i = next++) function(i);
  };
  std::vector<std::thread> threads;
  for (std::size_t i = 1; i < std::min(count, kMaxThreads); ++i) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();
}

Result<std::string> execute(const std::function<std::string()>& command) {
  try {
    return command();
  } catch (const Error& error) {
    return error;
  } catch (const CORBA::Exception& e) {
    return Error{ErrorKind::unavailable, describe(e)};
  }
}

}  // namespace orbweaver::sca
