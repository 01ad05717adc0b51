#pragma once

/// Amplitude ratio of a level in decibels: 10^(db / 20).
double amplitude_of_db(double db);
/// Level in decibels of an amplitude ratio, which must be greater than 0.
double db_of_amplitude(double amplitude);
