#include "sca/cf222/device_profiles.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

#include "sca/cf222/remote_calls.h"
#include "sca/files/file_name.h"
#include "sca/files/transfer.h"
#include "sca/profile/profiles.h"
#include "sca/profile/xml.h"

namespace orbweaver::sca {
namespace {

namespace fs = std::filesystem;

// Limits of the profile of one device.
constexpr std::uint64_t kMaxFileBytes = 4u << 20;
constexpr std::size_t kMaxFiles = 64;

/// A folder with a new name, removed by the destructor.
class PrivateFolder {
 public:
  PrivateFolder() {
    std::error_code failed;
    std::string name = (fs::temp_directory_path(failed) / "orbweaver-profile-XXXXXX").string();
    if (!failed && mkdtemp(name.data()) != nullptr) path_ = name;
  }
  ~PrivateFolder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  PrivateFolder(const PrivateFolder&) = delete;
  PrivateFolder& operator=(const PrivateFolder&) = delete;

  /// Empty if it could not be made.
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

/// The profiles that an element and those in it name: in <propertyfile> and <descriptor>, not in <code>.
void collect_names(pugi::xml_node node, std::vector<std::string>& names) {
  for (const pugi::xml_node child : node.children()) {
    const std::string_view name = child.name();
    if (name == "propertyfile" || name == "descriptor") {
      names.emplace_back(child.child("localfile").attribute("name").value());
    } else {
      collect_names(child, names);
    }
  }
}

std::vector<std::string> named_in(const fs::path& file) {
  std::vector<std::string> names;
  try {
    const XmlFile xml(file.string());
    collect_names(xml.root().node(), names);
  } catch (const ProfileError&) {  // reported when the profiles are read
  }
  return names;
}

/// Copies the file `name`, and what it names, to the folder, where each keeps its path. Only the first has to
/// exist; what the others lack is found when the profiles are read.
Result<void> copy_profiles(const FileSystemRef& files, const std::string& name, const fs::path& folder) {
  std::vector<std::string> waiting{name};
  std::set<std::string> known{name};
  for (std::size_t i = 0; i < waiting.size() && i < kMaxFiles; ++i) {
    const FileName parsed = parse_file_name(waiting[i], FileNameRules::ascii);
    if (parsed.error != 0) {
      if (i == 0) return Error{ErrorKind::invalid, "the file name '" + name + "': " + parsed.message};
      continue;
    }
    const fs::path path = folder / parsed.path;
    try {
      const CF::OctetSequence bytes = read_file(files, waiting[i], kMaxFileBytes);
      fs::create_directories(path.parent_path());
      std::ofstream(path, std::ios::binary)
          .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    } catch (const CF::FileException& e) {
      if (i == 0) return Error{ErrorKind::unavailable, name + ": " + e.msg()};
      continue;
    } catch (const CF::InvalidFileName& e) {
      if (i == 0) return Error{ErrorKind::unavailable, name + ": " + e.msg()};
      continue;
    }
    for (const std::string& other : named_in(path)) {
      const fs::path absolute =
          other.starts_with('/') ? fs::path(other) : fs::path(waiting[i]).parent_path() / other;
      const std::string normal = absolute.lexically_normal().string();
      if (!other.empty() && known.insert(normal).second) waiting.push_back(normal);
    }
  }
  return {};
}

}  // namespace

Result<DeviceProfile> read_device_profile(const IDL::traits<CF::FileSystem>::ref_type& files,
                                          const std::string& name) {
  const PrivateFolder folder;
  if (folder.path().empty())
    return Error{ErrorKind::unavailable, "a temporary folder for the profile " + name + " cannot be made"};
  try {
    if (auto copied = copy_profiles(files, name, folder.path()); !copied) return copied.take_error();
  } catch (const CORBA::SystemException& e) {
    return Error{ErrorKind::unavailable, name + ": " + why(e)};
  } catch (const std::exception& e) {
    return Error{ErrorKind::unavailable, name + ": " + e.what()};
  }
  Findings findings;
  Profiles profiles(folder.path().string(), Profiles::CodeFiles::may_be_missing, findings);
  const std::string path = (folder.path() / parse_file_name(name, FileNameRules::ascii).path).string();
  const bool read = profiles.check(path, ProfileKind::package);
  if (!read || findings.mistakes() != 0) {
    std::string mistake = findings.mistakes() != 0 ? findings.first_mistake() : name + " cannot be read";
    // Names as the node has them.
    for (std::size_t at = 0; (at = mistake.find(folder.path().string(), at)) != std::string::npos;)
      mistake.erase(at, folder.path().string().size());
    return Error{ErrorKind::invalid, mistake};
  }
  DeviceProfile profile;
  if (const SoftwarePackage* const package = profiles.find_package(path))
    profile.properties = package->properties.simple;
  return profile;
}

}  // namespace orbweaver::sca
