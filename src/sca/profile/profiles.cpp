#include "sca/profile/profiles.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "sca/profile/extensions.h"
#include "sca/profile/profile_file.h"
#include "sca/profile/profile_readers.h"
#include "sca/profile/validate.h"

namespace orbweaver::sca {
namespace {

namespace fs = std::filesystem;

/// Limit of profiles that name each other in a chain, which is read recursively.
constexpr std::size_t kMaxChain = 64;
/// Limit of the profiles of one check.
constexpr std::size_t kMaxProfiles = 100000;

std::string canonical(const std::string& path) {
  std::error_code failed;
  // Of a file that does not exist, weakly_canonical() leaves a relative name relative.
  const fs::path resolved = fs::weakly_canonical(fs::absolute(path, failed), failed);
  std::string text = (failed ? fs::path(path).lexically_normal() : resolved).string();
  if (text.size() > 1 && text.ends_with('/')) text.pop_back();
  return text;
}

/// Limit of the texts that are kept for typed readers.
constexpr std::size_t kMaxKeptBytes = 64U << 20U;

bool is_read_again(ProfileKind kind) {
  return kind == ProfileKind::assembly || kind == ProfileKind::device_configuration ||
         kind == ProfileKind::domain_manager;
}

std::string an(ProfileKind kind) {
  const std::string name(abbreviation(kind));
  return (name[0] == 'p' || name[0] == 'P' || name[0] == 'D' ? "a " : "an ") + name;
}

}  // namespace

struct Profiles::Entry {
  std::string path;
  bool is_open = false;       // being read
  bool is_readable = false;   // the kind is known
  bool is_given = false;      // to check()
  bool is_inner = false;      // an assembly in another one
  bool has_mistakes = false;  // or a profile that it names has
  ProfileKind kind = ProfileKind::assembly;
  std::unique_ptr<XmlFile> file;  // while it is open
  std::optional<std::string> text;
  std::shared_ptr<const PropertyFile> properties;
  std::optional<ComponentDescriptor> component;
  std::optional<SoftwarePackage> package;
  std::optional<AssemblyOutline> assembly;
};

Profiles::Profiles(std::string root, CodeFiles code, Findings& findings, ProfileScope scope)
    : root_(std::move(root)), code_(code), scope_(scope), findings_(findings) {}
Profiles::~Profiles() = default;

void Profiles::check(const std::string& path) {
  if (!root_.empty()) allowed_ = {canonical(root_)};
  if (!root_.empty() && scope_ == ProfileScope::root_and_folder)
    allowed_.push_back(fs::path(canonical(path)).parent_path().string());
  findings_.add_file(path);
  if (Entry* const found = entry(path)) found->is_given = true;
}

bool Profiles::check(const std::string& path, ProfileKind kind) {
  check(path);
  const auto found = entries_.find(canonical(path));
  if (found == entries_.end() || !found->second->is_readable) return false;
  if (found->second->kind == kind) return true;
  mistake({path, 1, 1}, "the outermost element is <" + std::string(root_element(found->second->kind)) + ">",
          "a <" + std::string(root_element(kind)) + "> was expected: check that the right file is named");
  return false;
}

Profiles::Entry* Profiles::entry(const std::string& path) {
  const std::string key = canonical(path);
  auto& slot = entries_[key];
  if (slot) {
    // Its mistakes were counted for the profile that named it first.
    if (slot->has_mistakes && !open_.empty()) open_.back()->has_mistakes = true;
    return slot->is_readable ? slot.get() : nullptr;
  }
  slot = std::make_unique<Entry>();
  Entry& entry = *slot;
  entry.path = path;
  findings_.add_file(path);
  try {
    std::string text = read_text(path);
    entry.file = std::make_unique<XmlFile>(path, text);
    entry.kind = entry.file->kind();
    if (is_read_again(entry.kind) && kept_bytes_ + text.size() <= kMaxKeptBytes) {
      kept_bytes_ += text.size();
      entry.text = std::move(text);
    }
    entry.is_readable = true;
  } catch (const ProfileError& error) {
    mistake(error.where, error.found, error.advice);
    entry.has_mistakes = true;
    return nullptr;
  }
  read(entry);
  return &entry;
}

void Profiles::read(Entry& entry) {
  const std::size_t mistakes = findings_.mistakes();
  validate(*entry.file, findings_);
  warn_about_extensions(*entry.file, findings_);
  entry.is_open = true;
  open_.push_back(&entry);
  const Element root = entry.file->root();
  switch (entry.kind) {
    case ProfileKind::assembly: entry.assembly = read_assembly(root, *this); break;
    case ProfileKind::package: entry.package = read_package(root, *this); break;
    case ProfileKind::component: entry.component = read_component(root, *this); break;
    case ProfileKind::properties:
      entry.properties = std::make_shared<const PropertyFile>(read_properties(root, *this));
      break;
    case ProfileKind::device_configuration: check_device_configuration(root, *this); break;
    case ProfileKind::device_package: check_device_package(root, *this); break;
    case ProfileKind::domain_manager: check_domain_manager(root, *this); break;
    case ProfileKind::profile: check_profile_descriptor(root, *this); break;
    case ProfileKind::deployment: check_deployment(root, *this); break;
    case ProfileKind::platform: check_platform(root, *this); break;
  }
  open_.pop_back();
  entry.is_open = false;
  if (findings_.mistakes() > mistakes) entry.has_mistakes = true;
  entry.file.reset();
}

const std::string* Profiles::allowed_folder(const std::string& canonical_path) const {
  const fs::path file = canonical_path;
  const auto found = std::find_if(allowed_.begin(), allowed_.end(), [&](const std::string& folder) {
    const fs::path within(folder);
    return std::mismatch(within.begin(), within.end(), file.begin(), file.end()).first == within.end();
  });
  return found == allowed_.end() ? nullptr : &*found;
}

bool Profiles::is_inside(const std::string& path) const {
  return allowed_.empty() || allowed_folder(canonical(path)) != nullptr;
}

std::string Profiles::text(const std::string& path) const {
  const auto found = entries_.find(canonical(path));
  if (found == entries_.end() || !found->second->is_readable)
    throw ProfileError({path}, "the file has been exchanged while profiles were read", "try it again");
  return found->second->text ? *found->second->text : read_text(path);
}

std::string Profiles::read_text(const std::string& path) const {
  if (allowed_.empty()) return read_profile(path);
  const std::string file = canonical(path);
  const std::string* const folder = allowed_folder(file);
  if (folder == nullptr)
    throw ProfileError({path}, "a symbolic link leads out of the folder " + root_ + " of --root",
                       "copy the file into the folder");
  // The names of the canonical path were no links; those that have become links since do not lead out.
  return read_profile_in(*folder, fs::path(file).lexically_relative(*folder).string(), path);
}

std::string Profiles::resolve(const Element& at, const std::string& name) {
  const Location where = at.where();
  if (name.empty()) {
    if (at.node().attribute("name")) mistake(where, "the attribute 'name' is empty", "give it a value");
    return {};
  }
  std::string path = resolve_file(at.file().path(), name, root_);
  if (!is_inside(path)) {
    mistake(where, "the file '" + name + "' is outside the folder " + root_ + " of --root",
            "name one within it; symbolic links are followed before this is checked");
    return {};
  }
  return path;
}

/// The folder with which `name`, an absolute name in `profile`, would be found.
std::string Profiles::suggested_root(const std::string& profile, const std::string& name) const {
  if (!root_.empty() || !fs::path(name).is_absolute()) return {};
  std::error_code ignored;
  for (fs::path folder = fs::path(canonical(profile)).parent_path(); folder.has_relative_path();
       folder = folder.parent_path()) {
    if (fs::exists(folder / fs::path(name).relative_path(), ignored)) return folder.string();
  }
  return {};
}

std::string Profiles::existing_file(const Element& reference) {
  const auto local = reference.find_child("localfile");
  if (!local) return {};
  const std::string name = local->attribute("name");
  std::string path = resolve(*local, name);
  std::error_code ignored;
  if (path.empty() || fs::exists(path, ignored)) return path;
  const std::string root = suggested_root(reference.file().path(), name);
  std::string advice = "correct the name: it is relative to this file's folder";
  if (fs::path(name).is_absolute())
    advice = root_.empty() ? "correct the name, or give --root, the folder where absolute names start"
                           : "correct the name: it starts at the folder of --root";
  if (!root.empty()) advice = "it is found with --root " + root;
  mistake(local->where(), "the file '" + name + "' does not exist (looked for " + path + ")", advice);
  return {};
}

Profiles::Entry* Profiles::named(const Element& reference, ProfileKind kind) {
  const std::string path = existing_file(reference);
  if (path.empty()) return nullptr;
  const Location where = reference.find_child("localfile")->where();
  if (entries_.size() == kMaxProfiles || open_.size() == kMaxChain) {
    mistake(where,
            open_.size() == kMaxChain
                ? "profiles name each other in a chain of more than " + std::to_string(kMaxChain)
                : "more than " + std::to_string(kMaxProfiles) + " profiles",
            "the file is not checked");
    return nullptr;
  }
  Entry* const found = entry(path);
  if (found == nullptr) return nullptr;
  if (found->kind != kind) {
    mistake(where,
            "'" + path + "' is " + an(found->kind) + ": its outermost element is <" +
                std::string(root_element(found->kind)) + ">",
            an(kind) + " with <" + std::string(root_element(kind)) +
                "> was expected: check that the right file is named");
    return nullptr;
  }
  if (found->is_open) {
    mistake(where, "'" + path + "' contains itself, through this file", "remove one of the references");
    return nullptr;
  }
  return found;
}

std::optional<ProfileKind> Profiles::kind_of(const Element& reference) {
  const std::string path = existing_file(reference);
  if (path.empty()) return std::nullopt;
  const auto known = entries_.find(canonical(path));
  if (known != entries_.end())
    return known->second->is_readable ? std::optional(known->second->kind) : std::nullopt;
  const Entry* const found = open_.size() < kMaxChain ? entry(path) : nullptr;
  return found == nullptr ? std::nullopt : std::optional(found->kind);
}

std::shared_ptr<const PropertyFile> Profiles::properties(const Element& reference) {
  const Entry* const found = named(reference, ProfileKind::properties);
  return found == nullptr ? nullptr : found->properties;
}

const ComponentDescriptor* Profiles::component(const Element& reference) {
  const Entry* const found = named(reference, ProfileKind::component);
  return found == nullptr ? nullptr : &*found->component;
}

const SoftwarePackage* Profiles::package(const Element& reference) {
  const Entry* const found = named(reference, ProfileKind::package);
  return found == nullptr ? nullptr : &*found->package;
}

const AssemblyOutline* Profiles::assembly(const Element& reference) {
  Entry* const found = named(reference, ProfileKind::assembly);
  if (found == nullptr) return nullptr;
  found->is_inner = true;
  return &*found->assembly;
}

void Profiles::other(const Element& reference, ProfileKind kind) { named(reference, kind); }

void Profiles::any(const Element& at, const std::string& name) {
  const std::string path = resolve(at, name);
  std::error_code ignored;
  if (path.empty()) return;
  if (!fs::exists(path, ignored)) {
    mistake(at.where(), "the file '" + name + "' does not exist (looked for " + path + ")",
            "correct the name: it is relative to this file's folder");
  } else if (const Entry* const found = open_.size() < kMaxChain ? entry(path) : nullptr;
             found && found->is_open) {
    mistake(at.where(), "'" + path + "' contains itself, through this file", "remove one of the references");
  }
}

std::vector<std::string> Profiles::whole_assemblies() const {
  std::vector<std::string> paths;
  for (const auto& [key, entry] : entries_) {
    if (entry->assembly && !entry->has_mistakes && (entry->is_given || !entry->is_inner))
      paths.push_back(entry->path);
  }
  return paths;
}

const SoftwarePackage* Profiles::find_package(const std::string& path) const {
  const auto found = entries_.find(canonical(path));
  return found == entries_.end() || !found->second->package ? nullptr : &*found->second->package;
}

std::string resolve_file(const std::string& profile, const std::string& name, const std::string& root) {
  const fs::path path(name);
  if (path.is_absolute())
    return root.empty() ? path.string() : (fs::path(root) / path.relative_path()).lexically_normal().string();
  return (fs::path(profile).parent_path() / path).lexically_normal().string();
}

}  // namespace orbweaver::sca
