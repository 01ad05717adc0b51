#pragma once

#include <orbweaver/result.h>
