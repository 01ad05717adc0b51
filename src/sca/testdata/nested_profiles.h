#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "sca/profile/check.h"
#include "sca/profile/profiles.h"
#include "sca/testdata/test_profiles.h"

namespace orbweaver::sca::testing {

/// The file of the assembly of TestProfiles, and that of one which contains it.
inline const std::string kInner = "chain.sad.xml";
inline const std::string kOuter = "outer.sad.xml";

/// The element of a component file of an assembly.
inline std::string component_file(const std::string& id, const std::string& name) {
  return "<componentfile id='" + id + "'><localfile name='" + name + "'/></componentfile>\n";
}

/// A connection from one external port or port to another one.
inline std::string connection(const std::string& id, const std::string& uses, const std::string& provides) {
  return "<connectinterface id='" + id + "'><usesport>" + uses + "</usesport><providesport>" + provides +
         "</providesport></connectinterface>\n";
}
inline std::string of_assembly(const std::string& id, const std::string& port) {
  return "<identifier>" + port + "</identifier><assemblyinstantiationref refid='" + id + "'/>";
}
inline std::string of_component(const std::string& id, const std::string& port) {
  return "<identifier>" + port + "</identifier><componentinstantiationref refid='" + id + "'/>";
}

/// An assembly that contains the test's assembly twice, as `left` and `right`, and a sink.
inline std::string outer_assembly() {
  return "<softwareassembly name='outer'>\n<componentfiles>\n" + component_file("inner_sad", kInner) +
         component_file("sink_spd", "sink.spd.xml") +
         "</componentfiles>\n<partitioning>\n"
         "<assemblyplacement><componentfileref refid='inner_sad'/>\n"
         "<assemblyinstantiation id='left'><componentproperties><simpleref refid='packets' value='7'/>"
         "</componentproperties>"
         "<deviceassignments><deviceassignment componentid='sink_1' assignedDeviceid='d'/>"
         "</deviceassignments>"
         "<executionaffinityassignments><executionaffinityassignment componentid='filter_1' "
         "processcollocation='p'><coreaffinity>1</coreaffinity><coreaffinity>3</coreaffinity>"
         "</executionaffinityassignment></executionaffinityassignments></assemblyinstantiation>\n"
         "<assemblyinstantiation id='right'/></assemblyplacement>\n"
         "<componentplacement><componentfileref refid='sink_spd'/>"
         "<componentinstantiation id='sink' processcollocation='p'><coreaffinity>0</coreaffinity>"
         "</componentinstantiation></componentplacement>\n</partitioning>\n"
         "<assemblycontroller><assemblyinstantiationref refid='left'/>"
         "<assemblyinstantiationref refid='right'/></assemblycontroller>\n<connections>\n" +
         connection("c", of_assembly("left", "result"), of_component("sink", "in")) +
         "</connections>\n<externalports><port externalname='output'><usesidentifier>result"
         "</usesidentifier><assemblyinstantiationref refid='right'/></port></externalports>\n"
         "<externalproperties><property comprefid='right' propid='length' externalpropid='right_length'/>"
         "</externalproperties>\n<deploymentprefs><localfile name='x.add.xml'/></deploymentprefs>\n"
         "</softwareassembly>";
}

/// Profiles of an outer assembly, which contains that of TestProfiles.
struct NestedProfiles : TestProfiles {
  NestedProfiles() {
    write(kOuter, outer_assembly());
    replace(kInner, "</connections>",
            "</connections><externalports><port externalname=\"result\"><usesidentifier>out</usesidentifier>"
            "<componentinstantiationref refid=\"filter_1\"/></port><port><providesidentifier>in"
            "</providesidentifier><componentinstantiationref refid=\"sink_1\"/></port></externalports>"
            "<externalproperties><property comprefid=\"source_1\" propid=\"packets\" "
            "externalpropid=\"length\"/></externalproperties>");
    replace(kInner, "id=\"filter_1\"", "id=\"filter_1\" processcollocation=\"together\"");
    write("x.add.xml",
          "<deploymentprecedence><deploymentoption deployedname='a'><channelref "
          "refname='c'/></deploymentoption></deploymentprecedence>");
  }
  NestedProfiles& with(const std::string& old_text, const std::string& new_text) {
    replace(kOuter, old_text, new_text);
    return *this;
  }
  std::string shortened(std::string text) const {
    const std::string prefix = path("");
    for (auto at = text.find(prefix); at != std::string::npos; at = text.find(prefix))
      text.erase(at, prefix.size());
    return text;
  }
  /// What check prints, without the folder's name.
  std::string checked() const {
    Findings findings;
    Profiles profiles("", Profiles::CodeFiles::may_be_missing, findings);
    profiles.check(path(kOuter));
    check_whole_assemblies(profiles);
    return shortened(findings.text(100, false));
  }
  Result<Assembly> load(AssemblyUse use) const { return load_assembly(path(kOuter), {}, use); }
  Assembly loaded(AssemblyUse use = AssemblyUse::domain) const {
    auto assembly = load(use);
    if (!assembly) throw std::runtime_error(assembly.error().message);
    return std::move(*assembly);
  }
  std::string problem(AssemblyUse use = AssemblyUse::domain) const {
    const auto assembly = load(use);
    return assembly ? "nothing" : shortened(assembly.error().message);
  }
  /// Writes a chain of assemblies that contain each other, the last of which contains the test's assembly.
  NestedProfiles& write_chain(std::size_t length) {
    for (std::size_t i = 1; i <= length; ++i) {
      const std::string inner = i == length ? kInner : "a" + std::to_string(i + 1) + ".sad.xml";
      write(i == 1 ? kOuter : "a" + std::to_string(i) + ".sad.xml",
            "<softwareassembly name='a'><componentfiles>" + component_file("f", inner) +
                "</componentfiles><partitioning><assemblyplacement><componentfileref refid='f'/>\n"
                "<assemblyinstantiation id='i'/></assemblyplacement></partitioning>"
                "<assemblycontroller><assemblyinstantiationref refid='i'/></assemblycontroller>"
                "</softwareassembly>");
    }
    return *this;
  }
};

/// The ids of components or factories, in their order.
inline std::vector<std::string> ids(const std::vector<Instantiation>& list) {
  std::vector<std::string> all;
  for (const Instantiation& each : list) all.push_back(each.id);
  return all;
}

}  // namespace orbweaver::sca::testing
