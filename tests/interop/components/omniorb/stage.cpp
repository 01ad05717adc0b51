// A component of SCA 2.2.2 on omniORB, with the classic mapping: passes packets of its port `in` to its port
// `out`, unchanged. With the exec param `generate` it sends that many packets of a ramp instead; with `stays`
// its process does not end when it has been released, as the standard allows.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <stdexcept>
#include <string>
#include <thread>

#include "stream_ports.h"

namespace stage {
namespace {

constexpr CORBA::ULong kRampSamples = 160;
constexpr CORBA::ULong kRampModulus = 1 << 20;  // exact in a float

/// The properties of kind configure (stage.prf.xml).
struct Settings {
  CORBA::Float level = 0;
  CORBA::Long offset = 0;
  CORBA::Boolean enabled = false;
  std::string label;
};

class Stage : public POA_CF::Resource {
 public:
  Stage(std::string id, unsigned long generate, bool stays, CORBA::ORB_ptr orb, PortableServer::POA_ptr poa)
      : id_(std::move(id)), generate_(generate), stays_(stays), orb_(CORBA::ORB::_duplicate(orb)),
        poa_(PortableServer::POA::_duplicate(poa)),
        input_(new StreamInput([this](const auto& samples, double rate) { output_->push(samples, rate); },
                               [this](const auto& metadata) { output_->push_metadata(metadata); },
                               [this] { output_->end(); })),
        output_(new StreamOutput) {}

  char* identifier() override { return CORBA::string_dup(id_.c_str()); }

  void initialize() override {
    const PortableServer::ObjectId_var input = poa_->activate_object(input_.in());
    const PortableServer::ObjectId_var output = poa_->activate_object(output_.in());
  }

  CORBA::Object_ptr getPort(const char* name) override {
    if (std::string(name) == "in") return poa_->servant_to_reference(input_.in());
    if (std::string(name) == "out") return poa_->servant_to_reference(output_.in());
    throw CF::PortSupplier::UnknownPort();
  }

  void configure(const CF::Properties& properties) override {
    CF::Properties invalid;
    const std::lock_guard lock(mutex_);
    for (CORBA::ULong i = 0; i < properties.length(); ++i) {
      if (set(properties[i])) continue;
      invalid.length(invalid.length() + 1);
      invalid[invalid.length() - 1] = properties[i];
    }
    if (invalid.length() == 0) return;
    if (invalid.length() < properties.length()) throw CF::PropertySet::PartialConfiguration(invalid);
    throw CF::PropertySet::InvalidConfiguration("no such property, or a value of another type", invalid);
  }

  void query(CF::Properties& properties) override {
    if (properties.length() == 0) {
      properties.length(4);
      const char* const ids[] = {"level", "offset", "enabled", "label"};
      for (CORBA::ULong i = 0; i < 4; ++i) properties[i].id = ids[i];
    }
    const std::lock_guard lock(mutex_);
    for (CORBA::ULong i = 0; i < properties.length(); ++i) get(properties[i]);
  }

  void runTest(CORBA::ULong, CF::Properties&) override { throw CF::TestableObject::UnknownTest(); }

  void start() override {
    {
      const std::lock_guard lock(mutex_);
      std::printf("level %g, offset %d, enabled %d, label '%s'\n", static_cast<double>(settings_.level),
                  static_cast<int>(settings_.offset), settings_.enabled ? 1 : 0, settings_.label.c_str());
    }
    std::fflush(stdout);
    input_->start();
    if (generate_ != 0 && !generator_.joinable()) {
      stopping_ = false;
      generator_ = std::thread([this] { generate(); });
    }
  }

  void stop() override {
    input_->stop();
    stopping_ = true;
    if (generator_.joinable()) generator_.join();
  }

  void releaseObject() override {
    stop();
    input_->close();
    for (PortableServer::ServantBase* servant : {static_cast<PortableServer::ServantBase*>(input_.in()),
                                                 static_cast<PortableServer::ServantBase*>(output_.in()),
                                                 static_cast<PortableServer::ServantBase*>(this)}) {
      const PortableServer::ObjectId_var object = poa_->servant_to_id(servant);
      poa_->deactivate_object(object);
    }
    if (!stays_) orb_->shutdown(false);
  }

