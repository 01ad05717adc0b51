#pragma once

#include <orbweaver/sca/stream_metadata.h>

/// The metadata that the source of these tests sends on request, with a keyword of each type.
inline orbweaver::sca::StreamMetadata test_metadata() {
  return {"ramp",
          orbweaver::sca::UtcTime{1'700'000'000, 0.25},
          {{"live", true},
           {"channel", std::int64_t{-7}},
           {"CHAN_RF", 101.5e6},
           {"antenna", std::string("north")}}};
}
