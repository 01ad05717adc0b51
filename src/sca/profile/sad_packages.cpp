// The packages of an assembly, without what is not supported.
#include <algorithm>

#include "sca/profile/edition.h"
#include "sca/profile/sad_parts.h"
#include "sca/profile/sad_reader.h"

namespace orbweaver::sca {
namespace {

/// Removes from a package what is not supported, and warns.
class Restriction {
 public:
  Restriction(Assembly& assembly, const Element& file, const Profiles& profiles, AssemblyUse use)
      : assembly_(assembly), file_(file), profiles_(profiles), use_(use) {}

  void apply(SoftwarePackage& package) {
    check_type(package);
    keep_code(package);
    for (const Implementation& implementation : package.implementations) add_dependencies(implementation, 0);
  }

 private:
  [[noreturn]] void not_supported(const std::string& what, const std::string& advice) const {
    fail_not_supported(file_, what, advice, use_);
  }

  void check_type(const SoftwarePackage& package) const {
    if (!package.has_component)
      not_supported("a package without an SCD (" + package.file + ")", "remove its component");
    const std::string& type = package.component.type;
    if (type != "resource" && !is_factory(package.component) && !is_sca41(package.component))
      not_supported(
          "a component of type '" + type + "' (" + package.component.file + ")",
          "only 'resource', 'resourcefactory', 'applicationcomponent' and 'componentfactory' can be "
          "deployed");
  }

  void keep_code(SoftwarePackage& package) const {
    std::string reason = "the package has no <implementation>";
    std::erase_if(package.implementations, [&](const Implementation& implementation) {
      const bool is_code =
          implementation.code == CodeType::executable || implementation.code == CodeType::shared_library;
      const std::string unsupported = use_ == AssemblyUse::run ? implementation.unsupported : "";
      if (is_code && unsupported.empty()) return false;
      reason = is_code ? unsupported : "code of type KernelModule or Driver";
      return true;
    });
    if (package.implementations.empty())
      not_supported(package.file + ": " + reason, "remove it, or add an implementation without it");
  }

  /// Adds the packages that an implementation depends on. Profiles rejects packages that contain themselves.
  void add_dependencies(const Implementation& implementation, int depth) {
    constexpr int kMaxDepth = 64;
    for (const PackageDependency& each : implementation.dependencies) {
      if (depth == kMaxDepth || assembly_.dependencies.contains(each.file)) continue;
      const SoftwarePackage* const package = profiles_.find_package(each.file);
      if (package == nullptr) continue;
      assembly_.dependencies.emplace(each.file, *package);
      for (const Implementation& inner : package->implementations) add_dependencies(inner, depth + 1);
    }
  }

  Assembly& assembly_;
  const Element& file_;
  const Profiles& profiles_;
  const AssemblyUse use_;
};

}  // namespace

void add_package(Assembly& assembly, const Element& file, const SoftwarePackage& package,
                 const SadFiles& files) {
  assembly.packages.push_back(package);
  if (files.use() != AssemblyUse::check)
    Restriction(assembly, file, files.profiles(), files.use()).apply(assembly.packages.back());
}

}  // namespace orbweaver::sca
