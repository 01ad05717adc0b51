#include "watched_pipeline.h"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <thread>

#include "bench/harness/clock.h"

namespace orbweaver::bench {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSad = "pipeline.sad.xml";
const std::string kHead = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";

void write(const fs::path& file, const std::string& text) {
  std::ofstream out(file);
  out << text;
  out.close();
  if (!out) throw std::runtime_error("cannot write " + file.string());
}

/// Copies a program and its SCD, and writes an SPD.
void add_package(const fs::path& folder, const fs::path& program) {
  const std::string name = program.filename();
  fs::copy_file(program, folder / name);
  fs::copy_file(program.parent_path() / (name + ".scd.xml"), folder / (name + ".scd.xml"));
  write(folder / (name + ".spd.xml"),
        kHead + "<!DOCTYPE softpkg SYSTEM \"softpkg.dtd\">\n<softpkg id=\"DCE:" + name + "\" name=\"" + name +
            "\"><author><name>Orbweaver</name></author><descriptor><localfile name=\"" + name +
            ".scd.xml\"/></descriptor><implementation id=\"only\"><code type=\"Executable\"><localfile "
            "name=\"" +
            name + "\"/></code><os name=\"Linux\"/></implementation></softpkg>\n");
}

std::string component(unsigned index) { return "component_" + std::to_string(index); }
std::string reference(unsigned index) {
  return "<componentinstantiationref refid=\"" + component(index) + "\"/>";
}

}  // namespace

void write_pipeline(const std::string& folder, unsigned components) {
  add_package(folder, ORBWEAVER_BENCH_SOURCE);
  add_package(folder, ORBWEAVER_BENCH_STAGE);
  std::string files, placements, connections;
  for (const char* const name : {"bench_source", "bench_stage"})
    files += std::string("<componentfile id=\"") + name + "\" type=\"SPD\"><localfile name=\"" + name +
             ".spd.xml\"/></componentfile>\n";
  for (unsigned i = 0; i < components; ++i) {
    placements += std::string("<componentplacement><componentfileref refid=\"") +
                  (i == 0 ? "bench_source" : "bench_stage") + "\"/><componentinstantiation id=\"" +
                  component(i) + "\"/></componentplacement>\n";
    if (i > 0)
      connections += "<connectinterface><usesport><usesidentifier>out</usesidentifier>" + reference(i - 1) +
                     "</usesport><providesport><providesidentifier>in</providesidentifier>" + reference(i) +
                     "</providesport></connectinterface>\n";
  }
  write(fs::path(folder) / kSad,
        kHead +
            "<!DOCTYPE softwareassembly SYSTEM \"softwareassembly.dtd\">\n<softwareassembly "
            "id=\"DCE:pipeline\" name=\"pipeline\">\n<componentfiles>\n" +
            files + "</componentfiles>\n<partitioning>\n" + placements +
            "</partitioning>\n<assemblycontroller>" + reference(0) +
            "</assemblycontroller>\n<connections>\n" + connections +
            "</connections>\n<externalports><port><providesidentifier>in</providesidentifier>" +
            reference(components - 1) + "</port></externalports>\n</softwareassembly>\n");
}

WatchedPipeline::WatchedPipeline(const std::string& program, unsigned components)
    : domain_(program, {false, true}) {
  write_pipeline(domain_.folder(), components);
  domain_.install(std::string(kSad));
  application_ = domain_.create();
  sink_ = IDL::traits<stream::Input>::narrow(application_->getPort("in"));
  if (!sink_) throw std::runtime_error("the sink of the pipeline has no input");
  for (const auto& each : application_->componentProcessIds())
    components_.push_back(static_cast<pid_t>(each.processId()));
  application_->start();
}

WatchedPipeline::~WatchedPipeline() {
  try {
    application_->stop();
    application_->releaseObject();
  } catch (const CORBA::Exception&) {  // the processes end with the node
  }
}

double WatchedPipeline::packets() const {
  double count = 0;
  const stream::InputStatistics statistics = sink_->statistics();
  for (const auto& each : statistics.streams()) count += static_cast<double>(each.packets());
  return count;
}

double WatchedPipeline::components_cpu_us() const {
  double sum = 0;
  for (const pid_t each : components_) sum += cpu_us(each);
  return sum;
}

PipelineTime WatchedPipeline::measure(unsigned milliseconds) {
  const double components_begin = components_cpu_us();
  const double cpu_begin = cpu_us(domain_.domain_pid()), packets_begin = packets();
  const std::int64_t begin = steady_ns();
  std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
  const double packets_end = packets();
  const double seconds = static_cast<double>(steady_ns() - begin) / 1e9;
  const double cpu_s = (cpu_us(domain_.domain_pid()) - cpu_begin) / 1e6;
  const double passed = packets_end - packets_begin;
  return {passed / seconds, 100 * cpu_s / seconds,
          passed > 0 ? (components_cpu_us() - components_begin) / passed : 0};
}

}  // namespace orbweaver::bench
