#include "sca/launch/component_error.h"

#include <vector>

#include "FrameworkC.h"

namespace orbweaver::sca {
namespace {

std::string joined(const std::vector<std::string>& sentences) {
  std::string all;
  for (const auto& s : sentences) all += (all.empty() ? "" : "; ") + s;
  return all.empty() ? "no reason given" : all;
}

/// Describes the exception being handled by a catch block around a call to a component.
std::string reason() {
  try {
    throw;
  } catch (const CF::LifeCycle::InitializeError& e) {
    return joined(e.errorMessages());
  } catch (const CF::LifeCycle::ReleaseError& e) {
    return joined(e.errorMessages());
  } catch (const CF::Resource::StartError& e) {
    return e.msg();
  } catch (const CF::Resource::StopError& e) {
    return e.msg();
  } catch (const CF::Port::InvalidPort& e) {
    return e.msg();
  } catch (const CF::Port::OccupiedPort&) {
    return "the port takes no further connection";
  } catch (const CF::PortSupplier::UnknownPort&) {
    return "it has no such port, though its SCD declares it";
  } catch (const CF::PropertySet::InvalidConfiguration& e) {
    return e.msg();
  } catch (const CF::PropertySet::PartialConfiguration& e) {
    std::vector<std::string> ids;
    for (const CF::DataType& property : e.invalidProperties()) ids.push_back(property.id());
    return "it rejects " + joined(ids);
  } catch (const std::exception& e) {
    return e.what();
  }
}

}  // namespace

void fail_call(const std::string& what) {
  try {
    throw;
  } catch (const CORBA::SystemException& e) {
    throw ComponentUnreachable(what + ": " + e.what());
  } catch (const std::exception&) {
    throw std::runtime_error(what + ": " + reason());
  }
}

}  // namespace orbweaver::sca
