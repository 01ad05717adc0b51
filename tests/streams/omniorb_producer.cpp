// A producer of packets that uses omniORB:
//   streams-omniorb-producer IOR PACKETS
// Prints the reference of its FlowSignals, pushes PACKETS numbered packets to the receiver of the reference
// IOR with flow control, and prints what it has counted.
#include <condition_variable>
#include <cstdlib>
#include <iostream>
#include <mutex>

#include <PacketFlowControl.hh>

namespace {

class Signals : public POA_Packet::FlowSignals {
 public:
  void signalResume() override {
    const std::lock_guard<std::mutex> lock(mutex_);
    ++resumes_;
    changed_.notify_all();
  }
  int resumes() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return resumes_;
  }
  void wait_for_more_than(int resumes) {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [&] { return resumes_ > resumes; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int resumes_ = 0;
};

}  // namespace

int main(int argc, char* argv[]) try {
  CORBA::ORB_var orb = CORBA::ORB_init(argc, argv);
  CORBA::Object_var root = orb->resolve_initial_references("RootPOA");
  PortableServer::POA_var poa = PortableServer::POA::_narrow(root);
  Signals signals;
  PortableServer::ObjectId_var id = poa->activate_object(&signals);
  PortableServer::POAManager_var manager = poa->the_POAManager();
  manager->activate();
  CORBA::Object_var own = signals._this();
  CORBA::String_var text = orb->object_to_string(own);
  std::cout << text.in() << std::endl;

  CORBA::Object_var object = orb->string_to_object(argv[1]);
  Packet::FlowOctetStream_var stream = Packet::FlowOctetStream::_narrow(object);
  Packet::FlowControl_var control = Packet::FlowControl::_narrow(object);
  control->enableFlowResumeSignals(true);

  Packet::StreamControlType header;
  header.endOfStream = false;
  header.streamId = 7;
  header.purge = false;
  JTRS::OctetSequence payload;
  payload.length(stream->getMaxPayloadSize() + 1);
  int bad_sizes = 0;
  try {
    stream->pushPacket(header, payload);
  } catch (const Packet::UnableToComplete& e) {
    bad_sizes += e.errorCode == Packet::PPKT_ERROR_BAD_SIZE && e.payloadSent == 0;
  }
  payload.length(stream->getMaxPayloadSize());
  const int packets = std::atoi(argv[2]);
  int waits = 0;
  for (int i = 0; i < packets; ++i) {
    header.sequenceNumber = static_cast<CORBA::Octet>(i);
    payload[0] = header.sequenceNumber;
    const int before = signals.resumes();
    if (stream->pushPacket(header, payload)) continue;
    ++waits;
    if (i + 1 < packets) signals.wait_for_more_than(before);
  }
  std::cout << "packets " << packets << " bad sizes " << bad_sizes << " waited " << (waits > 0) << std::endl;
  orb->destroy();
} catch (const CORBA::Exception& e) {
  std::cerr << "streams-omniorb-producer: " << e._name() << '\n';
  return 1;
}
