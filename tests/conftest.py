"""What every test shares: what is not a test, and how property tests are run."""

from hypothesis import HealthCheck, settings

collect_ignore = ["fixtures"]  # projects of users, in thousands of folders

# How long an example takes is the machine's business; a failing one is printed so that it can be repeated.
settings.register_profile("lamina", deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True)
settings.load_profile("lamina")
