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

"""A run as an animation (GIF)."""

from collections.abc import Sequence
from pathlib import Path

from leader_election.view.formatting import NOTE, PALETTE
from leader_election.view.frame import Frame, Rings
from leader_election.view.picture import bounds, Canvas
import numpy as np
from PIL import Image

ANIMATION_WIDTH = 800
"""[pixels]"""
RATE = 9.0
"""Frames a second."""
_GREYS = 32
_TINTS = (0.13, 0.3, 0.5, 0.75, 1.0)
"""How much of a leader's colour there is on white: in regions, on edges, in outlines, robots."""
_LAST_FRAME = 2.0
"""For how long the last frame stands still [s]."""


def animate(frames: Sequence[Frame], rings: Rings, path: Path, communication_range: float,
            start: float = 0.0) -> None:
    """
    Draw frames to a file, one after the other.

    :param frames: at least one.
    :param communication_range: robots within it are drawn as linked [m].
    :param start: the moment that the captions' time counts from [s].
    :raises OSError: when the file cannot be written.
    """
    canvas = Canvas(bounds(frames, rings), rings, ANIMATION_WIDTH, communication_range)

    def image(frame: Frame) -> Image.Image:
        canvas.show(frame, start)
        return Image.fromarray(canvas.pixels())

    save_gif([image(frame) for frame in frames], path)


def save_gif(images: Sequence[Image.Image], path: Path, rate: float = RATE) -> None:
    """
    Write images, one after the other, in the colours of leaders and grey; the last stands still.

    :param images: at least one, all of one size.
    :param rate: frames a second.
    :raises OSError: when the file cannot be written.
    """
    palette = _palette()
    drawn = [image.quantize(palette=palette, dither=Image.Dither.NONE) for image in images]
    pauses = [round(1000 / rate)] * (len(drawn) - 1) + [round(1000 * _LAST_FRAME)]
    drawn[0].save(path, format='GIF', save_all=True, append_images=drawn[1:], duration=pauses,
                  loop=0, optimize=True)


def _palette() -> Image.Image:
    """
    Return an image that has the colours of all frames.

    They are known beforehand: so nothing flickers, and no colour stands in for another.
    """
    greys = np.linspace(0.0, 1.0, _GREYS)[:, np.newaxis].repeat(3, axis=1)
    tints = [1.0 - part * (1.0 - np.array(of)) for of in (*PALETTE, NOTE) for part in _TINTS]
    colours = np.vstack([greys, tints])
    image = Image.new('P', (1, 1))
    image.putpalette(np.rint(colours * 255).astype(np.uint8).tobytes())
    return image
