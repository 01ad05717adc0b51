#pragma once

#include <orbweaver/orb.h>

#include <functional>
#include <map>
#include <memory>
#include <mutex>

#include "orb/core.h"

namespace orbweaver::orb {

/// Implementation of CORBA::ORB. Thread-safe.
class OrbImpl final : public CORBA::ORB {
 public:
  using ObjectRef = CORBA::object_reference<CORBA::Object>;

  OrbImpl(std::string id, Options options);

  std::string id() override { return id_; }
  std::string object_to_string(const ObjectRef& object) override;
  ObjectRef string_to_object(const std::string& text) override;
  ObjectRef resolve_initial_references(const std::string& name) override;
  void register_initial_reference(const std::string& name, const ObjectRef& object) override;
  std::vector<std::string> list_initial_services() override;
  void run() override;
  void shutdown(bool wait) override;
  void destroy() override;
  bool work_pending() override;
  void perform_work() override;

  const std::shared_ptr<Core>& core() const noexcept { return core_; }
  /// Registers an initial reference that `make` creates when `name` is first resolved. Used for RootPOA,
  /// which is implemented in src/poa.
  void provide(const std::string& name, std::function<ObjectRef()> make);
  /// Registers a function that `destroy` calls after the shutdown.
  void on_destroy(std::function<void()> call) { on_destroy_ = std::move(call); }

 private:
  ObjectRef resolve_name(const ObjectRef& context, const std::string& name);
  ObjectRef from_file(const std::string& url);

  const std::string id_;
  std::shared_ptr<Core> core_;
  std::mutex mutex_;
  std::map<std::string, ObjectRef> initial_;
  std::map<std::string, std::function<ObjectRef()>> providers_;
  std::function<void()> on_destroy_;
};

}  // namespace orbweaver::orb
