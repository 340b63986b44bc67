// Quantities in SQL: quantity('400 Gbps') in the conditions that people write.
#pragma once

#include "apps/sweep/sql.hpp"

namespace apps {

// Makes quantity('400 Gbps') known to the database's SQL: what quantity_value() has of the text.
void add_quantity(Database& database);

}  // namespace apps
