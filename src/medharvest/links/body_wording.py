"""Wording that pages have around their text, in several languages, and marks of punctuation."""

from __future__ import annotations

import re
from collections.abc import Sequence

_LEADING_CHARACTERS = 200  # of a line that are searched for wording
_SERVICE_LINE_WORDS = 8  # "Related" and "Share" stand in lines of at most as many words
_MARK = re.compile("[.,;!?\u3001\u3002\uff01\uff0c\uff1b\uff1f]")
_END = re.compile("[.!?:;\u2026\u3002\uff01\uff1f][\\'\"\u201d\u2019\u00bb)\\]]{0,3}$")
_LONGEST_END = 4  # characters that `_END` matches


def _split_phrases(text: str) -> tuple[str, ...]:
    return tuple(" ".join(phrase.split()) for phrase in text.split("|"))


# What pages say around their text, in several languages: beginnings of short lines, and parts of any line.
_SERVICE_LINES = _split_phrases(
    """
    share | tweet | email | print | follow | like us | facebook | twitter | whatsapp | pinterest | teilen | partager |
    compartir | compartilhe | поделиться | 分享 | read more | read also | read next | related | see also | more from |
    more on | more in | more stories | more news | also on | recommended | you may | you might | popular | trending |
    most read | most popular | latest | don't miss | don’t miss | up next | watch | mehr zu | lesen sie |
    auch interessant | à lire | lire aussi | voir aussi | leia também | leia mais | veja | lea también | te puede |
    читайте | похож | 相关 | 關連 | 関連 | 推荐 | comment | leave a | kommentar | commentaire | comentario |
    comentário | комментари | 评论 | 댓글
    """
)
_SERVICE_WORDS = _split_phrases(
    """
    © | copyright | all rights reserved | alle rechte | tous droits | reservados | terms of | privacy | cookie |
    subscri | newsletter | sign up | sign in | log in | login | register | mail address | your inbox | advert |
    sponsored | donat | anmelden | abonn | suscr | assine | inscreva | подпис | click here | download the app |
    download our | follow us | contact us
    """
)
_CREDIT_LINES = _split_phrases(
    """
    photo | image | picture | credit | foto | bild | source | quelle | courtesy | getty | file photo | illustration |
    video | фото | 图 | 사진 | автор | posted | published | updated | last updated | written | filed under | tag |
    categor | topics
    """
)
_CREDIT_WORDS = _split_phrases(
    "getty images | photo by | photo: | /reuters | /afp | shutterstock | min read | 기자 | 记者"
)


def mark_count(text: str) -> int:
    """Return the number of punctuation marks of a line."""
    return len(_MARK.findall(text))


def digit_share(text: str) -> float:
    """Return the share of digits in the beginning of a line."""
    beginning = text[:_LEADING_CHARACTERS]
    return sum(map(beginning.count, "0123456789")) / len(beginning)


def ends_sentence(text: str) -> bool:
    """Whether a line ends as sentences do."""
    return _END.search(text, max(0, len(text) - _LONGEST_END)) is not None


def begins_service(text: str, words: int) -> bool:
    """Whether this line announces what is not text: "Related", "Share", "Comments"."""
    return words <= _SERVICE_LINE_WORDS and text.lower().startswith(_SERVICE_LINES)


def find_wording(text: str) -> tuple[bool, bool]:
    """Whether a line offers a service of the site or states its rights, and whether it credits people."""
    beginning = text[:_LEADING_CHARACTERS].lower()
    return (
        _contains_any(beginning, _SERVICE_WORDS) or beginning.startswith(_SERVICE_LINES),
        _contains_any(beginning, _CREDIT_WORDS) or beginning.startswith(_CREDIT_LINES),
    )


def _contains_any(text: str, parts: Sequence[str]) -> bool:
    for part in parts:  # noqa: SIM110  (a generator takes twice as long)
        if part in text:
            return True
    return False
