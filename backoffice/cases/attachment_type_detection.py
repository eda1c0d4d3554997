"""The type of an attachment, by its content and never by its name; and the copy in which a picture is shown."""

import io
import shlex
import subprocess

from PIL import Image

from events.error_codes import coded
from events.errors import Invalid, Refused
from events.settings.settings_from_environment import settings

CLAUSE = "house case"
JPEG, PNG = "image/jpeg", "image/png"
PICTURES = (JPEG, PNG)
PIXELS_MAX = 40_000_000
SCANNER_S = 20  # less than the door waits for the answer
_BEGINNINGS = (
    (b"\xff\xd8\xff", JPEG),
    (b"\x89PNG\r\n\x1a\n", PNG),
    (b"%PDF-", "application/pdf"),
    (b"ID3", "audio/mpeg"),
    (b"\xff\xfb", "audio/mpeg"),
    (b"\xff\xf3", "audio/mpeg"),
    (b"\xff\xf2", "audio/mpeg"),
)


def type_of(content: bytes) -> str:
    """Return the media type of a file. Raises Refused for any other than the allowed ones."""
    for beginning, media_type in _BEGINNINGS:
        if content.startswith(beginning):
            return media_type
    if content[4:8] == b"ftyp":
        return "video/mp4"
    if content and _is_text(content):
        return "text/plain"
    raise Refused(CLAUSE, coded("case-file-type"), field="file")


def _is_text(content: bytes) -> bool:
    try:
        text = content.decode()
    except UnicodeDecodeError:
        return False
    begins_as_markup = text.lstrip("\ufeff \t\r\n").startswith("<")
    return not begins_as_markup and all(character.isprintable() or character in "\t\r\n" for character in text)


def check(content: bytes) -> str:
    """Return the media type of a file that may be attached. Raises Invalid for its size, Refused for its content."""
    most = settings().case_file_mb
    if not content:
        raise Invalid("file", coded("case-file-empty"))
    if len(content) > most << 20:
        raise Invalid("file", coded("case-file-too-large", most=most))
    media_type = type_of(content)
    if media_type in PICTURES:
        picture_without_metadata(content, media_type)
    _scan(content)
    return media_type


def _scan(content: bytes) -> None:
    """Raise Refused where the house's scanner refuses the file, or does not answer."""
    command = shlex.split(settings().case_scanner)
    if not command:
        return
    try:
        result = subprocess.run(command, input=content, capture_output=True, timeout=SCANNER_S, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Refused(CLAUSE, coded("case-file-refused"), field="file") from error
    if result.returncode:
        raise Refused(CLAUSE, coded("case-file-refused"), field="file")


def picture_without_metadata(content: bytes, media_type: str) -> bytes:
    """Return a picture as a new one without metadata. Raises Refused for content that is no picture of this type."""
    form = "JPEG" if media_type == JPEG else "PNG"
    try:
        with Image.open(io.BytesIO(content), formats=[form]) as picture:
            if picture.width * picture.height > PIXELS_MAX:
                raise Refused(CLAUSE, coded("case-file-type"), field="file")
            plain = picture.convert("RGB" if form == "JPEG" else "RGBA")
        copy = Image.new(plain.mode, plain.size)
        copy.paste(plain)
        out = io.BytesIO()
        copy.save(out, form)
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
        raise Refused(CLAUSE, coded("case-file-type"), field="file") from error
    return out.getvalue()
