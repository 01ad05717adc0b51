// The parameters of one run of the pipeline: a producer and stages, each of which works on a packet and
// passes it on.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orbweaver::bench {

/// How packets pass from one stage to the next.
enum class PipelineMode {
  oneway_none,       ///< one-way calls, SYNC_NONE
  oneway_transport,  ///< one-way calls, SYNC_WITH_TRANSPORT
  oneway_server,     ///< one-way calls, SYNC_WITH_SERVER
  oneway_target,     ///< one-way calls, SYNC_WITH_TARGET
  twoway,            ///< two-way calls: the upcall works, and calls the next stage
  twoway_thread,     ///< two-way calls, and a thread of each stage that works and calls the next (QueuedPort)
  ordered,           ///< one-way calls with the ORB's defaults (UpcallPort)
  unordered,         ///< one-way calls, dispatched in any order
  stamped,           ///< as `unordered`, behind a reorder buffer (ReorderingPort)
};

/// How a stage spends its working time.
enum class WorkBy {
  compute,  ///< uses the time of a processor
  wait,     ///< waits, as for a device that processes the packet
};

/// All modes, in the order of the table.
const std::vector<PipelineMode>& all_pipeline_modes();

std::string_view name(PipelineMode);
std::string_view name(WorkBy);
/// Return nullopt for an unknown name.
std::optional<PipelineMode> pipeline_mode(std::string_view text);
std::optional<WorkBy> work_by(std::string_view text);

/// Elements of a packet, doubles.
inline constexpr std::size_t kPacketSamples = 1024;

/// The parameters of one run.
struct PipelineSettings {
  PipelineMode mode = PipelineMode::ordered;
  std::string transport = "shm";
  std::string wait = "adaptive";  ///< the ORB's wait strategy: spin, adaptive or block
  unsigned stages = 3;
  std::uint32_t packets = 1000;
  double work_ms = 5;  ///< of each stage, per packet
  double pace_ms = 0;  ///< time between two packets of the producer; 0: as fast as they are accepted
  WorkBy work = WorkBy::wait;
  unsigned threads = 4;     ///< that dispatch the requests of a stage in any order
  std::size_t queue = 64;   ///< packets in the queue or reorder buffer of a port
  bool collocated = false;  ///< all in one process

  bool operator==(const PipelineSettings&) const = default;
};

/// Returns the arguments of the programs of the pipeline.
std::vector<std::string> to_args(const PipelineSettings&);
/// Parses the output of to_args(); nullopt if an option or a value is unknown.
std::optional<PipelineSettings> pipeline_from_args(const std::vector<std::string>& args);

/// Whether a stage's requests are dispatched in any order.
inline bool is_unordered(PipelineMode mode) {
  return mode == PipelineMode::unordered || mode == PipelineMode::stamped;
}

/// Whether the producer's call returns only after all stages have processed the packet.
inline bool is_synchronous(PipelineMode mode) {
  return mode == PipelineMode::twoway || mode == PipelineMode::oneway_target;
}

/// Time at which the last packet leaves stage `stage` (from 1) if nothing but the work takes time and each
/// stage works on one packet at a time.
double theoretical_ms(const PipelineSettings&, unsigned stage);
/// The same if only one stage works at a time, as with synchronous calls; for the last packet, in all stages.
double theoretical_synchronous_ms(const PipelineSettings&);

}  // namespace orbweaver::bench
