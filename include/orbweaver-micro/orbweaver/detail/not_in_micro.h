#pragma once

/// Marks a function of the standard that the micro library does not have: a program that calls it does not
/// compile, with this text. `TEXT`: what is missing.
#define ORBWEAVER_NOT_IN_MICRO(TEXT) \
  __attribute__((error("the micro library has no " TEXT "; see docs/micro.md")))
