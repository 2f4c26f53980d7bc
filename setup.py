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

"""Describes the package to setuptools, and through it to pip and colcon."""

from glob import glob
from pathlib import Path
import re
from runpy import run_path
from xml.etree import ElementTree

from setuptools import find_packages, setup

NAME = 'leader_election'
# With --symlink-install colcon runs this by a link in its build folder.
HERE = Path(__file__).resolve().parent
# Maintainer, licences and addresses are said in package.xml, and there alone.
MANIFEST = ElementTree.parse(HERE / 'package.xml')
MAINTAINER = MANIFEST.find('maintainer')
URLS = {url.get('type'): url.text for url in MANIFEST.iter('url')}

# PyPI has wheels of ROS 2 for Linux on x86-64 only; elsewhere a sourced ROS 2 is needed.
WHEELS = "; sys_platform == 'linux' and platform_machine == 'x86_64'"

# The least versions are those of Ubuntu 24.04 where it has the package in a version that serves;
# make test-least runs the tests with exactly these.
RUN = ['cryptography>=41.0.7', 'numpy>=1.26.4', 'PyYAML>=6.0.1', 'shapely>=2.0.3',
       'transforms3d>=0.4.1']
VIEW = ['matplotlib>=3.6.3', 'pillow>=10.2.0', 'rich>=13.7.1']
RECORD = [*VIEW, 'mcap>=1.6.0', 'mcap-ros2-support>=0.6.0']
WEB = ['bokeh>=3.9.2']
PHYSICS = ['mujoco>=3.2.7']
LINK = ['eclipse-zenoh>=1.2', 'pyserial>=3.5']
TEST = [*RECORD, *WEB, *PHYSICS, *LINK, 'hypothesis>=6.98.15', 'jsonschema>=4.10.3', 'lxml>=5.2.1',
        'opencv-python-headless>=4.9.0.80', 'pytest>=7.4.4']


def page():
    """Return the README for PyPI, which has no other file: its links lead to the repository."""
    readme = HERE / 'README.md'
    folder = URLS['repository'].removesuffix('.git')

    def absolute(match):
        kind = 'raw' if match[1].startswith('!') else 'blob'
        return f'{match[1]}({folder}/{kind}/main/{match[2]})'
    # Of a path in the repository, not of an address or of a heading. A colcon build may lack it.
    return re.sub(r'(!?\[[^][]*\])\((?!\w+:|#)([^)\s]+)\)', absolute,
                  readme.read_text(encoding='utf-8')) if readme.exists() else ''


def pinned(name):
    """Return the names and versions in a file of requirements."""
    lines = (HERE / 'requirements' / f'{name}.txt').read_text(encoding='utf-8').splitlines()
    return [line for line in lines if line and not line.startswith('#')]


def installed(folder):
    """Return the files of a folder, and of those inside, each with where they are installed."""
    folders = [Path(folder), *sorted(path for path in Path(folder).rglob('*') if path.is_dir())]
    return [(f'share/{NAME}/{inside}', sorted(str(path) for path in inside.iterdir()
                                              if path.is_file())) for inside in folders]


# ros2 run and launch find these by their short names. They are data files since pip would put
# scripts on the PATH, where such names are too general.
EXECUTABLES = [f'scripts/{executable.name}' for executable in
               run_path(str(HERE / NAME / 'executables.py'))['EXECUTABLES']]

setup(
    name=NAME,
    # A literal: catkin_prepare_release looks for it.
    version='0.1.0',
    description='Decentralised leader election and regions for robot swarms on ROS 2',
    long_description=page(),
    long_description_content_type='text/markdown',
    author=MANIFEST.findtext('author'),
    maintainer=MAINTAINER.text,
    maintainer_email=MAINTAINER.get('email'),
    license=' AND '.join(each.text for each in MANIFEST.iter('license')),
    url=URLS['website'],
    project_urls={'Source': URLS['repository'], 'Bug Tracker': URLS['bugtracker']},
    python_requires='>=3.10',
    classifiers=[
        'Development Status :: 4 - Beta',
        'Environment :: Console',
        'Intended Audience :: Developers',
        'Intended Audience :: Science/Research',
        'Operating System :: POSIX :: Linux',
        *(f'Programming Language :: Python :: 3.{minor}' for minor in range(10, 15)),
        'Topic :: Scientific/Engineering',
        'Topic :: System :: Distributed Computing',
    ],
    packages=find_packages(include=[NAME, f'{NAME}.*']),
    package_data={NAME: [
        'py.typed', '**/*.json', '**/*.yaml', '**/*.j2', '**/*.css', '**/*.js',
        '**/*.sdf', 'simulation/logs/**']},
    data_files=[
        ('share/ament_index/resource_index/packages', [f'resource/{NAME}']),
        (f'share/{NAME}', ['package.xml', 'CITATION.cff']),
        *installed('config'),
        (f'share/{NAME}/launch', sorted(glob('launch/*.launch.py'))),
        (f'lib/{NAME}', EXECUTABLES),
    ],
    zip_safe=False,
    # Not ROS 2: where one is sourced, its wheels beside it would be a second one.
    install_requires=RUN,
    extras_require={
        # ROS 2 from PyPI, where none is sourced. No other extra brings it.
        'wheels': [line + WHEELS for line in pinned('ros')],
        # The live view and pictures: not needed on a robot.
        'view': VIEW,
        # Recordings: needed on a robot only if it records.
        'record': RECORD,
        # The page of a swarm in a browser.
        'web': WEB,
        # Contact physics.
        'physics': PHYSICS,
        # Transports of node link: Zenoh, and a modem at a serial port.
        'link': LINK,
        'test': TEST,
        'dev': pinned('build') + pinned('lint') + pinned('docs'),
    },
    entry_points={'console_scripts': [f'{NAME} = {NAME}.__main__:main']},
)
