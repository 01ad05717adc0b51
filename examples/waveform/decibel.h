#pragma once

/// Ratios of amplitudes in decibels, as the gain and the level meter use them.
double amplitude_of_db(double db);
/// Of a ratio that is greater than 0.
double db_of_amplitude(double amplitude);
