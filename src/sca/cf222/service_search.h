#pragma once

#include <orbweaver/orb.h>

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

#include "sca/cf222/remote_calls.h"
#include "sca/domain/domain_model.h"

namespace orbweaver::sca {

/// Limits of a search for a service.
struct ServiceSearchLimits {
  std::chrono::nanoseconds call = kAttributeLimit;             ///< Of the question to a service.
  std::chrono::nanoseconds search = std::chrono::seconds(10);  ///< Of all questions of the search.
  std::size_t at_a_time = 64;                                  ///< Services that are asked at a time.
};

/// What a search for a service has found.
struct FoundService {
  std::optional<Service> service;
  /// If none was found: the name of the first service that did not answer in time, and may be of the
  /// interface; empty: all have answered, or cannot be called.
  std::string silent;
};

/// The service of an interface that was registered first. A service has the interface of its reference, and
/// those that it says to have (`_is_a`). Services that do not answer, or cannot be called, are left out.
/// Blocks for the time of `limits`. Any thread.
FoundService find_service_of_type(const DomainModel& model, const IDL::traits<CORBA::ORB>::ref_type& orb,
                                  const std::string& repid, const ServiceSearchLimits& limits = {});

}  // namespace orbweaver::sca
