#include "sca/profile/extensions.h"

#include <array>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace orbweaver::sca {
namespace {

constexpr ProfileKind kSad = ProfileKind::assembly, kSpd = ProfileKind::package,
                      kScd = ProfileKind::component, kPrf = ProfileKind::properties,
                      kDcd = ProfileKind::device_configuration, kDmd = ProfileKind::domain_manager;
constexpr std::string_view kRedhawk = "REDHAWK", k41 = "SCA 4.1", k222 = "SCA 2.2.2";
constexpr std::string_view kNoLog = "components here log to standard error, at the level of ORBWEAVER_LOG";
constexpr std::string_view kNoDomain = "a domain does not use it";
constexpr std::string_view kNoPlacement = "devices are not chosen by it";
constexpr std::string_view kRunHasNoDevices = "`orbweaver run` has one host and no devices";
constexpr std::string_view kRunHasNoDomain = "`orbweaver run` has no domain that could use it";
constexpr std::string_view kNoLayout = "a domain chooses devices by their properties, and not by channels";
constexpr std::string_view kNoEvents = "it is not sent here";

constexpr std::array kExtensions{
    Extension{kPrf, "simple", "type", "longlong", kRedhawk, ""},
    Extension{kPrf, "simple", "type", "ulonglong", kRedhawk, ""},
    Extension{kPrf, "simple", "type", "utctime", kRedhawk, ""},
    Extension{kPrf, "simplesequence", "type", "longlong", kRedhawk, ""},
    Extension{kPrf, "simplesequence", "type", "ulonglong", kRedhawk, ""},
    Extension{kPrf, "simplesequence", "type", "utctime", kRedhawk, ""},
    Extension{kPrf, "simple", "complex", "true", kRedhawk, ""},
    Extension{kPrf, "simplesequence", "complex", "true", kRedhawk, ""},
    Extension{kPrf, "simple", "commandline", "", kRedhawk, ""},
    Extension{kPrf, "simple", "optional", "", kRedhawk, ""},
    Extension{kPrf, "simplesequence", "optional", "", kRedhawk, ""},
    Extension{kPrf, "kind", "kindtype", "property", kRedhawk, ""},
    Extension{kPrf, "kind", "kindtype", "event", kRedhawk, kNoEvents},
    Extension{kPrf, "kind", "kindtype", "message", kRedhawk, kNoEvents},
    Extension{kPrf, "configurationkind", "kindtype", "allocation", kRedhawk, ""},
    Extension{kPrf, "configurationkind", "kindtype", "test", kRedhawk, ""},
    Extension{kPrf, "configurationkind", "kindtype", "property", kRedhawk, ""},
    Extension{kPrf, "configurationkind", "kindtype", "event", kRedhawk, kNoEvents},
    Extension{kPrf, "configurationkind", "kindtype", "message", kRedhawk, kNoEvents},
    Extension{kPrf, "configurationkind", "kindtype", "typedef", k41, ""},
    Extension{kPrf, "inputValue", "", "", kRedhawk, ""},
    Extension{kPrf, "resultValue", "", "", kRedhawk, ""},
    Extension{kPrf, "test", "label", "", k41, ""},
    Extension{kSpd, "implementation", "aepcompliance", "lw_aep_compliant", k41, ""},
    Extension{kScd, "description", "", "", kRedhawk, ""},
    Extension{kScd, "porttype", "type", "virtual", kRedhawk, ""},
    Extension{kScd, "provides", "maxconnections", "", k41, ""},
    Extension{kScd, "uses", "maxconnections", "", k41, ""},
    Extension{kSad, "componentinstantiation", "startorder", "", kRedhawk,
              "`orbweaver run` starts receivers before senders, and the assembly controller as late as its "
              "connections allow",
              true},
    Extension{kSad, "affinity", "", "", kRedhawk,
              "`orbweaver run` binds no process to cores; a domain uses the class cpu", true},
    Extension{kSad, "loggingconfig", "", "", kRedhawk, ""},
    Extension{kSad, "devicerequires", "", "", kRedhawk, kRunHasNoDevices, true},
    Extension{kSad, "deployerrequires", "", "", kRedhawk, kNoPlacement},
    Extension{kSad, "usesdeviceref", "", "", kRedhawk, kRunHasNoDevices, true},
    Extension{kSad, "reservation", "", "", kRedhawk, kNoPlacement},
    Extension{kSad, "usesdevicedependencies", "", "", kRedhawk, kRunHasNoDevices, true},
    Extension{kSad, "externalproperties", "", "", kRedhawk, kRunHasNoDomain, true},
    Extension{kSad, "options", "", "", kRedhawk, "they are options of REDHAWK's application factory"},
    Extension{kSad, "port", "externalname", "", kRedhawk, ""},
    Extension{kSad, "deviceusedbyapplication", "", "", kRedhawk, ""},
    Extension{kSad, "stringifiedobjectref", "", "", kRedhawk, ""},
    Extension{kSad, "domainfinder", "type", "domainmanager", kRedhawk, ""},
    Extension{kSad, "componentinstantiation", "processcollocation", "", k41, ""},
    Extension{kSad, "componentinstantiation", "stringifiedobjectref", "", k41, kNoDomain},
    Extension{kSad, "providesport", "stringifiedobjectref", "", k41, kRunHasNoDomain, true},
    Extension{kSad, "coreaffinity", "", "", k41, "`orbweaver run` binds no process to cores", true},
    Extension{kSad, "componentfactoryref", "", "", k41, ""},
    Extension{kSad, "assemblyplacement", "", "", k41, ""},
    Extension{kSad, "assemblyinstantiationref", "", "", k41, ""},
    Extension{kSad, "deviceassignments", "", "", k41, kRunHasNoDevices, true},
    Extension{kSad, "executionaffinityassignments", "", "", k41, ""},
    Extension{kSad, "deploymentdependencies", "", "", k41, kRunHasNoDevices, true},
    Extension{kSad, "deploymentprefs", "", "", k41, kNoDomain},
    Extension{kSad, "softwareassembly", "sca_version", "", k41, ""},
    Extension{kDcd, "componentinstantiation", "startorder", "", kRedhawk, kNoDomain},
    Extension{kDcd, "deployondevice", "", "", k222, "a node starts each of its devices on its own host"},
    Extension{kDcd, "filesystemnames", "", "", k222, "a node has one file system, the folder of --root"},
    Extension{kDcd, "affinity", "", "", kRedhawk, ""},
    Extension{kDcd, "loggingconfig", "", "", kRedhawk, kNoLog},
    Extension{kDcd, "devicerequires", "", "", kRedhawk, kNoPlacement},
    Extension{kDcd, "deployerrequires", "", "", kRedhawk, ""},
    Extension{kDcd, "stringifiedobjectref", "", "", kRedhawk, ""},
    Extension{kDcd, "domainfinder", "type", "domainmanager", kRedhawk, ""},
    Extension{kDcd, "componentinstantiation", "processcollocation", "", k41, kNoDomain},
    Extension{kDcd, "componentinstantiation", "stringifiedobjectref", "", k41, kNoDomain},
    Extension{kDcd, "coreaffinity", "", "", k41, ""},
    Extension{kDcd, "componentfactoryref", "", "", k41, "a node starts each of its devices as a process"},
    Extension{kDmd, "stringifiedobjectref", "", "", kRedhawk, ""},
    Extension{kDmd, "deploymentlayout", "", "", k41, kNoLayout},
};

class Search {
 public:
  Search(const XmlFile& file, Findings& findings) : findings_(findings) {
    for (const Extension& each : kExtensions) {
      if (each.kind == file.kind() && !each.effect.empty()) open_[each.element].push_back(&each);
    }
    if (!open_.empty()) visit(file.root());
  }

 private:
  void visit(const Element& element) {
    const auto found = open_.find(element.name());
    if (found != open_.end())
      std::erase_if(found->second, [&](auto* each) { return is_used(element, *each); });
    for (const Element& child : element.children()) visit(child);
  }

  bool is_used(const Element& element, const Extension& extension) {
    std::string text = "<" + std::string(extension.element) + ">";
    if (!extension.attribute.empty()) {
      const auto attribute = element.node().attribute(std::string(extension.attribute).c_str());
      if (!attribute || (!extension.value.empty() && extension.value != attribute.value())) return false;
      text = std::string(extension.attribute) +
             (extension.value.empty() ? "" : "=\"" + std::string(extension.value) + "\"") + " of " + text;
    }
    findings_.warn(element.where(),
                   text + " of " + std::string(extension.edition) + " " +
                       (extension.in_domain ? std::string(kOnlyInDomain) : "has no effect"),
                   std::string(extension.effect));
    return true;
  }

  Findings& findings_;
  std::map<std::string_view, std::vector<const Extension*>> open_;
};

}  // namespace

std::span<const Extension> extensions() { return kExtensions; }

void warn_about_extensions(const XmlFile& file, Findings& findings) { Search(file, findings); }

}  // namespace orbweaver::sca
