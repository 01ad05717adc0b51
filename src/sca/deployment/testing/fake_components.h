#pragma once

#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "CFS.h"
#include "sca/deployment/testing/world.h"
#include "sca/files/testing/served_folder.h"

namespace orbweaver::sca::testing {

class FakePort final : public virtual CORBA::servant_traits<CF::Port>::base_type {
 public:
  FakePort(World& world, std::string name) : world_(world), name_(std::move(name)) {}
  void connectPort(IDL::traits<CORBA::Object>::ref_type, const std::string& id) override {
    world_.call(name_ + " connect " + id);
    world_.add("connection " + id);
  }
  void disconnectPort(const std::string& id) override {
    world_.call(name_ + " disconnect " + id);
    if (!world_.remove("connection " + id)) throw CF::Port::InvalidPort(1, "no such connection");
  }

 private:
  World& world_;
  const std::string name_;
};

/// A component without code of Orbweaver.
template <class Interface>
class FakeComponentOf : public virtual CORBA::servant_traits<Interface>::base_type {
 public:
  FakeComponentOf(World& world, std::string id, std::string process, const TestOrb& orb)
      : world_(world), id_(std::move(id)), name_(id_.substr(0, id_.find(':'))), process_(std::move(process)),
        orb_(orb) {}
  std::string identifier() override { return id_; }
  void initialize() override {
    if (world_.fails(name_ + " initialize")) throw CF::LifeCycle::InitializeError({"no licence"});
    world_.call(name_ + " initialize");
    if (world_.fails(name_ + " initialize_call")) throw CORBA::INTERNAL();
  }
  void releaseObject() override {
    world_.call(name_ + " release");
    world_.remove(process_);
  }
  void runTest(std::uint32_t, CF::Properties&) override { throw CF::TestableObject::UnknownTest(); }
  void configure(const CF::Properties& properties) override {
    const std::string text = name_ + " configure " + text_of_properties(properties);
    for (const CF::DataType& each : properties) {
      if (each.id() == "bad") throw CF::PropertySet::PartialConfiguration({each});
    }
    world_.call(text);
  }
  /// The value of each is "a.gain".
  void query(CF::Properties& properties) override {
    for (CF::DataType& each : properties) each.value(any_of("string", name_ + "." + each.id()));
  }
  IDL::traits<CORBA::Object>::ref_type getPort(const std::string& name) override {
    world_.call(name_ + " getPort " + name);
    if (world_.fails(name_ + " nil " + name)) return nullptr;
    return port(name);
  }
  void start() override { world_.call(name_ + " start"); }
  void stop() override { world_.call(name_ + " stop"); }

 protected:
  /// The object of a port, of which there are those that are asked for.
  IDL::traits<CORBA::Object>::ref_type port(const std::string& name) {
    const std::lock_guard lock(mutex_);
    auto& port = ports_[name];
    if (!port)
      port = orb_.poa->id_to_reference(
          orb_.poa->activate_object(CORBA::make_reference<FakePort>(world_, name_ + "." + name)));
    return port;
  }

  World& world_;
  const std::string id_, name_;

 private:
  const std::string process_;
  const TestOrb& orb_;
  std::mutex mutex_;
  std::map<std::string, IDL::traits<CORBA::Object>::ref_type> ports_;
};

using FakeComponent = FakeComponentOf<CF::Resource>;

/// A resource factory with classes of its own.
class FakeFactory final : public virtual CORBA::servant_traits<CF::ResourceFactory>::base_type {
 public:
  FakeFactory(World& world, std::string id, std::string process, const TestOrb& orb)
      : world_(world), id_(std::move(id)), process_(std::move(process)), orb_(orb) {}
  std::string identifier() override { return id_; }
  IDL::traits<CF::Resource>::ref_type createResource(const std::string& id,
                                                     const CF::Properties& qualifiers) override {
    const std::string call = "factory create " + id + " " + text_of_properties(qualifiers);
    if (world_.fails(call))
      throw CF::ResourceFactory::CreateResourceFailure(CF::ErrorNumberType::CF_ENOENT, "no such class");
    world_.call(call);
    if (world_.fails("factory nil")) return nullptr;
    world_.add("resource " + id);
    return IDL::traits<CF::Resource>::narrow(orb_.poa->id_to_reference(
        orb_.poa->activate_object(CORBA::make_reference<FakeComponent>(world_, id, "", orb_))));
  }
  void releaseResource(const std::string& id) override {
    world_.call("factory releaseResource " + id);
    if (!world_.remove("resource " + id)) throw CF::ResourceFactory::InvalidResourceId();
  }
  void shutdown() override {
    world_.call("factory shutdown");
    world_.remove(process_);
  }

 private:
  World& world_;
  const std::string id_, process_;
  const TestOrb& orb_;
};

}  // namespace orbweaver::sca::testing
