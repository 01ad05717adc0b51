#pragma once

#include <orbweaver/iop.h>

#include <memory>

#include "giop/message.h"

namespace orbweaver::interceptors {

/// The codec factory of one ORB, whose broker makes the references in decoded anys.
class CodecFactoryImpl final : public IOP::CodecFactory {
 public:
  explicit CodecFactoryImpl(std::shared_ptr<cdr::Broker> broker) : broker_(std::move(broker)) {}
  CORBA::object_reference<IOP::Codec> create_codec(const IOP::Encoding& enc) override;

 private:
  const std::shared_ptr<cdr::Broker> broker_;
};

}  // namespace orbweaver::interceptors
