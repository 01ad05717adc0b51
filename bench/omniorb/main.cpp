// omniORB as a subject, of Debian (bench-omniorb) and of PyPI (bench-omniorb-pypi).
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "bench/harness/subject.h"
#include "setup.h"
#include "sink.h"

namespace {

using namespace orbweaver::bench;

std::optional<std::string> cannot(const Case& c) {
  if (has_receivers(c.experiment)) return "it is measured with one receiver";
  if (c.type == PayloadType::block) return "it has no blocks";
  if (c.type == PayloadType::mix) return "it cannot batch one-way calls";
  if (c.transport == "inproc") return std::nullopt;
  if (c.transport != "tcp" && c.transport != "unix") return "it has no such transport";
  if (!blocks(c.wait)) return "it always blocks in the kernel: measure it with --wait block";
  return std::nullopt;
}

/// Over which calls are made; collocated calls are made over none.
std::string transport_of(const Case& c) { return c.transport == "unix" ? "unix" : "tcp"; }

void serve(const ServerSide& side) {
  const std::string transport = transport_of(side.what);
  const CORBA::ORB_var orb = tuned_orb(transport, omniorb_endpoint(transport, side.scratch));
  OmniOrbSink servant;
  const Bench::Sink_var sink = activated(orb, servant);
  const CORBA::String_var ior = orb->object_to_string(sink);
  side.ready(ior.in());
  orb->run();
}

template <class Call>
Summary measured(const ClientSide& side, Call call, double per_call, Bench::Sink_ptr sink) {
  std::uint64_t calls = 0;
  Loop loop = side.loop;
  if (side.what.transport == "inproc") loop.batch = 100;
  const auto counted = [&] {
    ++calls;
    call();
  };
  const auto all_read = [&] { return sink->total() == per_call * static_cast<double>(calls); };
  Summary figures;
  if (side.what.experiment == Experiment::oneway) {
    // total() follows the messages on their connection, so that one call is enough. A wrong sum would loop
    // for ever; the runner's time limit ends it.
    figures = measure_stream(loop, counted, [&] {
      while (!all_read()) {
      }
    });
  } else {
    figures = measure_calls(loop, counted);
  }
  if (!all_read()) throw std::runtime_error("receiver checksum mismatch");
  return figures;
}

CORBA::ULong element_count(const Case& c) {
  return static_cast<CORBA::ULong>(c.bytes ? c.bytes / element_bytes(c.type) : 0);
}

template <class Sequence, class Number>
Sequence numbers(CORBA::ULong count) {
  Sequence data;
  data.length(count);
  std::memcpy(data.get_buffer(), numbers_payload<Number>(count).data(), count * sizeof(Number));
  return data;
}
Bench::Octets octets(CORBA::ULong count) { return numbers<Bench::Octets, std::uint8_t>(count); }
Bench::Doubles doubles(CORBA::ULong count) { return numbers<Bench::Doubles, double>(count); }

Bench::Strings strings(CORBA::ULong count) {
  Bench::Strings data;
  data.length(count);
  for (CORBA::ULong i = 0; i < count; ++i) data[i] = string_payload(i).c_str();
  return data;
}

Bench::Samples samples(CORBA::ULong count) {
  Bench::Samples data;
  data.length(count);
  for (CORBA::ULong i = 0; i < count; ++i) data[i] = {short_payload(i), short_payload(i + 1)};
  return data;
}

CORBA::Any any(CORBA::ULong count) {
  CORBA::Any data;
  data <<= doubles(count);
  return data;
}

/// Measures calls with one payload: `call` makes a call with `data`.
template <class Data, class Call>
Summary measured_with(const ClientSide& side, Bench::Sink_ptr sink, const Data& data, Call call) {
  return measured(
      side, [&] { call(data); }, OmniOrbSink::sum(data), sink);
}

Summary measured_by_type(const ClientSide& side, Bench::Sink_ptr sink) {
  const bool push = side.what.experiment == Experiment::oneway;
  const CORBA::ULong count = element_count(side.what);
  switch (side.what.type) {
    case PayloadType::empty:
      return measured(
          side, [&] { push ? sink->push_nothing() : sink->take_nothing(); }, 1, sink);
    case PayloadType::octet:
      return measured_with(side, sink, octets(count),
                           [&](auto& data) { push ? sink->push_octets(data) : sink->take_octets(data); });
    case PayloadType::shorts:
      return measured_with(side, sink, numbers<Bench::Shorts, std::int16_t>(count),
                           [&](auto& data) { push ? sink->push_shorts(data) : sink->take_shorts(data); });
    case PayloadType::longs:
      return measured_with(side, sink, numbers<Bench::Longs, std::int32_t>(count),
                           [&](auto& data) { push ? sink->push_longs(data) : sink->take_longs(data); });
    case PayloadType::long_longs:
      return measured_with(side, sink, numbers<Bench::LongLongs, std::int64_t>(count), [&](auto& data) {
        push ? sink->push_long_longs(data) : sink->take_long_longs(data);
      });
    case PayloadType::floats:
      return measured_with(side, sink, numbers<Bench::Floats, float>(count),
                           [&](auto& data) { push ? sink->push_floats(data) : sink->take_floats(data); });
    case PayloadType::doubles:
      return measured_with(side, sink, doubles(count),
                           [&](auto& data) { push ? sink->push_doubles(data) : sink->take_doubles(data); });
    case PayloadType::string:
      return measured_with(side, sink, strings(count),
                           [&](auto& data) { push ? sink->push_strings(data) : sink->take_strings(data); });
    case PayloadType::structs:
      return measured_with(side, sink, samples(count),
                           [&](auto& data) { push ? sink->push_samples(data) : sink->take_samples(data); });
    case PayloadType::any:
      return measured_with(side, sink, any(count),
                           [&](auto& data) { push ? sink->push_any(data) : sink->take_any(data); });
    case PayloadType::mix:
    case PayloadType::block: break;
  }
  throw std::runtime_error("unsupported payload type");
}

Summary call(const ClientSide& side) {
  const CORBA::ORB_var orb = tuned_orb(transport_of(side.what));
  OmniOrbSink collocated;
  Bench::Sink_var sink;
  if (side.what.transport == "inproc") {
    sink = activated(orb, collocated);
  } else {
    const CORBA::Object_var object = orb->string_to_object(side.address.c_str());
    sink = Bench::Sink::_narrow(object);
  }
  if (CORBA::is_nil(sink)) throw std::runtime_error("the reference is not of type Bench::Sink");
  const Summary figures = measured_by_type(side, sink);
  orb->destroy();  // before the servant is destroyed, which it still refers to
  return figures;
}

}  // namespace

int main(int argc, char** argv) {
  return subject_main(argc, argv, {cannot, translated(serve), translated(call)});
}
