#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "sca/profile/component.h"
#include "sca/profile/findings.h"
#include "sca/profile/xml.h"

namespace orbweaver::sca {

class SettableProperties;

/// What another assembly needs to know of an assembly that it contains (SCA 4.1), or a node of its profiles.
struct AssemblyOutline {
  struct ExternalPort {
    enum class Side { uses, provides, supported } side = Side::uses;
    std::string repid;                               ///< Empty: unknown.
    const ComponentDescriptor* component = nullptr;  ///< Of its component; null: unknown.
  };
  std::map<std::string, ExternalPort, std::less<>> ports;  ///< By external name.
  std::set<std::string, std::less<>> components;           ///< Without those of inner assemblies.
  /// What can be set: properties of the assembly controller, and external ones by their external ids. Null:
  /// unknown.
  std::shared_ptr<const SettableProperties> properties;
  std::size_t depth = 1;  ///< Levels of assemblies, this one included.
};

/// The profiles of one check: each file is read once, however often it is named. All mistakes go to Findings.
/// Elements that are passed belong to a file that is being read.
class Profiles {
 public:
  /// `root` is the folder at which absolute file names start; empty: "/". Then a profile may name every file.
  /// Otherwise only files within that folder, and, unless `scope` is `root`, within that of the file given to
  /// check(), after symbolic links have been followed. This holds for what is read, whatever other programs
  /// do with links meanwhile.
  /// Code that does not exist, because it has not been built, is a warning or nothing.
  enum class CodeFiles { may_be_missing, warn_if_missing };
  Profiles(std::string root, CodeFiles code, Findings& findings,
           ProfileScope scope = ProfileScope::root_and_folder);
  ~Profiles();

  /// Checks a profile of any kind, and those that it names.
  void check(const std::string& path);
  /// Checks a profile that must be of a kind. Returns false if it could not be read.
  bool check(const std::string& path, ProfileKind kind);

  /// Reads the profile that the <localfile> in `reference` names, and returns what it says. Null, with a
  /// mistake, if it does not exist, cannot be read or is of another kind. A profile that is being read
  /// already, because it names itself indirectly, is a mistake, too.
  std::shared_ptr<const PropertyFile> properties(const Element& reference);
  const ComponentDescriptor* component(const Element& reference);
  const SoftwarePackage* package(const Element& reference);
  const AssemblyOutline* assembly(const Element& reference);
  void other(const Element& reference, ProfileKind kind);
  /// Reads the profile `name`, of any kind, which the attribute of an element names.
  void any(const Element& at, const std::string& name);
  /// The kind of the profile that `reference` names, without reading the rest of it; nullopt with a mistake.
  std::optional<ProfileKind> kind_of(const Element& reference);

  /// The path of a file that `name`, at `at`, stands for; empty with a mistake if profiles cannot name it.
  std::string resolve(const Element& at, const std::string& name);
  /// The text of a SAD, DCD or DMD that has been read, for the typed reader. Throws ProfileError if there is
  /// none, because another program has exchanged files meanwhile. The same text as before, unless there are
  /// more than 64 MiB of them.
  std::string text(const std::string& path) const;
  /// The assemblies without a mistake in them or in a profile that they name: those that were given to
  /// check(), and those that no other assembly contains.
  std::vector<std::string> whole_assemblies() const;
  /// A package that has been read, for the typed reader; null if it has not.
  const SoftwarePackage* find_package(const std::string& path) const;

  void mistake(const Location& where, const std::string& found, const std::string& advice = {}) {
    findings_.mistake(where, found, advice);
  }
  void warn(const Location& where, const std::string& found, const std::string& advice = {}) {
    findings_.warn(where, found, advice);
  }
  Findings& findings() { return findings_; }
  const std::string& root() const { return root_; }
  bool warns_about_code() const { return code_ == CodeFiles::warn_if_missing; }

 private:
  struct Entry;
  /// The profile at `path`, read now if it has not been. Null with a mistake if it cannot be read.
  Entry* entry(const std::string& path);
  Entry* named(const Element& reference, ProfileKind kind);
  /// The existing file that the <localfile> in `reference` names; empty with a mistake.
  std::string existing_file(const Element& reference);
  void read(Entry& entry);
  /// Reads a file, if it is within the folders above. Throws ProfileError.
  std::string read_text(const std::string& path) const;
  /// The allowed folder that a file is in; null if there is none.
  const std::string* allowed_folder(const std::string& canonical_path) const;
  bool is_inside(const std::string& path) const;
  std::string suggested_root(const std::string& profile, const std::string& name) const;

  std::string root_;
  CodeFiles code_;
  ProfileScope scope_;
  std::vector<std::string> allowed_;  // canonical folders; empty: all
  Findings& findings_;
  std::map<std::string, std::unique_ptr<Entry>> entries_;  // by canonical path
  std::vector<Entry*> open_;                               // the profiles that are being read
  std::size_t kept_bytes_ = 0;                             // of the texts in entries_
};

}  // namespace orbweaver::sca
