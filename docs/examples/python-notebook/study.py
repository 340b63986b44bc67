# SPDX-License-Identifier: Apache-2.0
# %% [markdown]
# A 3-bit codec against SDP4Bit in a cluster, and against SparseLoCo between sites.

# %%
from pathlib import Path
from typing import Any, Tuple

import gardenhose
import gardenhose_codecs
import numpy

# %% [markdown]
# The codec: seven levels, and a scale for each group of 128 values.


# %%
def encode(values: Any) -> Tuple[Any, Any]:
    groups = numpy.pad(values, (0, -values.size % 128)).reshape(-1, 128)
    scales = numpy.abs(groups).max(axis=1, keepdims=True) / 3
    levels = numpy.rint(groups / numpy.maximum(scales, 1e-30)).astype(numpy.int8) + 3
    bits = numpy.unpackbits(levels.astype(numpy.uint8)[..., None], axis=-1)[..., 5:]
    return numpy.packbits(bits), scales


def decode(wire: Tuple[Any, Any], elements: int) -> Any:
    bits, scales = wire
    levels = numpy.unpackbits(bits).reshape(-1, 3) @ numpy.array([4, 2, 1], numpy.float32) - 3
    return (levels.reshape(-1, 128) * scales).ravel()[:elements]


card = gardenhose_codecs.card("int3.toml", encode, decode, summary="3 bits in groups of 128",
                              times="roofline", elements=2**18)
print(f"{card.bits_per_element:.2f} bits, error of one encode {card.error['normal']:.3f}")

# %% [markdown]
# SDP4Bit and SparseLoCo, with this codec in place of their own.

# %%
for scheme, own in ("sdp4bit", "int4_g128_hadamard_sr"), ("sparseloco", "sparseloco"):
    text = gardenhose.list("scheme", scheme).replace(f'codec = "{own}"', 'codec = "int3.toml"')
    Path(f"{scheme}_int3.toml").write_text(text)

cluster = gardenhose.run(topology="dgx_h100_x16", nodes=4, model="gpt_2.7b", overlap="all",
                         set={"network.nic_bandwidth": "100 Gbps"}, attention="fused",
                         scheme=["sharded", "sdp4bit", "sdp4bit_int3.toml"])
sites = gardenhose.run(topology="two_sites_10g", model="gpt_1.3b", attention="fused",
                       scheme=["sparseloco", "sparseloco_int3.toml"])

# %%
for report in [*cluster, *sites]:
    error = report.codec_error.get("normal")
    print(f"{report.scheme:15} {report.tokens_per_s:8.0f} tokens/s, likely "
          f"{report.tokens_per_s_low:.0f} to {report.tokens_per_s_high:.0f}, "
          f"error {error or 0:.3f}")

# %%
cluster  # a notebook shows the reports as a table

# %%
gardenhose.plot(cluster)
