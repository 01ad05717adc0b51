// Asynchronous functions of stubs, and skeletons of servants that answer later.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "idlc/cpp/cpp_generator.h"
#include "idlc/testing/check.h"

namespace orbweaver::idl::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string made(std::string_view name, std::string_view idl, const CppOptions& options) {
  CompiledIdl accepted(idl);
  Diagnostics diagnostics;
  for (const OutputFile& file : generate_cpp(accepted.unit(), diagnostics, options)) {
    if (file.name == name) return file.text();
  }
  ADD_FAILURE() << "no " << name;
  return "";
}
CppOptions with_ami() {
  CppOptions options;
  options.ami = true;
  return options;
}
CppOptions with_amh() {
  CppOptions options;
  options.amh = true;
  return options;
}

constexpr std::string_view kAmiIdl =
    "module M { interface I { attribute long x; oneway void note(); "
    "string f(in long a, inout long b, out double c, @view in sequence<octet> v); }; };";

TEST(AsynchronousCalls, AreGeneratedOnRequestOnly) {
  for (const char* file : {"testC.h", "testC.cpp", "testS.h"}) {
    const std::string text = made(file, kAmiIdl, {});
    for (const char* word : {"sendc_", "async_", "AMI_", "AMH_"}) EXPECT_THAT(text, Not(HasSubstr(word)));
  }
}

TEST(AsynchronousCalls, TakeTheArgumentsThatTravelToTheServer) {
  const std::string header = made("testC.h", kAmiIdl, with_ami());
  EXPECT_THAT(header,
              HasSubstr("::orbweaver::Future<std::tuple<std::string, std::int32_t, double>> async_f("));
  EXPECT_THAT(header, HasSubstr("::orbweaver::Future<void> async_set_x(std::int32_t _value);"));
  EXPECT_THAT(header, HasSubstr("virtual void get_x(std::int32_t _ami_return_val) = 0;"));
  EXPECT_THAT(header, HasSubstr("using poller_ref_type = object_reference<::M::AMI_IPoller>;"));
  EXPECT_THAT(header, Not(HasSubstr("sendc_note")));
  EXPECT_THAT(made("testC.cpp", kAmiIdl, with_ami()),
              HasSubstr("::orbweaver::async_arguments(a, b, ::orbweaver::owned(v))"));
}

TEST(AsynchronousCalls, LeaveOutOperationsWithNativeTypes) {
  constexpr std::string_view idl =
      "native N; valuetype V { public long x; }; interface A { void f(in N given); V g(in V given); };";
  const std::string header = made("testC.h", idl, with_ami());
  EXPECT_THAT(header, HasSubstr("async_g("));
  EXPECT_THAT(header, Not(HasSubstr("async_f(")));
}

TEST(AsynchronousCalls, HaveReplyHandlersThatAreObjects) {
  EXPECT_THAT(made("testS.h", kAmiIdl, with_ami()),
              HasSubstr("extern const ::orbweaver::Operation excep_get_x;"));
  const std::string source = made("testC.cpp", kAmiIdl, with_ami());
  EXPECT_THAT(source, HasSubstr("::orbweaver::Operation reply_get_x{\"get_x\", 5, false, nullptr, 0};"));
  EXPECT_THAT(source, HasSubstr("kInterface{\"IDL:M/AMI_IHandler:1.0\", kAncestors, 2};"));
}

TEST(AsynchronousCalls, HaveOtherNamesThanOperations) {
  const std::string header =
      made("testC.h", "module M { interface AMI_IHandler {}; interface I { void f(); void async_f(); }; };",
           with_ami());
  EXPECT_THAT(header, HasSubstr("::orbweaver::Future<void> ami_async_f();"));
  EXPECT_THAT(header, HasSubstr("::orbweaver::Future<void> async_async_f();"));
  EXPECT_THAT(header, HasSubstr("class AMI_AMI_IHandler"));
}

TEST(ServantsThatAnswerLater, HaveSkeletonsOfAbstractBases) {
  const std::string header =
      made("testS.h", "abstract interface A { void f(); }; interface B : A {};", with_amh());
  EXPECT_THAT(header, HasSubstr("class AMH_A : public virtual ::PortableServer::Servant"));
  EXPECT_THAT(header, HasSubstr("class AMH_B : public virtual ::POA::AMH_A"));
}

TEST(ServantsThatAnswerLater, GetAResponseForEachOperationWithAReply) {
  const std::string header = made("testS.h", kAmiIdl, with_amh());
  EXPECT_THAT(header, HasSubstr("class AMH_I : public virtual ::PortableServer::Servant"));
  EXPECT_THAT(header, HasSubstr("f(::orbweaver::Response<std::string, std::int32_t, double> _response,"));
  EXPECT_THAT(header,
              HasSubstr("virtual void set_x(::orbweaver::Response<> _response, std::int32_t _value)"));
  EXPECT_THAT(header, HasSubstr("virtual void note() = 0;"));
  EXPECT_THAT(header, HasSubstr("struct amh_traits<::M::I>"));
}

}  // namespace
}  // namespace orbweaver::idl::testing
