// gRPC as a subject: synchronous calls on a channel that is tuned for latency. One-way messages are those of
// a stream.
#include <grpcpp/grpcpp.h>

#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>

#include "bench/harness/payload.h"
#include "bench/harness/subject.h"
#include "sink.grpc.pb.h"

namespace {

using namespace orbweaver::bench;
using wire::Sink;

bool has_stream(PayloadType type) {
  return type == PayloadType::empty || type == PayloadType::octet || type == PayloadType::doubles;
}

std::optional<std::string> cannot(const Case& c) {
  if (has_receivers(c.experiment)) return "it is measured with one receiver";
  if (c.type == PayloadType::any) return "it has no anys";
  if (c.type == PayloadType::block) return "it has no blocks";
  if (c.type == PayloadType::mix) return "it is measured with messages of one size";
  if (c.experiment == Experiment::oneway && !has_stream(c.type))
    return "it is measured one-way with empty, octet and double";
  if (c.transport != "tcp" && c.transport != "unix") return "it has no such transport";
  if (!blocks(c.wait)) return "it always blocks in the kernel: measure it with --wait block";
  return std::nullopt;
}

double read(const wire::Nothing&) { return 1; }
double read(const wire::Octets& octets) {
  return read_in_full(reinterpret_cast<const std::uint8_t*>(octets.data().data()), octets.data().size());
}
double read(const wire::Doubles& doubles) {
  return read_in_full(doubles.data().data(), static_cast<std::size_t>(doubles.data_size()));
}
template <class Numbers>
double read(const Numbers& numbers) {
  return read_numbers_in_full(numbers.data().data(), static_cast<std::size_t>(numbers.data_size()));
}
double read(const wire::Strings& strings) {
  double sum = 0;
  for (const std::string& text : strings.data()) sum += read_in_full_string(text.c_str(), text.size());
  return sum;
}
double read(const wire::Samples& samples) {
  std::int64_t sum = 0;
  for (const wire::Sample& sample : samples.data()) sum += sample.i() + sample.q();
  return static_cast<double>(sum);
}
double read(const wire::Packet& packet) {
  if (packet.doubles_size() != 0)
    return read_in_full(packet.doubles().data(), static_cast<std::size_t>(packet.doubles_size()));
  const auto* const octets = reinterpret_cast<const std::uint8_t*>(packet.octets().data());
  return packet.octets().empty() ? 1 : read_in_full(octets, packet.octets().size());
}

class SinkServant final : public Sink::Service {
  using Context = grpc::ServerContext;
  using Status = grpc::Status;
  using Nothing = wire::Nothing;

  Status TakeNothing(Context*, const Nothing* data, Nothing*) override { return took(*data); }
  Status TakeOctets(Context*, const wire::Octets* data, Nothing*) override { return took(*data); }
  Status TakeShorts(Context*, const wire::Integers* data, Nothing*) override { return took(*data); }
  Status TakeLongs(Context*, const wire::Longs* data, Nothing*) override { return took(*data); }
  Status TakeLongLongs(Context*, const wire::LongLongs* data, Nothing*) override { return took(*data); }
  Status TakeFloats(Context*, const wire::Floats* data, Nothing*) override { return took(*data); }
  Status TakeDoubles(Context*, const wire::Doubles* data, Nothing*) override { return took(*data); }
  Status TakeStrings(Context*, const wire::Strings* data, Nothing*) override { return took(*data); }
  Status TakeSamples(Context*, const wire::Samples* data, Nothing*) override { return took(*data); }
  Status Push(Context*, grpc::ServerReaderWriter<wire::Sum, wire::Packet>* stream) override {
    wire::Packet packet;
    while (stream->Read(&packet)) {
      if (!packet.ask()) {
        total_ += read(packet);
        continue;
      }
      wire::Sum sum;
      sum.set_sum(total_);
      stream->Write(sum);
    }
    return Status::OK;
  }
  Status Total(Context*, const Nothing*, wire::Sum* sum) override {
    sum->set_sum(total_);
    return Status::OK;
  }