 private:
  bool set(const CF::DataType& property) {
    const std::string id = property.id.in();
    const char* label = nullptr;
    if (id == "level") return property.value >>= settings_.level;
    if (id == "offset") return property.value >>= settings_.offset;
    if (id == "enabled") return property.value >>= CORBA::Any::to_boolean(settings_.enabled);
    if (id != "label" || !(property.value >>= label)) return false;
    settings_.label = label;
    return true;
  }

  void get(CF::DataType& property) {
    const std::string id = property.id.in();
    if (id == "level") {
      property.value <<= settings_.level;
    } else if (id == "offset") {
      property.value <<= settings_.offset;
    } else if (id == "enabled") {
      property.value <<= CORBA::Any::from_boolean(settings_.enabled);
    } else if (id == "label") {
      property.value <<= settings_.label.c_str();
    } else {
      CF::Properties unknown;
      unknown.length(1);
      unknown[0] = property;
      throw CF::UnknownProperties(unknown);
    }
  }

  void generate() {
    orbweaver::stream::Floats samples;
    samples.length(kRampSamples);
    CORBA::ULong next = 0;
    for (unsigned long packet = 0; packet < generate_ && !stopping_; ++packet) {
      for (CORBA::ULong i = 0; i < kRampSamples; ++i)
        samples[i] = static_cast<CORBA::Float>(next++ % kRampModulus);
      output_->push(samples, 8000);
    }
    if (!stopping_) output_->end();
  }

  const std::string id_;
  const unsigned long generate_;
  const bool stays_;
  CORBA::ORB_var orb_;
  PortableServer::POA_var poa_;
  PortableServer::Servant_var<StreamInput> input_;
  PortableServer::Servant_var<StreamOutput> output_;
  std::mutex mutex_;
  Settings settings_;
  std::atomic<bool> stopping_{false};
  std::thread generator_;
};

using Arguments = std::map<std::string, std::string>;

/// The exec params. The core framework gives those of the standard and those of the PRF, and no others.
Arguments exec_params(int argc, char** argv) {
  Arguments arguments{{"generate", "0"}, {"stays", "false"}};
  for (int i = 1; i < argc; i += 2) {
    const std::string id = argv[i];
    if (id != "NAMING_CONTEXT_IOR" && id != "NAME_BINDING" && id != "COMPONENT_IDENTIFIER" &&
        id != "generate" && id != "stays")
      throw std::runtime_error("unknown exec param " + id);
    if (i + 1 == argc) throw std::runtime_error("no value of " + id);
    arguments[id] = argv[i + 1];
  }
  return arguments;
}

void run(int argc, char** argv) {
  const char* options[][2] = {{"endPoint", "giop:tcp:127.0.0.1:"},
                              // One-way calls keep their order only if each connection has one thread, and
                              // each receiver one connection.
                              {"threadPerConnectionPolicy", "1"},
                              {"maxServerThreadPerConnection", "1"},
                              {"maxGIOPConnectionPerServer", "1"},
                              {"giopMaxMsgSize", "67108864"},
                              {nullptr, nullptr}};
  const CORBA::ORB_var orb = CORBA::ORB_init(argc, argv, "omniORB4", options);
  const Arguments arguments = exec_params(argc, argv);
  const CORBA::Object_var root = orb->resolve_initial_references("RootPOA");
  const PortableServer::POA_var poa = PortableServer::POA::_narrow(root);
  const PortableServer::POAManager_var manager = poa->the_POAManager();
  manager->activate();

  const PortableServer::Servant_var<Stage> stage =
      new Stage(arguments.at("COMPONENT_IDENTIFIER"), std::stoul(arguments.at("generate")),
                arguments.at("stays") == "true", orb, poa);
  const PortableServer::ObjectId_var id = poa->activate_object(stage.in());
  const CORBA::Object_var self = poa->id_to_reference(id);

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
