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
The laboratory: how the robots' own algorithms behave while the world moves.

The names in ``__all__`` are for scripts and notebooks (``import leader_election_lab as lab``). All
other modules may change from one version to the next. Each name is imported when it is first used.
"""

from pathlib import Path
from typing import Any, TYPE_CHECKING

from leader_election.parameters import registry

if TYPE_CHECKING:
    from leader_election_lab.api import (
        compare,
        figure,
        load,
        load_results,
        means,
        register,
        run,
        write_report,
    )

registry.OWN.add(Path(__file__).resolve().parent)

__all__ = ['compare', 'figure', 'load', 'load_results', 'means', 'register', 'run', 'write_report']


def __getattr__(name: str) -> Any:
    """Import a name of the interface on first use, as only these names need the compiler."""
    if name not in __all__:
        raise AttributeError(f'module {__name__!r} has no attribute {name!r}')
    from leader_election_lab import api
    return getattr(api, name)
