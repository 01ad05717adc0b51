#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sca/control/domain_client.h"

namespace orbweaver::sca {

/// What a word of a command line names in a domain.
enum class DomainWord : std::uint8_t {
  application,
  installed_application,
  object,   ///< A node, device, installed application or application.
  domain,   ///< In the naming service.
  channel,  ///< In the naming context of the domain.
  log,      ///< The same.
  file,  ///< A name in the file system of the domain: "/radio/radio.sad.xml"; of a folder with a final '/'.
};

/// The words of that kind that begin with `prefix`, in order, without duplicates; at most 1,000. For the
/// completion of command lines: a domain that does not answer has none, nor do the objects of it that do not.
/// Words with control characters are left out. Each call has the time limit of `options`; there are up to
/// five in succession.
std::vector<std::string> domain_words(const ControlOptions& options, DomainWord kind,
                                      const std::string& prefix);

}  // namespace orbweaver::sca
