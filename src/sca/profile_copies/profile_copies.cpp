#include "sca/profile_copies/profile_copies.h"

#include <orbweaver/deadline.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "platform/folder.h"
#include "platform/regular_file.h"
#include "sca/files/file_name.h"
#include "sca/files/transfer.h"
#include "sca/profile/xml.h"

namespace orbweaver::sca {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMaxFileBytes = 4u << 20;

/// Elements whose <localfile> is another profile; that of <code> is not.
bool names_profile(std::string_view element) {
  static constexpr std::string_view kElements[] = {"propertyfile",         "descriptor",    "componentfile",
                                                   "devicemanagersoftpkg", "devicepkgfile", "softpkgref"};
  return std::find(std::begin(kElements), std::end(kElements), element) != std::end(kElements);
}

void collect_names(pugi::xml_node node, std::vector<std::string>& names) {
  for (const pugi::xml_node child : node.children()) {
    if (names_profile(child.name())) names.emplace_back(child.child("localfile").attribute("name").value());
    collect_names(child, names);
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

/// Makes a folder and those above it. 0, or an errno value.
int make_folders(const platform::Folder& copies, const fs::path& path) {
  fs::path folder;
  for (const fs::path& part : path) {
    folder /= part;
    if (const int error = copies.make_folder(folder.string()); error != 0 && error != EEXIST) return error;
  }
  return 0;
}

int write_new_file(const platform::Folder& copies, const std::string& name, const CF::OctetSequence& bytes) {
  const platform::FdResult file = copies.create_file(name);
  if (!file) return file.error;
  return platform::write_at(file.fd, bytes, 0).error;
}

/// Copies a file to a path in the folder of the copies. Returns the number of octets.
Result<std::uint64_t> copy(const IDL::traits<CF::FileSystem>::ref_type& files, const std::string& name,
                           const platform::Folder& copies, const fs::path& to) {
  try {
    const CF::OctetSequence bytes = read_file(files, name, kMaxFileBytes);
    int error = make_folders(copies, to.parent_path());
    if (error == 0) error = write_new_file(copies, to.string(), bytes);
    if (error == 0) return bytes.size();
    return Error{ErrorKind::unavailable,
                 name + ": its copy cannot be written: " + platform::error_text(error)};
  } catch (const CF::FileException& e) {
    return Error{ErrorKind::invalid, name + ": " + e.msg()};
  } catch (const CF::InvalidFileName& e) {
    return Error{ErrorKind::invalid, name + ": " + e.msg()};
  } catch (const CORBA::SystemException& e) {
    const bool timed_out = dynamic_cast<const CORBA::TIMEOUT*>(&e) != nullptr;
    return Error{ErrorKind::unavailable, name + ": " + (timed_out ? "no answer in time" : e.what())};
  } catch (const std::exception& e) {
    return Error{ErrorKind::unavailable, name + ": " + e.what()};
  }
}

}  // namespace

std::string path_of_copy(const std::string& name, const fs::path& folder) {
  return (folder / parse_file_name(name, FileNameRules::ascii).path).string();
}

Result<void> copy_profiles(const IDL::traits<CF::FileSystem>::ref_type& files, const std::string& name,
                           const fs::path& folder, std::string* missing, std::chrono::milliseconds time) {
  auto opened = platform::open_folder(folder.string());
  if (!opened)
    return Error{ErrorKind::unavailable, folder.string() + ": " + platform::error_text(opened.error)};
  const platform::Folder copies(std::move(opened.fd));
  const Deadline deadline = Deadline::in_ms(time.count());
  std::vector<std::string> waiting{name};
  std::set<std::string> known{fs::path(name).lexically_normal().string()};
  std::uint64_t copied_bytes = 0;
  for (std::size_t i = 0; i < waiting.size(); ++i) {
    if (i == kMaxProfileFiles)
      return Error{ErrorKind::invalid,
                   name + " names more than " + std::to_string(kMaxProfileFiles) + " profiles"};
    if (i > 0 && deadline.passed())
      return Error{ErrorKind::unavailable, "the profiles that " + name + " names could not be read within " +
                                               std::to_string(time.count()) + " ms: " + waiting[i] +
                                               " is the next of them"};
    const FileName parsed = parse_file_name(waiting[i], FileNameRules::ascii);
    if (parsed.error != 0) {
      if (i == 0) return Error{ErrorKind::invalid, "the file name '" + name + "': " + parsed.message};
      continue;
    }
    const auto copied = copy(files, waiting[i], copies, parsed.path);
    if (!copied) {
      if (missing != nullptr && missing->empty() && copied.error().kind == ErrorKind::invalid)
        *missing = waiting[i];
      if (i == 0 || copied.error().kind == ErrorKind::unavailable)
        return Error{ErrorKind::unavailable, copied.error().message};
      continue;
    }
    copied_bytes += *copied;
    if (copied_bytes > kMaxProfileBytes)
      return Error{ErrorKind::invalid, "the profiles that " + name + " names have more than " +
                                           std::to_string(kMaxProfileBytes >> 20) + " MiB"};
    for (const std::string& other : named_in(folder / parsed.path)) {
      const fs::path absolute =
          other.starts_with('/') ? fs::path(other) : fs::path(waiting[i]).parent_path() / other;
      const std::string normal = absolute.lexically_normal().string();
      if (!other.empty() && known.insert(normal).second) waiting.push_back(normal);
    }
  }
  return {};
}

std::string without_folder(std::string text, const fs::path& folder) {
  const std::string path = folder.string();
  for (std::size_t at = 0; (at = text.find(path, at)) != std::string::npos;) text.erase(at, path.size());
  return text;
}

}  // namespace orbweaver::sca
