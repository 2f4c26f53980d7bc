# Copyright 2026 The leader_election authors
#
# Licensed under the Apache License, Version 2.0 (the "License");
# you may not use this file except in compliance with the License.
# You may obtain a copy of the License at
#
#     http://www.apache.org/licenses/LICENSE-2.0
#
# Unless required by applicable law or agreed to in writing, software
# distributed under the License is distributed on an "AS IS" BASIS,
# WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
# See the License for the specific language governing permissions and
# limitations under the License.

"""
Skip test files whose imports need a package that is not installed, such as the laboratory's.

Under a sourced ROS 2 only the packages of package.xml are installed. An error of collection would
end the whole run.
"""

from collections.abc import Iterator
import gc
from importlib.util import find_spec
from typing import Any

from budget import examples
from hypothesis import HealthCheck, settings
import pytest

# The time of an example, and of drawing it, depends on the load of the machine, and networks are
# large.
settings.register_profile('untimed', deadline=None, max_examples=examples(30),
                          suppress_health_check=[
                              HealthCheck.too_slow, HealthCheck.data_too_large,
                              HealthCheck.large_base_example, HealthCheck.filter_too_much])
settings.load_profile('untimed')


@pytest.hookimpl(hookwrapper=True)
def pytest_make_collect_report(collector: pytest.Collector) -> Iterator[None]:
    """Make a skip of a file's import that fails for want of another package."""
    outcome: Any = yield
    report = outcome.get_result()
    error: BaseException | None = report.call.excinfo.value if report.failed else None
    while error is not None and not isinstance(error, ModuleNotFoundError):
        error = error.__cause__
    package = (getattr(error, 'name', None) or '').partition('.')[0]
    # A package that is there lacks the module: an error of the test, or of the package.
    if package and find_spec(package) is None:
        report.outcome = 'skipped'
        report.longrepr = str(collector.path), 1, f'Skipped: not installed: {package}'


@pytest.hookimpl(hookwrapper=True)
def pytest_collection() -> Iterator[None]:
    """
    Collect tests without garbage collection, as there is no garbage but ever more to search.

    What there is then is excluded from it, and from the search for nodes after a test.
    """
    gc.disable()
    yield
    gc.collect()
    gc.freeze()
    gc.enable()


@pytest.fixture
def real_logs() -> str:
    """Return the folder with the logs of five real robots; the test is skipped without it."""
    from benchmarks import real_logs
    from leader_election.parameters import ParameterError
    try:
        return real_logs.real_logs()
    except ParameterError as error:
        pytest.skip(str(error))
