// A component of SCA 2.2.2 on omniORB with ports of OSSIE: passes complex samples of its port `in` to its
// port `out`, unchanged. As in OSSIE, a servant puts each packet into a buffer and returns, a processing
// thread takes it out, and the ORB has its default settings.
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "CF.hh"
#include "StandardInterfaces.hh"

namespace stage {
namespace {

constexpr std::size_t kBufferedPackets = 10;

struct Packet {
  PortTypes::ShortSequence i, q;
};

class ComplexShortInput : public POA_standardInterfaces::complexShort {
 public:
  void pushPacket(const PortTypes::ShortSequence& i, const PortTypes::ShortSequence& q) override {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return packets_.size() < kBufferedPackets || closed_; });
    if (closed_) return;
    packets_.push_back({i, q});
    changed_.notify_all();
  }
  /// Waits for a packet. False once closed.
  bool take(Packet& packet) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !packets_.empty() || closed_; });
    if (closed_) return false;
    packet = std::move(packets_.front());
    packets_.pop_front();
    changed_.notify_all();
    return true;
  }
  void close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Packet> packets_;
  bool closed_ = false;
};

class ComplexShortOutput : public POA_CF::Port {
 public:
  void connectPort(CORBA::Object_ptr connection, const char* connectionId) override {
    const standardInterfaces::complexShort_var input = standardInterfaces::complexShort::_narrow(connection);
    if (CORBA::is_nil(input)) throw CF::Port::InvalidPort(1, "it is not a complexShort");
    const std::lock_guard lock(mutex_);
    receivers_[connectionId] = input;
  }
  void disconnectPort(const char* connectionId) override {
    const std::lock_guard lock(mutex_);
    if (receivers_.erase(connectionId) == 0) throw CF::Port::InvalidPort(2, "there is no such connection");
  }
  void push(const Packet& packet) {
    std::vector<standardInterfaces::complexShort_var> receivers;
    {
      const std::lock_guard lock(mutex_);
      for (const auto& receiver : receivers_) receivers.push_back(receiver.second);
    }
    for (const auto& receiver : receivers) {
      try {
        receiver->pushPacket(packet.i, packet.q);
      } catch (const CORBA::SystemException& e) {
        std::fprintf(stderr, "pushPacket: %s\n", e._name());
      }
    }
  }

 private:
  std::mutex mutex_;
  std::map<std::string, standardInterfaces::complexShort_var> receivers_;
};

class Stage : public POA_CF::Resource {
 public:
  Stage(std::string id, CORBA::ORB_ptr orb)
      : id_(std::move(id)), orb_(CORBA::ORB::_duplicate(orb)), input_(new ComplexShortInput),
        output_(new ComplexShortOutput) {}

  char* identifier() override { return CORBA::string_dup(id_.c_str()); }
  void initialize() override {}
  CORBA::Object_ptr getPort(const char* name) override {
    if (std::string(name) == "in") return input_->_this();
    if (std::string(name) == "out") return output_->_this();
    throw CF::PortSupplier::UnknownPort();
  }
  void configure(const CF::Properties&) override {}
  void query(CF::Properties&) override {}
  void runTest(CORBA::ULong, CF::Properties&) override { throw CF::TestableObject::UnknownTest(); }
  void start() override {
    if (thread_.joinable()) return;
    thread_ = std::thread([this] {
      for (Packet packet; input_->take(packet);) output_->push(packet);
    });
  }
  void stop() override {}
  void releaseObject() override {
    input_->close();
    if (thread_.joinable()) thread_.join();
    orb_->shutdown(false);
  }

 private:
  const std::string id_;
  CORBA::ORB_var orb_;
  PortableServer::Servant_var<ComplexShortInput> input_;
  PortableServer::Servant_var<ComplexShortOutput> output_;
  std::thread thread_;
};

void run(int argc, char** argv) {
  const char* options[][2] = {{"endPoint", "giop:tcp:127.0.0.1:"}, {nullptr, nullptr}};
  const CORBA::ORB_var orb = CORBA::ORB_init(argc, argv, "omniORB4", options);
  std::map<std::string, std::string> arguments;
  for (int i = 1; i + 1 < argc; i += 2) arguments[argv[i]] = argv[i + 1];
  const CORBA::Object_var root = orb->resolve_initial_references("RootPOA");
  const PortableServer::POA_var poa = PortableServer::POA::_narrow(root);
  const PortableServer::POAManager_var manager = poa->the_POAManager();
  manager->activate();

  const PortableServer::Servant_var<Stage> stage = new Stage(arguments.at("COMPONENT_IDENTIFIER"), orb);
  const CF::Resource_var self = stage->_this();
  const CORBA::Object_var context = orb->string_to_object(arguments.at("NAMING_CONTEXT_IOR").c_str());
  const CosNaming::NamingContext_var naming = CosNaming::NamingContext::_narrow(context);
  if (CORBA::is_nil(naming)) throw std::runtime_error("NAMING_CONTEXT_IOR is not a naming context");
  CosNaming::Name name;
  name.length(1);
  name[0].id = arguments.at("NAME_BINDING").c_str();
  naming->bind(name, self);

  orb->run();  // until releaseObject()
  orb->destroy();
}

}  // namespace
}  // namespace stage

int main(int argc, char** argv) {
  try {
    stage::run(argc, argv);
    return 0;
  } catch (const CORBA::Exception& e) {
    std::fprintf(stderr, "%s\n", e._name());
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
  }
  return 2;
}
