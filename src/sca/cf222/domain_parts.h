#pragma once

#include <orbweaver/orb.h>
#include <orbweaver/result.h>

#include <string>

#include "CFC.h"
#include "sca/cf222/domain_channels.h"
#include "sca/cf222/domain_log.h"
#include "sca/cf222/domain_names.h"
#include "sca/domain/domain_model.h"

namespace orbweaver::sca {

/// What the parts of a domain manager share. All of it outlives them.
struct DomainParts {
  std::string name;  ///< Of the domain.
  IDL::traits<CORBA::ORB>::ref_type orb;
  DomainModel& model;
  DomainNames& names;
  DomainChannels& channels;
  DomainLog& log;
};

/// The error number of a change of the model that has failed: CF_EIO if the state cannot be stored.
inline CF::ErrorNumberType error_number_of(const Error& error) {
  return error.kind == ErrorKind::invalid ? CF::ErrorNumberType::CF_EINVAL : CF::ErrorNumberType::CF_EIO;
}

}  // namespace orbweaver::sca
