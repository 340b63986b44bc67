// SPDX-License-Identifier: Apache-2.0
// The subcommands of gardenhose, one file each. They take the arguments after the subcommand and
// return the exit code.
#pragma once

#include <string>
#include <vector>

namespace apps {

using Arguments = std::vector<std::string>;

int run_command(const Arguments& arguments);
int compare_command(const Arguments& arguments);
int map_command(const Arguments& arguments);
int plan_command(const Arguments& arguments);
int solve_command(const Arguments& arguments);
int sweep_command(const Arguments& arguments);
int export_command(const Arguments& arguments);
int merge_command(const Arguments& arguments);
int serve_command(const Arguments& arguments);
int report_command(const Arguments& arguments);
int check_command(const Arguments& arguments);
int collective_command(const Arguments& arguments);
int bom_command(const Arguments& arguments);
int fit_command(const Arguments& arguments);
int validate_command(const Arguments& arguments);
int list_command(const Arguments& arguments);

}  // namespace apps
