// interop-omniorb-core-framework NAME [NAMING]: a core framework on omniORB for one component of SCA 2.2.2.
// Serves a naming context, or waits for that of the reference NAMING, prints its reference, waits until a
// component has bound itself there as NAME, "Scale" or "Iq", and uses it. Prints what it has found, a line
// for each step; exits with 1 if a call raises an exception that is not expected. It knows the IDL of the
// standard, and that of the streams and of OSSIE for its own ports.
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>

#include "CF.hh"
#include "StandardInterfaces.hh"
#include "Stream.hh"

namespace {

constexpr std::chrono::seconds kLimit(120);

/// A naming context with one level of names, by their ids.
class NamingContext : public POA_CosNaming::NamingContext {
 public:
  void bind(const CosNaming::Name& name, CORBA::Object_ptr object) override {
    const std::lock_guard lock(mutex_);
    if (!objects_.emplace(name[0].id.in(), CORBA::Object::_duplicate(object)).second)
      throw CosNaming::NamingContext::AlreadyBound();
  }
  void rebind(const CosNaming::Name& name, CORBA::Object_ptr object) override {
    const std::lock_guard lock(mutex_);
    objects_[name[0].id.in()] = CORBA::Object::_duplicate(object);
  }
  CORBA::Object_ptr resolve(const CosNaming::Name& name) override {
    const std::lock_guard lock(mutex_);
    const auto found = objects_.find(name[0].id.in());
    if (found == objects_.end()) throw not_found(name);
    return CORBA::Object::_duplicate(found->second);
  }
  void unbind(const CosNaming::Name& name) override {
    const std::lock_guard lock(mutex_);
    if (objects_.erase(name[0].id.in()) == 0) throw not_found(name);
  }
  void bind_context(const CosNaming::Name&, CosNaming::NamingContext_ptr) override {
    throw CORBA::NO_IMPLEMENT();
  }
  void rebind_context(const CosNaming::Name&, CosNaming::NamingContext_ptr) override {
    throw CORBA::NO_IMPLEMENT();
  }
  CosNaming::NamingContext_ptr new_context() override { throw CORBA::NO_IMPLEMENT(); }
  CosNaming::NamingContext_ptr bind_new_context(const CosNaming::Name&) override {
    throw CORBA::NO_IMPLEMENT();
  }
  void destroy() override { throw CosNaming::NamingContext::NotEmpty(); }
  void list(CORBA::ULong, CosNaming::BindingList_out list, CosNaming::BindingIterator_out rest) override {
    list = new CosNaming::BindingList();
    rest = CosNaming::BindingIterator::_nil();
  }

 private:
  static CosNaming::NamingContext::NotFound not_found(const CosNaming::Name& name) {
    return {CosNaming::NamingContext::missing_node, name};
  }

