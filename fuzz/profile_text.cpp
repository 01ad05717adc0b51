// Reads the input as a profile: structure, extensions, and the reader of its kind. The files that it names do
// not exist.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "sca/profile/extensions.h"
#include "sca/profile/profile_readers.h"
#include "sca/profile/validate.h"

namespace {

using namespace orbweaver::sca;

void read(const XmlFile& file, Profiles& profiles) {
  const Element root = file.root();
  switch (file.kind()) {
    case ProfileKind::assembly: read_assembly(root, profiles); break;
    case ProfileKind::package: read_package(root, profiles); break;
    case ProfileKind::component: read_component(root, profiles); break;
    case ProfileKind::properties: read_properties(root, profiles); break;
    case ProfileKind::device_configuration: check_device_configuration(root, profiles); break;
    case ProfileKind::device_package: check_device_package(root, profiles); break;
    case ProfileKind::domain_manager: check_domain_manager(root, profiles); break;
    case ProfileKind::profile: check_profile_descriptor(root, profiles); break;
    case ProfileKind::deployment: check_deployment(root, profiles); break;
    case ProfileKind::platform: check_platform(root, profiles); break;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Findings findings;
  Profiles profiles("/nowhere", Profiles::CodeFiles::warn_if_missing, findings);
  try {
    const XmlFile file("/nowhere/f.xml", std::string_view(reinterpret_cast<const char*>(data), size));
    validate(file, findings);
    warn_about_extensions(file, findings);
    read(file, profiles);
  } catch (const ProfileError&) {
    // not a profile
  }
  findings.text(100);
  return 0;
}
