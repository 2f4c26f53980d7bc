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
from functools import cache
from pathlib import Path

from leader_election.swarm.view.formatting import NOTE, PALETTE
from leader_election.swarm.view.frame import Frame, Rings
from leader_election.swarm.view.picture import Canvas
import numpy as np
from PIL import Image

ANIMATION_WIDTH = 800
"""[pixels]"""
RATE = 9.0
"""Frames a second."""
_GREYS = 32
_TINTS = (0.13, 0.3, 0.5, 0.75, 1.0)
"""Opacity of a leader's colour on white: in regions, on edges, in outlines, in robots."""
_LAST_FRAME = 2.0
"""Duration of the last frame [s]."""


def animate(frames: Sequence[Frame], rings: Rings, path: Path, communication_range: float,
            start: float = 0.0) -> None:
    """
    Write frames to an animated GIF, one after the other.

    :param frames: at least one.
    :param communication_range: robots within this distance are linked by a line [m].
    :param start: the origin of the times in the captions [s].
    :raises OSError: when the file cannot be written.
    """
    canvas = Canvas(frames, rings, ANIMATION_WIDTH, communication_range)

    def image(frame: Frame) -> Image.Image:
        canvas.show(frame, start)
        return Image.fromarray(canvas.pixels())

    save_gif([image(frame) for frame in frames], path)


def save_gif(images: Sequence[Image.Image], path: Path, rate: float = RATE) -> None:
    """
    Write images to an animated GIF in the colours of leaders and in greys.

    :param images: at least one, all of one size.
    :param rate: frames a second.
    :raises OSError: when the file cannot be written.
    """
    drawn = [reduced(image) for image in images]
    pauses = [round(1000 / rate)] * (len(drawn) - 1) + [round(1000 * _LAST_FRAME)]
    drawn[0].save(path, format='GIF', save_all=True, append_images=drawn[1:], duration=pauses,
                  loop=0, optimize=True)


def reduced(image: Image.Image) -> Image.Image:
    """Return an image in the colours of leaders and in greys, which is a third of its size."""
    return image.quantize(palette=_palette(), dither=Image.Dither.NONE)


@cache
def _palette() -> Image.Image:
    """
    Return an image with the palette of all frames.

    One fixed palette: with a palette per frame, colours would flicker and leaders change theirs.
    """
    greys = np.linspace(0.0, 1.0, _GREYS)[:, np.newaxis].repeat(3, axis=1)
    tints = [1.0 - part * (1.0 - np.array(rgb)) for rgb in (*PALETTE, NOTE) for part in _TINTS]
    colours = np.vstack([greys, tints])
    image = Image.new('P', (1, 1))
    image.putpalette(np.rint(colours * 255).astype(np.uint8).tobytes())
    return image
