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

"""The roster and identity files that the command ``swarm_key`` makes."""

from pathlib import Path

from leader_election.election.identity.roster import public_key
from leader_election.parameters import ParameterError
from leader_election.swarm.fleet.key_command import main
from leader_election.swarm.fleet.key_file import IDENTITY, KeyFile, read_file, ROSTER
import pytest


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return the path of a roster that is not there yet."""
    return tmp_path / 'swarm.roster'


def done(path: Path, *arguments: str) -> None:
    assert main([str(path), *arguments]) == 0


def test_enrolled_robots_have_keys_of_their_own_that_the_owner_has_signed(path, capsys):
    done(path, '--enrol', '1', '2', '--strength', '5')
    done(path, '--enrol', '3', '--leads', 'no', '--until', '2027-01-31')
    roster = read_file(path, ROSTER)
    records = {robot: signed.record for robot, signed in roster.records.items()}
    for robot in (1, 2, 3):
        file = path.with_name(f'swarm.roster.{robot}.key')
        assert file.stat().st_mode & 0o777 == 0o600
        keys = read_file(file, IDENTITY)
        assert (keys.robot, keys.owner) == (robot, roster.owner)
        assert public_key(keys.seed) == records[robot].key
        assert keys.seed.hex() not in path.read_text() + capsys.readouterr().out
    assert [records[robot].strength for robot in (1, 2)] == [5.0, 5.0]
    done(path, '--roster')
    assert capsys.readouterr().out.splitlines()[2] == (
        '3: may not lead, until 2027-01-31 00:00 UTC')
    assert path.with_name('swarm.roster.owner').stat().st_mode & 0o777 == 0o600


def test_a_renewed_or_revoked_robot_has_a_newer_record_with_the_same_key(path):
    done(path, '--enrol', '1', '--strength', '5')
    before = read_file(path, ROSTER).records[1].record
    done(path, '--renew', '1', '--leads', 'no')
    renewed = read_file(path, ROSTER).records[1].record
    assert renewed == before._replace(leads=False, version=renewed.version)
    done(path, '--revoke', '1')
    revoked = read_file(path, ROSTER).records[1].record
    assert revoked == renewed._replace(revoked=True, version=revoked.version)
    assert before.version < renewed.version < revoked.version


@pytest.mark.parametrize(('arguments', 'error'), [
    (['--enrol', '1'], 'is enrolled already: --renew'), (['--renew', '2'], 'not enrolled'),
    (['--revoke', '2'], 'not enrolled'), (['--renew', '3'], 'is revoked: --enrol')])
def test_a_step_that_does_not_fit_is_refused_and_changes_nothing(path, capsys, arguments, error):
    done(path, '--enrol', '1', '3')
    done(path, '--revoke', '3')
    before = path.read_text()
    assert main([str(path), *arguments]) == 2
    assert error in capsys.readouterr().err and path.read_text() == before


def test_a_lost_robot_is_enrolled_again_with_another_key(path):
    done(path, '--enrol', '1')
    lost = read_file(path, ROSTER).records[1].record.key
    done(path, '--revoke', '1')
    done(path, '--enrol', '1')
    assert read_file(path, ROSTER).records[1].record.key != lost


def test_a_changed_digit_of_a_roster_is_found(path):
    done(path, '--enrol', '1')
    text = path.read_text()
    for at in (text.index('\nowner ') + 8, text.index('record ') + 9, len(text) - 5):
        path.write_text(text[:at] + ('1' if text[at] == '0' else '0') + text[at + 1:])
        with pytest.raises(ParameterError, match='record 1 is not one that the owner has signed'):
            read_file(path, ROSTER)
    path.write_text(text)
    watched = KeyFile(str(path), ROSTER)
    path.write_text(text[:-5])
    assert watched.changed() and watched.content.records.keys() == {1} and watched.error


@pytest.mark.parametrize('arguments', [
    ['--revoke', '1', '--strength', '2'], ['--enrol', '-1'], ['--enrol', '1', '--strength', 'nan'],
    ['--enrol', '1', '--until', '1969-01-01'], ['--enrol', '1', '--until', 'soon']])
def test_a_wrong_option_is_refused(path, arguments):
    with pytest.raises(SystemExit) as ended:
        main([str(path), *arguments])
    assert ended.value.code == 2 and not path.exists()
