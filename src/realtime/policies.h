#pragma once

#include <orbweaver/rtcorba.h>

#include <utility>

/// The policies of Real-time CORBA, which are immutable.
namespace orbweaver::realtime {

class ThreadPool;

class PriorityModelPolicyImpl final : public RTCORBA::PriorityModelPolicy {
 public:
  PriorityModelPolicyImpl(RTCORBA::PriorityModel model, RTCORBA::Priority server_priority)
      : model_(model), server_priority_(server_priority) {}
  CORBA::PolicyType policy_type() const override { return RTCORBA::PRIORITY_MODEL_POLICY_TYPE; }
  RTCORBA::PriorityModel priority_model() const noexcept override { return model_; }
  RTCORBA::Priority server_priority() const noexcept override { return server_priority_; }

 private:
  const RTCORBA::PriorityModel model_;
  const RTCORBA::Priority server_priority_;
};

class ThreadpoolPolicyImpl final : public RTCORBA::ThreadpoolPolicy {
 public:
  explicit ThreadpoolPolicyImpl(RTCORBA::ThreadpoolId id) : id_(id) {}
  CORBA::PolicyType policy_type() const override { return RTCORBA::THREADPOOL_POLICY_TYPE; }
  RTCORBA::ThreadpoolId threadpool() const noexcept override { return id_; }

 private:
  const RTCORBA::ThreadpoolId id_;
};

class PrivateConnectionPolicyImpl final : public RTCORBA::PrivateConnectionPolicy {
 public:
  CORBA::PolicyType policy_type() const override { return RTCORBA::PRIVATE_CONNECTION_POLICY_TYPE; }
};

class PriorityBandedConnectionPolicyImpl final : public RTCORBA::PriorityBandedConnectionPolicy {
 public:
  explicit PriorityBandedConnectionPolicyImpl(RTCORBA::PriorityBands bands) : bands_(std::move(bands)) {}
  CORBA::PolicyType policy_type() const override { return RTCORBA::PRIORITY_BANDED_CONNECTION_POLICY_TYPE; }
  RTCORBA::PriorityBands priority_bands() const override { return bands_; }

 private:
  const RTCORBA::PriorityBands bands_;
};

}  // namespace orbweaver::realtime