  std::mutex mutex_;
  std::map<std::string, CORBA::Object_var> objects_;
};

/// Calls `attempt` until it returns an object.
template <class Attempt>
CORBA::Object_ptr wait_for(const std::string& name, Attempt attempt) {
  const auto end = std::chrono::steady_clock::now() + kLimit;
  while (std::chrono::steady_clock::now() < end) {
    CORBA::Object_var object = attempt();
    if (!CORBA::is_nil(object)) return object._retn();
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  throw std::runtime_error(name + " cannot be found");
}

/// Waits until something is bound under that name.
CORBA::Object_ptr wait_for_binding(CosNaming::NamingContext_ptr context, const char* id) {
  CosNaming::Name name;
  name.length(1);
  name[0].id = id;
  return wait_for(id, [&]() -> CORBA::Object_ptr {
    try {
      return context->resolve(name);
    } catch (const CosNaming::NamingContext::NotFound&) {
      return CORBA::Object::_nil();
    }
  });
}

/// Waits for the naming service.
CORBA::Object_ptr wait_for_service(CORBA::ORB_ptr orb, const char* reference) {
  return wait_for(reference, [&]() -> CORBA::Object_ptr {
    CORBA::Object_var object = orb->string_to_object(reference);
    try {
      if (object->_non_existent()) return CORBA::Object::_nil();
    } catch (const CORBA::SystemException&) {
      return CORBA::Object::_nil();
    }
    return object._retn();
  });
}

/// Receives what the component sends.
class Receiver : public POA_orbweaver::stream::FloatInput {
 public:
  void pushPacket(const orbweaver::stream::StreamHeader& header,
                  const orbweaver::stream::Floats& samples) override {
    const std::lock_guard lock(mutex_);
    text_ += std::to_string(header.sequence_number) + ":";
    for (CORBA::ULong i = 0; i < samples.length(); ++i)
      text_ += " " + std::to_string(static_cast<int>(samples[i]));
    if ((header.flags & orbweaver::stream::END_OF_STREAM) != 0) {
      text_ += " end";
      ended_ = true;
      changed_.notify_all();
    }
    text_ += "; ";
  }
  void pushMetadata(CORBA::ULongLong, const orbweaver::stream::StreamMetadata&) override {}
  orbweaver::stream::InputStatistics* statistics() override {
    return new orbweaver::stream::InputStatistics();
  }
  CORBA::ULongLong copied_bytes() override { return 0; }

  std::string received() {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, kLimit, [&] { return ended_; });
    return text_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string text_;
  bool ended_ = false;
};

std::string ids(const CF::Properties& properties) {
  std::string text;
  for (CORBA::ULong i = 0; i < properties.length(); ++i)
    text += (i == 0 ? "" : ", ") + std::string(properties[i].id.in());
  return text;
}

void push(orbweaver::stream::FloatInput_ptr input, CORBA::ULongLong number, CORBA::ULong samples, bool end) {
  orbweaver::stream::StreamHeader header{};
  header.stream_id = 4711;
  header.sequence_number = number;
  header.sample_rate_hz = 8000;
  header.flags = end ? orbweaver::stream::END_OF_STREAM : 0;
  orbweaver::stream::Floats values;
  values.length(samples);
  for (CORBA::ULong i = 0; i < samples; ++i) values[i] = static_cast<CORBA::Float>(10 * number + i);
  input->pushPacket(header, values);
}

void use_properties(CF::Resource_ptr resource) {
  CF::Properties properties;
  properties.length(1);
  properties[0].id = "factor";
  properties[0].value <<= CORBA::Float{3};
  resource->configure(properties);
  CF::Properties all;
  resource->query(all);
  std::printf("query: %s\n", ids(all).c_str());
  CORBA::Float factor = 0;
  resource->query(properties);
  if (!(properties[0].value >>= factor)) throw std::runtime_error("factor is no float");
  std::printf("factor: %g\n", static_cast<double>(factor));
  properties[0].id = "volume";
  try {
    resource->query(properties);
  } catch (const CF::UnknownProperties& e) {
    std::printf("UnknownProperties: %s\n", ids(e.invalidProperties).c_str());
  }
  try {
    resource->configure(properties);
  } catch (const CF::PropertySet::InvalidConfiguration& e) {
    std::printf("InvalidConfiguration: %s\n", ids(e.invalidProperties).c_str());
  }
  try {
    resource->runTest(1, properties);
  } catch (const CF::TestableObject::UnknownTest&) {
    std::printf("UnknownTest\n");
  }
}

void use_ports(CF::Resource_ptr resource) {
  const CORBA::Object_var in = resource->getPort("in");
  const orbweaver::stream::FloatInput_var input = orbweaver::stream::FloatInput::_narrow(in);
  const CORBA::Object_var out = resource->getPort("out");
  const CF::Port_var output = CF::Port::_narrow(out);
  if (CORBA::is_nil(input) || CORBA::is_nil(output)) throw std::runtime_error("a port is of another type");
  try {
    const CORBA::Object_var none = resource->getPort("none");
  } catch (const CF::PortSupplier::UnknownPort&) {
    std::printf("UnknownPort\n");
  }

  PortableServer::Servant_var<Receiver> receiver = new Receiver;
  const orbweaver::stream::FloatInput_var receiver_reference = receiver->_this();
  output->connectPort(receiver_reference, "out_1");
  try {
    output->connectPort(resource, "out_2");
  } catch (const CF::Port::InvalidPort&) {
    std::printf("InvalidPort: a resource\n");
  }
  try {
    output->disconnectPort("out_3");
  } catch (const CF::Port::InvalidPort&) {
    std::printf("InvalidPort: no such connection\n");
  }

  resource->start();
  for (CORBA::ULongLong number = 0; number < 3; ++number) push(input, number, 2, false);
  push(input, 3, 0, true);
  std::printf("received: %s\n", receiver->received().c_str());
  resource->stop();
  output->disconnectPort("out_1");
}

/// An input of OSSIE.
class IqReceiver : public POA_standardInterfaces::complexShort {
 public:
  void pushPacket(const PortTypes::ShortSequence& i, const PortTypes::ShortSequence& q) override {
    const std::lock_guard lock(mutex_);
    for (CORBA::ULong n = 0; n < i.length(); ++n)
      text_ += std::to_string(i[n]) + "," + std::to_string(q[n]) + " ";
    text_ += "; ";
    ++packets_;
    changed_.notify_all();
  }
  std::string received(int packets) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, kLimit, [&] { return packets_ >= packets; });
    return text_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string text_;
  int packets_ = 0;
};

/// Connects the output to two receivers, and sends packets as a component of OSSIE.
void use_iq_ports(CF::Resource_ptr resource) {
  const CORBA::Object_var in = resource->getPort("in");
  const standardInterfaces::complexShort_var input = standardInterfaces::complexShort::_narrow(in);
  const CORBA::Object_var out = resource->getPort("out");
  const CF::Port_var output = CF::Port::_narrow(out);
  if (CORBA::is_nil(input) || CORBA::is_nil(output)) throw std::runtime_error("a port is of another type");
  PortableServer::Servant_var<IqReceiver> receivers[] = {new IqReceiver, new IqReceiver};
  const standardInterfaces::complexShort_var references[] = {receivers[0]->_this(), receivers[1]->_this()};
  output->connectPort(references[0], "out_1");
  output->connectPort(references[1], "out_2");
  PortTypes::ShortSequence i, q;
  i.length(2);
  q.length(2);
  for (CORBA::Short packet = 0; packet < 3; ++packet) {
    for (CORBA::ULong n = 0; n < 2; ++n) {
      i[n] = static_cast<CORBA::Short>(2 * packet + static_cast<CORBA::Short>(n));
      q[n] = static_cast<CORBA::Short>(-i[n] - 1);
    }
    input->pushPacket(i, q);  // buffered: the component is started later
  }
  q.length(1);
  try {
    input->pushPacket(i, q);
  } catch (const CORBA::BAD_PARAM&) {
    std::printf("BAD_PARAM: I and Q\n");
  }
  resource->start();
  for (auto& receiver : receivers) std::printf("received: %s\n", receiver->received(3).c_str());
  resource->stop();
}

void deploy(CF::Resource_ptr resource, bool has_iq_ports) {
  const CORBA::String_var identifier = resource->identifier();
  std::printf("identifier: %s\n", identifier.in());
  resource->initialize();
  if (has_iq_ports) {
    use_iq_ports(resource);
  } else {
    use_properties(resource);
    use_ports(resource);
  }
  resource->releaseObject();
  std::printf("released\n");
}

}  // namespace

