"""How property tests choose their examples: the same ones in every run, and new ones where that is the purpose.

A change must not fail on an example that was not tried before it, nor on a busy machine: so the suite's examples are
derived from the test alone and have no deadline. `pytest --hypothesis-profile=explore` looks for new ones.
"""

from __future__ import annotations

from hypothesis import HealthCheck, settings

settings.register_profile(
    "repeatable",
    max_examples=60,
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile(
    "explore",
    max_examples=300,
    deadline=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("repeatable")
