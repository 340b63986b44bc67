#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Other simulators' predictions of training runs (traces/peers), and how set-ups are written for others."""
import sys
import unittest
from pathlib import Path

TRACES = Path(__file__).resolve().parents[2] / "traces"
sys.path[:0] = [str(TRACES / "published"), str(TRACES / "peers")]
sys.dont_write_bytecode = True

import calculon  # noqa: E402
import llm_analysis  # noqa: E402
import score  # noqa: E402
from training_rows import layout_of, model_of  # noqa: E402

DATA = score.read(str(TRACES / "published/training.csv"), ["id"])
ROWS = {row["id"]: row for row in DATA}


class Tables(unittest.TestCase):
    def test_every_table_is_of_rows_of_the_data_and_says_what_made_it(self):
        paths = sorted((TRACES / "peers").glob("*_training.csv"))
        self.assertEqual([path.name for path in paths], 
                         ["calculon_training.csv", "llm_analysis_training.csv", "simumax_training.csv"])
        for path in paths:
            predictions = score.read_predictions(str(path), DATA)
            self.assertTrue(all(row["predicted"] for row in predictions))
            self.assertEqual(score.scored(DATA, predictions)["all"]["rows"],
                             sum(ROWS[row["id"]]["counts"] == "1" for row in predictions))
            self.assertRegex(path.read_text(encoding="utf-8"), r"^(# .*\n)*# .*@[0-9a-f]{7}\b")

    def test_a_peer_predicts_every_row_that_it_can_express(self):
        for peer in (calculon, llm_analysis):
            predicted = [row["id"] for row in score.read(str(TRACES / f"peers/{peer.__name__}_training.csv"), ["id"])]
            self.assertEqual(predicted, [row["id"] for row in DATA if peer.why_not(row) is None], peer.__name__)

    def test_simumax_rates_are_tokens_of_a_step_over_its_time(self):
        rows = score.read(str(TRACES / "peers/simumax_training.csv"), ["id", "predicted", "step_ms"])
        self.assertEqual([row["id"] for row in rows], [row["id"] for row in DATA if row["fold"] == "simumax"])
        for row in rows:
            run = ROWS[row["id"]]
            tokens = layout_of(run)["batch"] * model_of(run)["sequence"] / int(run["gpus"])
            self.assertAlmostEqual(float(row["predicted"]) * float(row["step_ms"]) / 1e3 / tokens, 1, 5)


class Translation(unittest.TestCase):
    def test_ranks_and_batches_multiply(self):
        for row in DATA:
            if calculon.why_not(row) is None:
                step = calculon.execution(row, model_of(row))
                ranks = step["tensor_par"] * step["pipeline_par"] * step["data_par"]
                self.assertEqual(ranks, int(row["gpus"]), row["id"])
                self.assertEqual(step["batch_size"] % (step["data_par"] * step["microbatch_size"]), 0, row["id"])

    def test_matrices_of_a_layer_have_as_many_weights(self):
        # Hidden 4096, SwiGLU of 14336: 3 x 4096 x 14336 weights, those of two matrices that are 21504 wide.
        model = model_of(ROWS["dgxc/8b_cp2asdp/8"])
        layer = calculon.application(model)
        self.assertEqual(2 * layer["hidden"] * layer["feedforward"], 3 * 4096 * 14336)
        # A GELU stays: 2304 and 9216.
        self.assertEqual(calculon.application(model_of(ROWS["sc21_a100/1.7b/32"]))["feedforward"], 9216)

    def test_batches_of_llm_analysis_are_those_of_the_row(self):
        for row in DATA:
            if llm_analysis.why_not(row) is None:
                given = llm_analysis.arguments(row, model_of(row))
                replicas = given["total_num_gpus"] // (given["tp_size"] * given["pp_size"])
                self.assertEqual(replicas % given["dp_size"], 0, row["id"])
                self.assertEqual(given["batch_size_per_gpu"] * given["gradient_accumulation_steps"] * replicas,
                                 layout_of(row)["batch"], row["id"])

    def test_only_ranks_that_share_weights_are_sharded(self):
        rows = {"sc21_a100/18b/256": 1, "mpt_a100_80/mpt_70b/64": 64, "paxml/5b/32": 8}  # ZeRO 0, 3, 3 in nodes of 8
        for name, sharded in rows.items():
            self.assertEqual(llm_analysis.arguments(ROWS[name], model_of(ROWS[name]))["dp_size"], sharded, name)

    def test_flags_become_fields(self):
        row = ROWS["dgxc/gpt175b/128"]  # --zero 1 --sequence-parallel on --tp 4 --pp 8 --overlap all
        step = calculon.execution(row, model_of(row))
        self.assertEqual((step["data_par"], step["batch_size"]), (128 // 4 // 8, 64 * 4))
        self.assertEqual((step["tensor_par_comm_type"], step["tensor_par_overlap"]), ("rs_ag", "ring"))
        self.assertTrue(step["optimizer_sharding"] and step["data_par_overlap"] and step["seq_par_ag_redo"])
        row = ROWS["sc21_a100/18b/256"]  # --zero 0 --tp 8, no sequence parallelism, nothing overlaps
        step = calculon.execution(row, model_of(row))
        self.assertEqual((step["tensor_par_comm_type"], step["tensor_par_overlap"]), ("ar", "none"))
        self.assertFalse(step["optimizer_sharding"] or step["data_par_overlap"] or step["seq_par_ag_redo"])

    def test_output_layer_share(self):
        # Without attention over others (sequence 0): one layer of 4 x 8 x 8 + 2 x 8 x 32, an output of 8 x 96.
        model = {"heads": 2, "head_width": 4, "kv_heads": 2, "hidden": 8, "feed_forward": 32, "layers": 1,
                 "feed_forward_kind": "gelu", "vocabulary": 96, "sequence": 0}
        self.assertAlmostEqual(calculon.output_share(model), 768 / (768 + 256 + 512))


if __name__ == "__main__":
    unittest.main()
