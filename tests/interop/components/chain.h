#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

namespace interop {

/// An ORB of other components; `missing` tells why its component is not built.
struct Orb {
  const char* name;
  const char* missing;
};
inline constexpr Orb kOmniOrb{"omniorb", ""}, kJacOrb{"jacorb", ORBWEAVER_JACORB_MISSING},
    kOmniOrbPy{"omniorbpy", ORBWEAVER_OMNIORBPY_MISSING};

/// An assembly of components in a chain: its SAD, in a folder that the destructor removes.
class Chain {
 public:
  using Values = std::vector<std::pair<std::string, std::string>>;

  /// Folders of the components of Orbweaver's tests and of the foreign ones, as the SAD names them, and the
  /// one in which the folder of the SAD is made.
  explicit Chain(std::string ours = ORBWEAVER_RUN_TEST_FOLDER, std::string foreign = ORBWEAVER_FOREIGN_FOLDER,
                 const std::filesystem::path& in = std::filesystem::temp_directory_path())
      : ours_(std::move(ours)), foreign_(std::move(foreign)),
        folder_(in / ("orbweaver-foreign." + std::to_string(::getpid()))) {}
  ~Chain() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  Chain(const Chain&) = delete;
  Chain& operator=(const Chain&) = delete;

  /// Appends a component, with the value of a property if one is named.
  Chain& add(const std::string& id, const std::string& spd, const std::string& property = "",
             const std::string& value = "") {
    return property.empty() ? add(id, spd, Values()) : add(id, spd, Values{{property, value}});
  }
  /// The same with several properties, and what the device that executes it must have.
  Chain& add(const std::string& id, const std::string& spd, const Values& properties,
             const Values& required = {}) {
    const std::string path = (spd.starts_with("run_test_") ? ours_ : foreign_) + "/" + spd;
    files_ += "<componentfile id=\"" + id + "_spd\" type=\"SPD\"><localfile name=\"" + path +
              ".spd.xml\"/></componentfile>\n";
    placements_ += "<componentplacement><componentfileref refid=\"" + id +
                   "_spd\"/><componentinstantiation id=\"" + id + "\">" +
                   elements("componentproperties", "simpleref", properties) +
                   elements("deploymentdependencies", "propertyref", required) +
                   "</componentinstantiation></componentplacement>\n";
    if (!ids_.empty()) {
      connections_ += "<connectinterface id=\"to_" + id +
                      "\"><usesport><usesidentifier>out</usesidentifier>" +
                      "<componentinstantiationref refid=\"" + ids_.back() + "\"/></usesport><providesport>" +
                      "<providesidentifier>in</providesidentifier><componentinstantiationref refid=\"" + id +
                      "\"/></providesport></connectinterface>\n";
    }
    ids_.push_back(id);
    return *this;
  }
  /// Writes the SAD and returns its name.
  std::string sad() const {
    std::filesystem::create_directories(folder_);
    const std::string path = (folder_ / "chain.sad.xml").string();
    std::ofstream(path) << "<softwareassembly id=\"DCE:chain\" name=\"chain\"><componentfiles>\n"
                        << files_ << "</componentfiles><partitioning>\n"
                        << placements_ << "</partitioning><assemblycontroller><componentinstantiationref "
                        << "refid=\"" << ids_.front() << "\"/></assemblycontroller><connections>\n"
                        << connections_ << "</connections></softwareassembly>\n";
    return path;
  }

 private:
  static std::string elements(const std::string& group, const std::string& element, const Values& values) {
    std::string text;
    for (const auto& [id, value] : values)
      text += "<" + element + " refid=\"" + id + "\" value=\"" + value + "\"/>";
    return text.empty() ? "" : "<" + group + ">" + text + "</" + group + ">";
  }

  const std::string ours_, foreign_;
  const std::filesystem::path folder_;
  std::vector<std::string> ids_;
  std::string files_, placements_, connections_;
};

}  // namespace interop
