#include "assembly.h"

#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace orbweaver::bench {
namespace {

namespace fs = std::filesystem;

const char kHead[] = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";

std::string localfile(const std::string& name) { return "<localfile name=\"" + name + "\"/>"; }

/// SPD with one implementation.
std::string spd(const std::string& id, const char* code_type, const std::string& code) {
  return std::string(kHead) + "<!DOCTYPE softpkg SYSTEM \"softpkg.dtd\">\n<softpkg id=\"DCE:" + id +
         "\" name=\"" + id + "\"><author><name>Orbweaver</name></author><descriptor>" +
         localfile("bench_stage.scd.xml") + "</descriptor><implementation id=\"only\"><code type=\"" +
         code_type + "\">" + localfile(code) + "</code><os name=\"Linux\"/></implementation></softpkg>\n";
}

void write(const fs::path& file, const std::string& text) {
  std::ofstream out(file);
  out << text;
  out.close();
  if (!out) throw std::runtime_error("cannot write " + file.string());
}

/// With the time of the last change: a device copies code again that has changed within the last seconds.
void copy_over(const fs::path& from, const fs::path& to) {
  fs::copy_file(from, to, fs::copy_options::overwrite_existing);
  fs::last_write_time(to, fs::last_write_time(from));
}

std::string component(unsigned index) { return "stage_" + std::to_string(index); }

std::string spd_name(const Assembly& assembly, unsigned index) {
  return assembly.in_one_process ? component(index) + ".spd.xml" : "bench_stage.spd.xml";
}

std::string connection(unsigned from, unsigned to) {
  return "<connectinterface><usesport><usesidentifier>out</usesidentifier><componentinstantiationref "
         "refid=\"" +
         component(from) + "\"/></usesport><providesport><providesidentifier>in</providesidentifier>" +
         "<componentinstantiationref refid=\"" + component(to) + "\"/></providesport></connectinterface>\n";
}

std::string sad(const Assembly& assembly) {
  std::string files, placements, connections;
  const unsigned packages = assembly.in_one_process ? assembly.components : 1;
  for (unsigned i = 0; i < packages; ++i)
    files += "<componentfile id=\"spd_" + std::to_string(i) + "\" type=\"SPD\">" +
             localfile(spd_name(assembly, i)) + "</componentfile>\n";
  for (unsigned i = 0; i < assembly.components; ++i) {
    placements += "<componentplacement><componentfileref refid=\"spd_" +
                  std::to_string(assembly.in_one_process ? i : 0) + "\"/><componentinstantiation id=\"" +
                  component(i) + "\"" + (assembly.in_one_process ? " processcollocation=\"bench\"" : "") +
                  "/></componentplacement>\n";
    for (unsigned k = 1; k <= assembly.connections; ++k)
      connections += connection(i, (i + k) % assembly.components);
  }
  return std::string(kHead) + "<!DOCTYPE softwareassembly SYSTEM \"softwareassembly.dtd\">\n" +
         "<softwareassembly id=\"DCE:" + assembly.file_name() + "\" name=\"" + assembly.file_name() +
         "\">\n<componentfiles>\n" + files + "</componentfiles>\n<partitioning>\n" + placements +
         "</partitioning>\n<assemblycontroller><componentinstantiationref refid=\"" + component(0) +
         "\"/></assemblycontroller>\n<connections>\n" + connections + "</connections>\n</softwareassembly>\n";
}

}  // namespace

std::string Assembly::text() const {
  const std::string number = std::to_string(components);
  if (in_one_process) return number + (components == 1 ? " library" : " libraries") + " in a process";
  return number + (components == 1 ? " process" : " processes");
}

std::string Assembly::file_name() const {
  return (in_one_process ? "libraries-" : "processes-") + std::to_string(components) + ".sad.xml";
}

std::string library_name(unsigned index) { return component(index) + ".so"; }

void write_assembly(const Assembly& assembly, const std::string& folder) {
  const fs::path at = folder;
  const fs::path stage = ORBWEAVER_BENCH_STAGE;
  copy_over(stage.parent_path() / "bench_stage.scd.xml", at / "bench_stage.scd.xml");
  if (assembly.in_one_process) {
    for (unsigned i = 0; i < assembly.components; ++i) {
      copy_over(ORBWEAVER_BENCH_STAGE_MODULE, at / library_name(i));
      write(at / spd_name(assembly, i), spd(component(i), "SharedLibrary", library_name(i)));
    }
  } else if (!fs::exists(at / "bench_stage")) {
    copy_over(assembly.program.empty() ? stage : fs::path(assembly.program), at / "bench_stage");
    write(at / spd_name(assembly, 0), spd("bench_stage", "Executable", "bench_stage"));
  }
  write(at / assembly.file_name(), sad(assembly));
}

}  // namespace orbweaver::bench