int main(int argc, char** argv) {
  const char* options[][2] = {{"endPoint", "giop:tcp:127.0.0.1:"},
                              {"maxServerThreadPerConnection", "1"},
                              {"maxGIOPConnectionPerServer", "1"},
                              {nullptr, nullptr}};
  int status = 0;
  CORBA::ORB_var orb;
  try {
    int none = 0;
    orb = CORBA::ORB_init(none, nullptr, "omniORB4", options);
    const CORBA::Object_var root = orb->resolve_initial_references("RootPOA");
    const PortableServer::POA_var poa = PortableServer::POA::_narrow(root);
    const PortableServer::POAManager_var manager = poa->the_POAManager();
    manager->activate();
    if (argc < 2) throw std::runtime_error("NAME is missing");
    PortableServer::Servant_var<NamingContext> naming = new NamingContext;
    const CORBA::Object_var service =
        argc > 2 ? wait_for_service(orb, argv[2]) : CORBA::Object_ptr(naming->_this());
    const CosNaming::NamingContext_var context = CosNaming::NamingContext::_narrow(service);
    if (CORBA::is_nil(context)) throw std::runtime_error("NAMING is not a naming context");
    const CORBA::String_var ior = orb->object_to_string(context);
    std::printf("%s\n", ior.in());
    std::fflush(stdout);

    const CORBA::Object_var object = wait_for_binding(context, argv[1]);
    const CF::Resource_var resource = CF::Resource::_narrow(object);
    if (CORBA::is_nil(resource)) throw std::runtime_error("it is not a CF::Resource");
    deploy(resource, std::string(argv[1]) == "Iq");
  } catch (const CORBA::Exception& e) {
    std::printf("unexpected: %s\n", e._name());
    status = 1;
  } catch (const std::exception& e) {
    std::printf("unexpected: %s\n", e.what());
    status = 1;
  }
  std::fflush(stdout);
  if (!CORBA::is_nil(orb)) orb->destroy();
  return status;
}
