// libpq, the client library of PostgreSQL.
#pragma once
#include <libpq-fe.h>
