#include "tls/openssl.h"

#include <gtest/gtest.h>

namespace orbweaver::tls {
namespace {

TEST(OpensslErrorCode, IsTheNewestThatGivesAReason) {
  ERR_raise(ERR_LIB_SSL, SSL_R_BAD_LENGTH);
  ERR_raise(ERR_LIB_SSL, SSL_R_DECRYPTION_FAILED_OR_BAD_RECORD_MAC);
  ERR_raise(ERR_LIB_SSL, kRecordLayerFailure);
  EXPECT_EQ(ERR_GET_REASON(take_error_code()), SSL_R_DECRYPTION_FAILED_OR_BAD_RECORD_MAC);
  EXPECT_EQ(take_error_code(), 0u) << "the queue is empty";
}

TEST(OpensslErrorCode, IsThatOfTheRecordLayerIfThereIsNoOther) {
  ERR_raise(ERR_LIB_SSL, kRecordLayerFailure);
  EXPECT_EQ(ERR_GET_REASON(take_error_code()), kRecordLayerFailure);
}

}  // namespace
}  // namespace orbweaver::tls
