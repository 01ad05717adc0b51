#include "sca/control/call_error.h"

#include <sstream>

#include "sca/profile/property_json.h"
#include "sca/runtime/property_any.h"

namespace orbweaver::sca {
namespace {

/// "CF_ENOENT"; empty for CF_NOTSET.
std::string name_of(CF::ErrorNumberType number) {
  if (number == CF::ErrorNumberType::CF_NOTSET) return {};
  std::ostringstream text;
  text << number;
  std::string name = text.str();
  if (const std::size_t scope = name.rfind(':'); scope != std::string::npos) name = name.substr(scope + 1);
  return name;
}

std::string joined(const std::string& before, const std::string& text) {
  return text.empty() ? before : before + ": " + text;
}

/// "gain=3, on=true".
std::string text_of_list(const CF::Properties& properties) {
  std::string text;
  for (const CF::DataType& each : properties) {
    text += (text.empty() ? "" : ", ") + each.id();
    if (!each.value()._empty()) text += "=" + any_text(each.value());
  }
  return text;
}

std::string text_of_list(const CF::StringSequence& messages) {
  std::string text;
  for (const std::string& each : messages) text += (text.empty() ? "" : "; ") + each;
  return text;
}

template <class Exception>
const Exception* as(const CORBA::Exception& e) {
  return dynamic_cast<const Exception*>(&e);
}

/// Describes the exception if it is of this type, which has an error number and a message.
template <class Exception>
bool has_message(const CORBA::Exception& e, const char* what, std::string& text) {
  const auto* const raised = as<Exception>(e);
  if (raised == nullptr) return false;
  const std::string number = name_of(raised->errorNumber());
  text = joined(number.empty() ? what : std::string(what) + " (" + number + ")", raised->msg());
  return true;
}

}  // namespace

std::string any_text(const CORBA::Any& value) {
  if (value._empty()) return {};
  if (const auto text = text_of(value)) return *text;
  if (const auto structured = value_of(value))
    return json_of(declared_type_of(value).value_or(DeclaredType()), *structured)
        .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  std::ostringstream text;
  text << value;
  return text.str();
}

nlohmann::json any_json(const CORBA::Any& value) {
  const auto type = declared_type_of(value);
  if (type && type->form != PropertyForm::simple) {
    if (const auto structured = value_of(value)) return json_of(*type, *structured);
  }
  const std::string text = any_text(value);
  const CORBA::TCKind kind = value.type()->kind();
  if (kind == CORBA::TCKind::tk_string || kind == CORBA::TCKind::tk_char) return text;
  const auto parsed = nlohmann::json::parse(text, nullptr, false);
  return parsed.is_number() || parsed.is_boolean() ? parsed : nlohmann::json(text);
}

std::string json_text(const nlohmann::json& value) {
  return value.dump(2, ' ', true, nlohmann::json::error_handler_t::replace) + "\n";
}

std::string json_line(const nlohmann::json& value) {
  return value.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace) + "\n";
}

std::string describe(const CORBA::Exception& e) {
  std::string text;
  if (has_message<CF::ApplicationFactory::CreateApplicationError>(e, "the application cannot be created",
                                                                  text) ||
      has_message<CF::DomainManager::ApplicationInstallationError>(e, "the application cannot be installed",
                                                                   text) ||
      has_message<CF::DomainManager::ApplicationUninstallationError>(
          e, "the application cannot be uninstalled", text) ||
      has_message<CF::InvalidFileName>(e, "the file name is invalid", text) ||
      has_message<CF::FileException>(e, "the file cannot be used", text) ||
      has_message<CF::Resource::StartError>(e, "it cannot be started", text) ||
      has_message<CF::Resource::StopError>(e, "it cannot be stopped", text))
    return text;
  if (const auto* request = as<CF::ApplicationFactory::CreateApplicationRequestError>(e)) {
    for (const CF::DeviceAssignmentType& each : request->invalidAssignments())
      text += (text.empty() ? "" : ", ") + each.componentId() + "=" + each.assignedDeviceId();
    return joined(
        "these device assignments cannot be used: the assembly has no such component, or the domain "
        "no such device that can execute it",
        text);
  }
  if (const auto* init = as<CF::ApplicationFactory::InvalidInitConfiguration>(e))
    return joined(
        "these properties cannot be set: the application has no such property, or it is read-only, "
        "or the value has another type or is out of its range",
        text_of_list(init->invalidProperties()));
  if (const auto* invalid = as<CF::PropertySet::InvalidConfiguration>(e))
    return joined(joined("no property has been set", invalid->msg()),
                  text_of_list(invalid->invalidProperties()));
  if (const auto* partial = as<CF::PropertySet::PartialConfiguration>(e))
    return joined("these properties have not been set, the others have",
                  text_of_list(partial->invalidProperties()));
  if (const auto* unknown = as<CF::UnknownProperties>(e))
    return joined("there are no such properties", text_of_list(unknown->invalidProperties()));
  if (const auto* release = as<CF::LifeCycle::ReleaseError>(e))
    return joined("it cannot be released", text_of_list(release->errorMessages()));
  if (as<CF::InvalidProfile>(e)) {
    return "a profile is missing or invalid: `orbweaver check` names its mistakes, and the log of the domain "
           "the "
           "reason";
  }
  if (as<CF::DomainManager::ApplicationAlreadyInstalled>(e)) return "the application is installed already";
  if (as<CF::DomainManager::InvalidIdentifier>(e)) return "the domain has no application of that id";
  if (const auto* system = as<CORBA::SystemException>(e))
    return std::string(system->_name()) + (system->detail().empty() ? "" : ": " + system->detail());
  return e._name();
}

}  // namespace orbweaver::sca
