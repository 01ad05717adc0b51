// The result of one run of the pipeline, and the lines by which its producer reports it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "settings.h"

namespace orbweaver::bench {

/// Mean times of a stage for each packet, beside its work. A run is longer than its theoretical time by the
/// largest `late_us + between_us` of a stage that always has a packet waiting.
struct StageOverhead {
  double late_us = 0;     ///< from the time at which the work should have ended until its end
  double between_us = 0;  ///< from the end of the work on a packet until the next packet's work begins
  double pass_on_us = 0;  ///< from the end of the work until the next stage has accepted the packet

  bool operator==(const StageOverhead&) const = default;
};

/// Packets of a stage, counted by the stage.
struct StageResult {
  double last_packet_ms = 0;  ///< from the first send until the last packet had been processed and passed on
  std::uint64_t received = 0;
  std::uint64_t reordered = 0;             ///< in the order in which the work on the packets has ended
  std::uint64_t reordered_on_arrival = 0;  ///< in the order of the upcalls
  std::uint64_t duplicates = 0;
  std::uint64_t corrupt = 0;
  StageOverhead overhead;

  bool operator==(const StageResult&) const = default;
};

/// One run.
struct PipelineResult {
  PipelineSettings settings;
  std::vector<StageResult> stages;
  std::vector<double> send_us;  ///< duration of each call of the producer, in the order of the packets
  std::uint64_t producer_peak_kib = 0;  ///< largest resident memory of the producer's process
  std::string subject = "orbweaver";

  bool operator==(const PipelineResult&) const = default;
};

/// Packets that did not reach the last stage.
std::uint64_t lost(const PipelineResult&);
/// Median and maximum of the send times; 0 without packets.
double send_p50_us(const PipelineResult&);
double send_max_us(const PipelineResult&);

/// Returns the lines that the producer prints: one for each stage, and one for its sends.
std::vector<std::string> to_lines(const PipelineResult&);
/// Adds a line of to_lines() to the result. False if it is malformed.
bool add_line(PipelineResult&, std::string_view line);

}  // namespace orbweaver::bench
