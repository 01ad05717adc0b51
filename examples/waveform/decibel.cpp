#include "decibel.h"

#include <cmath>

double amplitude_of_db(double db) { return std::pow(10.0, db / 20.0); }
double db_of_amplitude(double amplitude) { return 20.0 * std::log10(amplitude); }
