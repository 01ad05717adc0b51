// liquid-dsp's header. Its complex type is the C++ one only where <complex> comes first.
#pragma once

#include <complex>
//
#include <liquid/liquid.h>
