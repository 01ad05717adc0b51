#pragma once

#include <orbweaver/limits.h>
