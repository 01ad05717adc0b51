#include "sca/cf222/domain_state.h"

#include <filesystem>
#include <utility>

#include "naming/naming_records.h"
#include "state/record_file.h"

namespace orbweaver::sca {
namespace {

namespace fs = std::filesystem;

state::SqliteFormat file_format() {
  state::SqliteFormat format;
  format.application_id = 0x4f57444d;  // "OWDM"
  format.content = "state of a domain";
  return format;
}

Result<std::unique_ptr<DomainModel>> open_in(std::unique_ptr<state::RecordStore> store,
                                             const std::string& where) {
  auto model = DomainModel::open(std::move(store));
  if (!model) return Error{model.error().kind, where + ": " + model.error().message};
  return model;
}

class TransientState final : public DomainState {
 public:
  Result<bool> acquire(const platform::Fd&, const Told&, Told) override { return true; }
  Result<std::unique_ptr<DomainModel>> open_model() override {
    return DomainModel::open(state::make_memory_records());
  }
  Result<naming::NamingFile> open_names() override { return naming::NamingFile(); }
  bool excludes_others() const override { return false; }
  void release() noexcept override {}
  std::string text() const override { return "state is lost when it ends"; }
};

class FileState final : public DomainState {
 public:
  explicit FileState(std::string path) : path_(std::move(path)) {}

  Result<bool> acquire(const platform::Fd&, const Told&, Told) override { return true; }
  Result<std::unique_ptr<DomainModel>> open_model() override {
    auto store = state::open_record_file(path_, file_format());
    if (!store) return store.take_error();
    return open_in(std::move(*store), path_);
  }
  Result<naming::NamingFile> open_names() override {
    const fs::path path(path_);
    return naming::open_naming_file(path.parent_path() /
                                    (path.stem().string() + "-names" + path.extension().string()));
  }
  bool excludes_others() const override { return false; }
  void release() noexcept override {}
  std::string text() const override { return "state in " + path_; }

 private:
  const std::string path_;
};

class SharedDomainState final : public DomainState {
 public:
  explicit SharedDomainState(std::unique_ptr<state::SharedState> state) : state_(std::move(state)) {}

  Result<bool> acquire(const platform::Fd& cancelled, const Told& waiting, Told lost) override {
    return state_->lead(cancelled, waiting, std::move(lost));
  }
  Result<std::unique_ptr<DomainModel>> open_model() override {
    return open_in(state_->open("records"), state_->text());
  }
  Result<naming::NamingFile> open_names() override {
    return naming::open_naming_records(state_->open("names"), state_->text());
  }
  bool excludes_others() const override { return true; }
  void release() noexcept override { state_->resign(); }
  std::string text() const override { return "state in " + state_->text(); }

 private:
  const std::unique_ptr<state::SharedState> state_;
};

}  // namespace

std::unique_ptr<DomainState> make_file_state(const std::string& path) {
  if (path.empty()) return std::make_unique<TransientState>();
  return std::make_unique<FileState>(path);
}

std::unique_ptr<DomainState> make_shared_domain_state(std::unique_ptr<state::SharedState> state) {
  return std::make_unique<SharedDomainState>(std::move(state));
}

}  // namespace orbweaver::sca
