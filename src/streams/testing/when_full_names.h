#pragma once

#include <ostream>

#include <orbweaver/streams/queue_options.h>

namespace orbweaver::streams {

/// Names the parameter of a test.
inline void PrintTo(WhenFull policy, std::ostream* out) {
  switch (policy) {
    case WhenFull::block: *out << "block"; break;
    case WhenFull::reject: *out << "reject"; break;
    case WhenFull::drop_oldest: *out << "drop_oldest"; break;
    case WhenFull::drop_newest: *out << "drop_newest"; break;
  }
}

}  // namespace orbweaver::streams
