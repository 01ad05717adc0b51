// Includes liquid-dsp's header. <complex> must precede it, so that its complex type is the C++ one.
#pragma once

#include <complex>
//
#include <liquid/liquid.h>
