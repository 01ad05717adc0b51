// A pipeline of components in a domain with a web monitor, whose packets are counted.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "StreamC.h"
#include "bench/deployment/measured_domain.h"

namespace orbweaver::bench {

/// What has passed in a time.
struct PipelineTime {
  double packets_per_s = 0;  ///< at the sink
  double cpu_percent = 0;    ///< processor time of the domain manager, of one processor
  double cpu_us = 0;         ///< processor time of all components for a packet, in microseconds
};

/// Starts a domain, a node, and an application of a source that pushes packets without a pause, of stages and
/// a sink, each a process. Ends all of them. One thread. Throws as MeasuredDomain.
class WatchedPipeline {
 public:
  /// `program`: orbweaver; `components`: from 2.
  WatchedPipeline(const std::string& program, unsigned components);
  ~WatchedPipeline();

  /// Lets the pipeline run for `milliseconds`.
  PipelineTime measure(unsigned milliseconds);
  const std::string& monitor_url() const { return domain_.monitor_url(); }

 private:
  double packets() const;
  double components_cpu_us() const;

  MeasuredDomain domain_;
  MeasuredDomain::ApplicationRef application_;
  IDL::traits<stream::Input>::ref_type sink_;
  std::vector<pid_t> components_;
};

/// Writes the profiles and programs of the pipeline into `folder`; its SAD is pipeline.sad.xml.
void write_pipeline(const std::string& folder, unsigned components);

}  // namespace orbweaver::bench
