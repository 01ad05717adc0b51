#pragma once

#include <string>

#include "CFC.h"
#include "sca/control/domain_client.h"
#include "sca/control/domain_tree.h"

/// Why create() of an installed application has rejected an argument, which its exceptions do not say. Each
/// reads the profiles of the application in the files of the domain, and returns one sentence without a
/// period, or what describe() says if they cannot be read. Block; any thread. Raise exceptions if the domain
/// manager does not answer.
namespace orbweaver::sca {

/// For each assignment the component or device that does not exist, with a suggestion.
std::string describe(const CF::ApplicationFactory::CreateApplicationRequestError& error,
                     const DomainClient& client, const ReadFactory& factory);

/// For each property what is wrong with it or its value.
std::string describe(const CF::ApplicationFactory::InvalidInitConfiguration& error,
                     const DomainClient& client, const ReadFactory& factory);

}  // namespace orbweaver::sca
