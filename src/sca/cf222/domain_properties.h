#pragma once

#include <orbweaver/result.h>

#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "CFC.h"
#include "sca/profile/property.h"

namespace orbweaver::sca {

/// A log service of a DMD. One of both is empty.
struct DomainLogService {
  std::string service;  ///< Name of a service of the domain.
  std::string naming;   ///< Name in the naming service.
};
/// Limit of the log services of a domain manager.
inline constexpr std::size_t kMaxDomainLogs = 16;

/// What the DMD of a domain manager gives it: its id, log services, and properties, the simple ones of kind
/// configure in the PRFs of the DMD. Their values last until the end of the process. Thread-safe.
class DomainProperties {
 public:
  DomainProperties() = default;
  explicit DomainProperties(std::vector<SimpleProperty> properties, std::string id = {},
                            std::vector<DomainLogService> logs = {});
  DomainProperties(DomainProperties&& other) noexcept
      : id_(std::move(other.id_)), logs_(std::move(other.logs_)), values_(std::move(other.values_)) {}
  DomainProperties& operator=(DomainProperties&& other) noexcept {
    id_ = std::move(other.id_);
    logs_ = std::move(other.logs_);
    values_ = std::move(other.values_);
    return *this;
  }

  /// The id of the DMD; empty without one.
  const std::string& id() const { return id_; }
  /// The log services that the DMD names.
  const std::vector<DomainLogService>& logs() const { return logs_; }

  /// Raise as CF::PropertySet. configure() sets the values that are valid, each by itself; it raises
  /// InvalidConfiguration for more than kMaxGiven. Time is proportional to the number of values.
  void configure(const CF::Properties& properties);
  void query(CF::Properties& properties) const;

 private:
  struct Value {
    SimpleProperty property;
    std::string text;
  };
  std::string id_;
  std::vector<DomainLogService> logs_;
  mutable std::mutex mutex_;
  std::map<std::string, Value> values_;
};

/// Reads the DMD `name` in the folder `root`, and what it names. Errors: invalid with the first mistake.
Result<DomainProperties> read_domain_profile(const std::string& root, const std::string& name);

}  // namespace orbweaver::sca
