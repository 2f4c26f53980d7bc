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

"""The results file of a scenario, made of finished runs, and its origin as a paper states it."""

from collections.abc import Iterable, Iterator
from dataclasses import fields, is_dataclass
import hashlib
from importlib import metadata
import os
from pathlib import Path
import platform
import shlex
import subprocess
import sys
from typing import Any

from leader_election_lab.experiment import scenario as scenarios
from leader_election_lab.experiment.scenario import Scenario
from leader_election_lab.experiment.schema import Entrant
from leader_election_lab.runs import results, sources
from leader_election_lab.runs.files import path_of, ResultError, RESULTS
from leader_election_lab.runs.store import chosen, Digests, digests, finished, keys_of, read
import xarray
import yaml

MADE_OF = 'made_of'
"""The attribute of results with a digest of the names of the runs that they are made of."""


def collect(scenario: Scenario, folder: Path, digests: Digests) -> xarray.Dataset:
    """
    Return all finished runs of a scenario, at least one, and write them to its results file.

    :param digests: the fingerprints of the scenario.
    :raises ResultError: if a file cannot be read or written.
    """
    path = path_of(folder, scenario.name)
    keys = sorted(keys_of(finished(folder, scenario.name), digests))
    places = [(str(digests[key[:2]]), key.seed) for key in keys]
    made_of = hashlib.sha256(repr((scenario.text, places)).encode()).hexdigest()[:16]
    if path.exists():
        dataset = results.load(path)
        if dataset.attrs.get(MADE_OF) == made_of:
            return dataset
    labels = {key.algorithm for key in keys}
    dataset = results.empty(
        scenario, [each.label for each in scenario.entrants if each.label in labels],
        sorted({key.seed for key in keys}))
    results.put(dataset, zip(keys, read(folder, scenario.name, places)))
    pieces = [piece for entrant in scenario.entrants for piece in chosen(scenario, entrant)]
    results.save(dataset.assign_attrs({MADE_OF: made_of, **attributes(
        scenario, pieces)}), scenario, path, digests)
    return results.load(path)


def kept(name_or_path: str | Path, folder: Path | str = RESULTS) -> xarray.Dataset:
    """
    Return the kept results of a scenario.

    :param name_or_path: the path of a scenario's file, or the name of a scenario of the package.
        The name of any other results in the folder is allowed, which are then not checked.
    :param folder: of the results (see :mod:`leader_election_lab.runs.results`).
    :raises ResultError: if there are none, or they are of another scenario or version. The text
        has the command to run.
    :raises ScenarioError: if the scenario's file is missing or its content is not allowed.
    """
    name_or_path, folder = str(name_or_path), Path(folder)
    if name_or_path.endswith(scenarios.SUFFIXES) or name_or_path in scenarios.names():
        return kept_of(scenarios.load(name_or_path), folder, name_or_path)
    path = path_of(folder, name_or_path)
    if Path(name_or_path).name != name_or_path or not path.exists():
        raise ResultError(
            f'there are no results {name_or_path!r} in {folder}; it takes the path of a scenario '
            f'such as {Path(name_or_path).name}.yaml')
    return results.load(path)


def kept_of(scenario: Scenario, folder: Path, argument: str) -> xarray.Dataset:
    """
    Return the kept results of a scenario that is loaded already.

    :param argument: its name on the command line, for the error text.
    """
    path = path_of(folder, scenario.name)
    if not path.exists():
        raise ResultError(f'{path} is not there; it is made by: lab run {argument}')
    return check_current(results.load(path), scenario, path)


def check_current(dataset: xarray.Dataset, scenario: Scenario, path: Path) -> xarray.Dataset:
    """
    Return results that were read from a path, if all are of this scenario and the present code.

    :raises ResultError: if some are not.
    """
    now = results.fingerprints(results.empty(scenario, [e.label for e in scenario.entrants], []),
                               digests(scenario))
    then = dataset['fingerprint']
    if now.dims != then.dims or not now.reindex_like(then, fill_value='').equals(then):
        raise ResultError(f'{path} holds runs of another text of the scenario, or of other code; '
                          'lab run keeps them, and runs again what is missing')
    return dataset


