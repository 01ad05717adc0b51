#pragma once

#include <orbweaver/bytes.h>
