// Orbweaver as a subject: the same servant collocated and over every transport.
#include <orbweaver/loan.h>

#include <algorithm>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "bench/harness/subject.h"
#include "packets.h"
#include "setup.h"
#include "sink.h"

namespace {

using namespace orbweaver::bench;

using SinkRef = IDL::traits<Bench::Sink>::ref_type;

/// Creates a certificate, which the client does not verify, with the `openssl` program. Returns false if that
/// program is missing.
bool make_certificate(const std::string& file) {
  return std::system(("umask 077; openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days "
                      "1 -subj /CN=bench "
                      "-keyout '" +
                      file + "' 2>/dev/null >>'" + file + "'")
                         .c_str()) == 0;
}

/// `certificate`: file of the server's certificate for TLS; otherwise empty.
OrbRef orb_for(const Case& c, const std::string& certificate = {}) {
  std::vector<std::string> args = wait_options(name(c.wait));
  // Authentication of the client is not measured: the server presents a certificate, and the client does not
  // verify it.
  if (c.transport == "tls") {
    args.insert(args.end(),
                {"-ORBTransportPlugin", "liborbweaver-tls.so", "-ORBTransportOption", "tls.verify=none"});
    if (!certificate.empty())
      args.insert(args.end(), {"-ORBTransportOption", "tls.certificate=" + certificate});
  }
  if (c.bytes > (std::size_t{8} << 20))
    args.insert(args.end(), {"-ORBMaxMessageBytes", std::to_string(4 * kMaxPayloadBytes)});
  // The saving by batches is measured: the sender may delay messages until they fill one.
  if (c.type == PayloadType::mix)
    args.insert(args.end(), {"-ORBTune", "batch-delay-us=1000", "-ORBTune", "batch-bytes=49152"});
  return orb_over(c.transport, std::move(args));
}

std::optional<std::string> cannot(const Case& c) {
  if (has_receivers(c.experiment)) return cannot_packets(c);
  if (c.transport == "udp" && c.experiment == Experiment::oneway && c.type != PayloadType::mix)
    return "UDP has no flow control: one-way messages are measured with --type mix";
  for (const char* known : {"inproc", "shm", "unix", "mqueue", "tcp", "udp"})
    if (c.transport == known) return std::nullopt;
  try {
    orb_for(c)->destroy();
  } catch (const std::runtime_error& problem) {
    return problem.what();  // no such plug-in, or it has no such transport
  }
  return std::nullopt;
}

SinkRef activated(const OrbRef& orb) {
  active_root_poa(orb);
  return CORBA::make_reference<OrbweaverSink>()->_this();
}

void serve(const ServerSide& side) {
  const std::string certificate = side.what.transport == "tls" ? side.scratch + "/certificate.pem" : "";
  if (!certificate.empty() && !make_certificate(certificate))
    throw std::runtime_error("no certificate for TLS: is the openssl program installed (Debian: openssl)?");
  const OrbRef orb = orb_for(side.what, certificate);
  const SinkRef sink = activated(orb);
  side.ready(orb->object_to_string(sink));
  orb->run();
}

/// `call` makes one call and returns the sum of its payload.
template <class Call>
Summary measured(const ClientSide& side, const SinkRef& sink, Call call) {
  double sent = 0;
  Loop loop = side.loop;
  const bool two_way = side.what.experiment == Experiment::twoway;
  if (side.what.transport == "inproc" && two_way) loop.batch = 100;
  const auto counted = [&] { sent += call(); };
  const auto all_read = [&] { return sink->total() == sent; };
  // total() follows the messages on their connection. A collocated one-way call may be served by another
  // thread; total() is then polled. A wrong sum would loop for ever; the runner's time limit ends it.
  const auto drained = [&] {
    while (!all_read()) {
    }
  };
  const Summary figures = two_way ? measure_calls(loop, counted) : measure_stream(loop, counted, drained);
  if (!all_read()) throw std::runtime_error("receiver checksum mismatch");
  return figures;
}

std::size_t element_count(const Case& c) { return c.bytes ? c.bytes / element_bytes(c.type) : 0; }

/// Measures calls with one payload: `call` makes a call with `data`.
template <class Data, class Call>
Summary measured_with(const ClientSide& side, const SinkRef& sink, const Data& data, Call call) {
  return measured(side, sink, [&, total = sum(data)] {
    call(data);
    return total;
  });
}

Summary measured_mix(const ClientSide& side, const SinkRef& sink) {
  const auto data = octets_payload(*std::max_element(kMixSizes.begin(), kMixSizes.end()));
  return measured(side, sink, [&, n = std::uint64_t{0}]() mutable {
    const orbweaver::span<const std::uint8_t> message(data.data(), kMixSizes[n++ % kMixSizes.size()]);
    sink->push_octets(message);
    // A two-way call flushes the batch and returns when all of it was read.
    if (n % kMixWindow == 0) sink->total();
    return sum(message);
  });
}

Summary measured_blocks(const ClientSide& side, const SinkRef& sink) {
  const std::size_t count = element_count(side.what);
  return measured(side, sink, [&, calls = std::uint64_t{0}]() mutable {
    auto block = orbweaver::loan<double>(count);
    const double total = write_in_full(block.data(), count, ++calls);
    sink->take_doubles(block.view());
    return total;
  });
}

Bench::Strings strings_payload(std::size_t count) {
  Bench::Strings data;
  for (std::size_t i = 0; i < count; ++i) data.push_back(string_payload(i));
  return data;
}

Bench::Samples samples_payload(std::size_t count) {
  Bench::Samples data;
  for (std::size_t i = 0; i < count; ++i) data.emplace_back(short_payload(i), short_payload(i + 1));
  return data;
}

CORBA::Any any_payload(std::size_t count) {
  CORBA::Any data;
  data <<= doubles_payload(count);
  return data;
}

Summary measured_by_type(const ClientSide& side, const SinkRef& sink) {
  const bool push = side.what.experiment == Experiment::oneway;
  const std::size_t count = element_count(side.what);
  switch (side.what.type) {
    case PayloadType::empty:
      return measured(side, sink, [&] {
        push ? sink->push_nothing() : sink->take_nothing();
        return 1.0;
      });
    case PayloadType::octet:
      return measured_with(side, sink, octets_payload(count),
                           [&](auto& data) { push ? sink->push_octets(data) : sink->take_octets(data); });
    case PayloadType::shorts:
      return measured_with(side, sink, numbers_payload<std::int16_t>(count),
                           [&](auto& data) { push ? sink->push_shorts(data) : sink->take_shorts(data); });
    case PayloadType::longs:
      return measured_with(side, sink, numbers_payload<std::int32_t>(count),
                           [&](auto& data) { push ? sink->push_longs(data) : sink->take_longs(data); });
    case PayloadType::long_longs:
      return measured_with(side, sink, numbers_payload<std::int64_t>(count), [&](auto& data) {
        push ? sink->push_long_longs(data) : sink->take_long_longs(data);
      });
    case PayloadType::floats:
      return measured_with(side, sink, numbers_payload<float>(count),
                           [&](auto& data) { push ? sink->push_floats(data) : sink->take_floats(data); });
    case PayloadType::doubles:
      return measured_with(side, sink, doubles_payload(count),
                           [&](auto& data) { push ? sink->push_doubles(data) : sink->take_doubles(data); });
    case PayloadType::string:
      return measured_with(side, sink, strings_payload(count),
                           [&](auto& data) { push ? sink->push_strings(data) : sink->take_strings(data); });
    case PayloadType::structs:
      return measured_with(side, sink, samples_payload(count),
                           [&](auto& data) { push ? sink->push_samples(data) : sink->take_samples(data); });
    case PayloadType::any:
      return measured_with(side, sink, any_payload(count),
                           [&](auto& data) { push ? sink->push_any(data) : sink->take_any(data); });
    case PayloadType::mix: return measured_mix(side, sink);
    case PayloadType::block: return measured_blocks(side, sink);
  }
  throw std::runtime_error("unsupported payload type");
}

Summary call(const ClientSide& side) {
  if (has_receivers(side.what.experiment)) return call_packets(side);
  const OrbRef orb = orb_for(side.what);
  const SinkRef sink = has_server(side.what)
                           ? IDL::traits<Bench::Sink>::narrow(orb->string_to_object(side.address))
                           : activated(orb);
  if (!sink) throw std::runtime_error("the reference is not of type Bench::Sink");
  const Summary figures = measured_by_type(side, sink);
  orb->destroy();
  return figures;
}

}  // namespace

int main(int argc, char** argv) { return subject_main(argc, argv, {cannot, serve, call}); }