def attributes(scenario: Scenario, chosen: Iterable[Any]) -> dict[str, str]:
    """
    Return the attributes of results that say what they were made with.

    :param chosen: the functions and classes that the scenario chooses by name.
    """
    return {'effective': effective(scenario), 'package': package(),
            'plug_ins': '\n'.join(plug_ins(chosen)), 'machine': machine(), 'command': command()}


def machine() -> str:
    """Return a description of this machine: processor, usable cores, system."""
    processor = platform.processor() or platform.machine()
    cpuinfo = Path('/proc/cpuinfo')
    if cpuinfo.exists():
        names = [line.partition(':')[2].strip()
                 for line in cpuinfo.read_text(encoding='utf-8').splitlines()
                 if line.startswith('model name')]
        processor = names[0] if names else processor
    cores = len(os.sched_getaffinity(0))
    return f'{processor}, {cores} core{"" if cores == 1 else "s"}, {platform.system()}'


def command() -> str:
    """Return the command line of this process."""
    program, *arguments = sys.argv or ['']
    return shlex.join([*Path(program).name.split(), *arguments])


def commit(folder: Path) -> str:
    """
    Return the git commit of a folder as text, which is empty if git does not track it.

    Where a file was changed after the commit, the text says so.
    """
    def git(*arguments: str) -> str:
        ran = subprocess.run(['git', '-C', str(folder), *arguments], capture_output=True,
                             encoding='utf-8', errors='replace')
        return ran.stdout.strip() if ran.returncode == 0 else ''
    try:
        if not git('ls-files', '--', '*.py'):
            return ''
        changed = ' with changes' if git('status', '--porcelain', '--', '.') else ''
        return f'commit {git("rev-parse", "HEAD")}{changed}'
    except OSError:
        return ''


def described(name: str, version: str, digest: str, folder: Path | None) -> str:
    """Return a package as one line: name, version, digest of its sources, and git commit."""
    place = commit(folder) if folder is not None else ''
    return ', '.join(filter(None, (f'{name} {version}'.strip(), f'sources {digest}', place)))


def plug_ins(pieces: Iterable[Any]) -> Iterator[str]:
    """
    Yield a line for each package of users with code that a scenario chooses.

    :param pieces: functions and classes.
    """
    done = set()
    for piece in pieces:
        name, files = piece.__module__.split('.')[0], sources.sources_of(piece)
        if name in done or any(map(sources.is_own, files)):
            continue
        done.add(name)
        # It reads the metadata of all that is installed: half a second.
        known = metadata.packages_distributions().get(name)
        version = metadata.version(known[0]) if known else ''
        folder = files[0].parent if files else None
        yield described(name, version, sources.digest(files) if files else 'of no file', folder)


def package() -> str:
    """Return this package as one line."""
    version, _, digest = sources.of_package().partition(', ')
    return described('leader_election', version, digest, sources.PACKAGE)


def effective(scenario: Scenario) -> str:
    """Return all values of a scenario, with the defaults that it does not mention, as YAML."""
    kinds = [{'kind': group.topology.name, **_values(group.parameters), **_values(group.member)}
             for group in scenario.groups]
    sections: dict[str, Any] = {name: _values(getattr(scenario, name)) for name in (
        'messages', 'rounds', 'strength', 'localisation', 'sensor', 'measure')}
    text: str = yaml.safe_dump({
        'algorithms': [_of_entrant(entrant) for entrant in scenario.entrants], 'devices': kinds,
        'motion': {'kind': scenario.motion.name, 'tick': scenario.tick,
                   **_values(scenario.motion_parameters)}, **sections,
        'events': [{'kind': event.name, **_values(values)} for event, values in scenario.events]},
        sort_keys=False, default_flow_style=None, width=100)
    return text


def _of_entrant(entrant: Entrant) -> dict[str, Any]:
    own: dict[str, Any] = {'name': entrant.algorithm.name, 'label': entrant.label,
                           **dict(entrant.settings)}
    if entrant.algorithm.levels:
        own['levels'] = entrant.algorithm.levels
    if entrant.weakest:
        own['wins'] = 'weakest'
    return own if entrant.regions is None else own | {'regions': _values(entrant.regions)}


def _values(parameters: Any) -> dict[str, Any]:
    """Return the parameters of a dataclass in plain types."""
    return {field.name: list(value) if isinstance(value := getattr(parameters, field.name), tuple)
            else value for field in (fields(parameters) if is_dataclass(parameters) else ())}
