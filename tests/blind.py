# SPDX-License-Identifier: MIT
"""What tests of truth-blindness compare."""

from typing import Any

import numpy as np

from pocin.kinds import Finished


def told(finished: Finished, *further: Any) -> tuple[object, ...]:
    """Return all that phase 3 gives back, but for the clock; ``further`` are arrays of a kind."""
    arrays = (finished.record, finished.noisy, finished.released, *further)
    return (
        finished.document,
        finished.bilevel,
        finished.reason,
        finished.certificate.own_optimum,
        finished.distance,
        finished.bound,
        finished.diagnostics,
        *(np.asarray(array).tobytes() for array in arrays),
    )