  template <class Message>
  Status took(const Message& message) {
    total_ += read(message);
    return Status::OK;
  }
  double total_ = 0;  // of one caller, whose calls follow one another
};

void serve(const ServerSide& side) {
  const bool local = side.what.transport == "unix";
  const std::string address = local ? "unix:" + side.scratch + "/grpc" : std::string("127.0.0.1");
  SinkServant sink;
  grpc::ServerBuilder builder;
  int port = 0;
  builder.AddListeningPort(local ? address : address + ":0", grpc::InsecureServerCredentials(), &port);
  builder.SetMaxReceiveMessageSize(-1);
  builder.AddChannelArgument(GRPC_ARG_OPTIMIZATION_TARGET, "latency");
  builder.SetSyncServerOption(grpc::ServerBuilder::NUM_CQS, 1);
  builder.SetSyncServerOption(grpc::ServerBuilder::MIN_POLLERS, 1);
  builder.RegisterService(&sink);
  const std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  if (!server) throw std::runtime_error("cannot listen on " + address);
  side.ready(local ? address : address + ":" + std::to_string(port));
  server->Wait();
}

void check(const grpc::Status& status) {
  if (!status.ok()) throw std::runtime_error("gRPC: " + status.error_message());
}

void check_sum(double read, double per_call, std::uint64_t calls) {
  if (read != per_call * static_cast<double>(calls)) throw std::runtime_error("receiver checksum mismatch");
}

/// Measures calls of one operation with one message, which is serialised in each call.
template <class Message>
Summary measured(const ClientSide& side, Sink::Stub& sink, const Message& message,
                 grpc::Status (Sink::Stub::*operation)(grpc::ClientContext*, const Message&,
                                                       wire::Nothing*)) {
  std::uint64_t calls = 0;
  const Summary figures = measure_calls(side.loop, [&] {
    ++calls;
    grpc::ClientContext context;
    wire::Nothing reply;
    check((sink.*operation)(&context, message, &reply));
  });
  grpc::ClientContext context;
  wire::Sum sum;
  check(sink.Total(&context, {}, &sum));
  check_sum(sum.sum(), read(message), calls);
  return figures;
}

template <class Message, class Element>
Message numbers(const Case& c) {
  Message message;
  for (const Element each : numbers_payload<Element>(c.bytes / sizeof(Element))) message.add_data(each);
  return message;
}

wire::Octets octets(const Case& c) {
  const auto payload = octets_payload(c.bytes);
  wire::Octets message;
  message.set_data(payload.data(), payload.size());
  return message;
}

Summary measured_stream(const ClientSide& side, Sink::Stub& sink) {
  wire::Packet packet, question;
  if (side.what.type == PayloadType::octet) *packet.mutable_octets() = octets(side.what).data();
  if (side.what.type == PayloadType::doubles)
    *packet.mutable_doubles() = numbers<wire::Doubles, double>(side.what).data();
  question.set_ask(true);
  grpc::ClientContext context;
  const auto stream = sink.Push(&context);
  std::uint64_t calls = 0;
  const auto send = [&] {
    ++calls;
    if (!stream->Write(packet)) throw std::runtime_error("gRPC: the stream has ended");
  };
  const Summary figures = measure_stream(side.loop, send, [&] {
    wire::Sum sum;
    if (!stream->Write(question) || !stream->Read(&sum)) throw std::runtime_error("gRPC: no total");
    check_sum(sum.sum(), read(packet), calls);
  });
  stream->WritesDone();
  check(stream->Finish());
  return figures;
}

Summary measured_by_type(const ClientSide& side, Sink::Stub& sink) {
  const Case& c = side.what;
  const std::size_t count = c.bytes == 0 ? 0 : c.bytes / element_bytes(c.type);
  switch (c.type) {
    case PayloadType::empty: return measured(side, sink, wire::Nothing(), &Sink::Stub::TakeNothing);
    case PayloadType::octet: return measured(side, sink, octets(c), &Sink::Stub::TakeOctets);
    case PayloadType::shorts:
      return measured(side, sink, numbers<wire::Integers, std::int16_t>(c), &Sink::Stub::TakeShorts);
    case PayloadType::longs:
      return measured(side, sink, numbers<wire::Longs, std::int32_t>(c), &Sink::Stub::TakeLongs);
    case PayloadType::long_longs:
      return measured(side, sink, numbers<wire::LongLongs, std::int64_t>(c), &Sink::Stub::TakeLongLongs);
    case PayloadType::floats:
      return measured(side, sink, numbers<wire::Floats, float>(c), &Sink::Stub::TakeFloats);
    case PayloadType::doubles:
      return measured(side, sink, numbers<wire::Doubles, double>(c), &Sink::Stub::TakeDoubles);
    case PayloadType::string: {
      wire::Strings message;
      for (std::size_t i = 0; i < count; ++i) message.add_data(string_payload(i));
      return measured(side, sink, message, &Sink::Stub::TakeStrings);
    }
    case PayloadType::structs: {
      wire::Samples message;
      for (std::size_t i = 0; i < count; ++i) {
        wire::Sample& sample = *message.add_data();
        sample.set_i(short_payload(i));
        sample.set_q(short_payload(i + 1));
      }
      return measured(side, sink, message, &Sink::Stub::TakeSamples);
    }
    case PayloadType::any:
    case PayloadType::mix:
    case PayloadType::block: break;
  }
  throw std::runtime_error("unsupported payload type");
}

Summary call(const ClientSide& side) {
  grpc::ChannelArguments arguments;
  arguments.SetString(GRPC_ARG_OPTIMIZATION_TARGET, "latency");
  arguments.SetMaxReceiveMessageSize(-1);
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  const auto channel = grpc::CreateCustomChannel(side.address, grpc::InsecureChannelCredentials(), arguments);
  if (!channel->WaitForConnected(std::chrono::system_clock::now() + std::chrono::seconds(20)))
    throw std::runtime_error("gRPC: cannot connect to " + side.address);
  const auto sink = Sink::NewStub(channel);
  if (side.what.experiment == Experiment::oneway) return measured_stream(side, *sink);
  return measured_by_type(side, *sink);
}

}  // namespace

int main(int argc, char** argv) { return subject_main(argc, argv, {cannot, serve, call}); }
