"""Fast calls of PDFium for the inner loops, which run some ten times per line."""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable
from typing import Any

import pypdfium2.raw as raw


def _fast(function: object, result: type = ctypes.c_int) -> Callable[..., Any]:
    """Returns a function of PDFium whose arguments must be C values already, and which holds Python's lock.

    Checking arguments and releasing the lock take longer than these functions do: a call takes a third of the usual time.
    Nor can busy threads of the caller take the lock in between.
    """
    return ctypes.PYFUNCTYPE(result)(ctypes.cast(function, ctypes.c_void_p).value)  # type: ignore[arg-type]


get_origin = _fast(raw.FPDFText_GetCharOrigin)
get_box = _fast(raw.FPDFText_GetCharBox)
get_matrix = _fast(raw.FPDFText_GetMatrix)
get_char_index = _fast(raw.FPDFText_GetCharIndexFromTextIndex)
get_text_object = _fast(raw.FPDFText_GetTextObject, ctypes.c_void_p)
get_font_size = _fast(raw.FPDFTextObj_GetFontSize)
get_font = _fast(raw.FPDFTextObj_GetFont, ctypes.c_void_p)
get_render_mode = _fast(raw.FPDFTextObj_GetTextRenderMode)
get_font_flags = _fast(raw.FPDFFont_GetFlags)

_get_font_name = _fast(raw.FPDFFont_GetBaseFontName, ctypes.c_size_t)
_font_name = ctypes.create_string_buffer(512)


def get_font_name(font: ctypes.c_void_p) -> bytes:
    """Returns the base name of a font; empty for one without a name, or with one of more than 511 bytes."""
    length = _get_font_name(font, _font_name, ctypes.c_size_t(len(_font_name)))
    return _font_name.value if 0 < length <= len(_font_name) else b""


class Slots:
    """C numbers in a row that PDFium writes, one address each, and Python reads all at once.

    Args:
        code: Type of the numbers, as `struct` names it.
        count: Number of slots.
        read: Number of slots, from the first, that `read` returns.
    """

    def __init__(self, code: str, count: int, read: int) -> None:
        size = struct.calcsize(code)
        self._bytes = ctypes.create_string_buffer(count * size)
        start = ctypes.addressof(self._bytes)
        self.addresses = [ctypes.c_void_p(start + place * size) for place in range(count)]
        self._layout = struct.Struct(f"{read}{code}")

    def read(self) -> tuple[float, ...]:
        """Returns the numbers of the first slots."""
        return self._layout.unpack_from(self._bytes)
