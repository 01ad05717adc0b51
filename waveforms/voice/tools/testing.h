// A small, valid result of a run; tests modify it.
#pragma once

namespace orbweaver::voice::testing {

inline constexpr char kResult[] = R"({
  "format": 1, "assembly": "Voice", "sad": "voice.sad.xml", "started": "2026-11-21T10:31:07Z",
  "seconds": 4.5, "outcome": "completed", "message": "", "realtime": false,
  "components": [
    {"id": "source_1", "name": "Source", "pid": 11, "placement": "process 1", "cpu_seconds": 0.5,
     "exit": "exited with status 0", "stats": {}},
    {"id": "deframer_1", "name": "Deframer", "pid": 12, "placement": "process 2", "cpu_seconds": 0.25,
     "exit": "exited with status 0",
     "stats": {"frames_good": 100, "frames_bad": 0, "frames_lost": 0,
               "channel_bit_errors": 40, "channel_bits_compared": 160000}}],
  "hops": [
    {"from": "source_1.out", "to": "deframer_1.in", "transport": "shm", "packets": 10, "bytes": 5000,
     "lost": 0, "reordered": 0, "p50_us": 3.0, "p99_us": 8.0, "max_us": 7.5, "mb_per_s": 1.5,
     "end_of_stream": true, "queue_high_water": 2, "queue_limit": 64,
     "histogram": [{"le_us": 3.0, "count": 7}, {"le_us": 8.0, "count": 3}]}]
})";

}  // namespace orbweaver::voice::testing
