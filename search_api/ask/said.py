"""What a language model said: its reasoning is hidden, and a refusal is recognised in other words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from reading.sentences import sentences
from search_api.search.passages.values import REFUSAL

_NAMES = "think|thinking|thought|reasoning|reflection"
_OPENING = re.compile(rf"<({_NAMES})>|\[(THINK)\]", re.IGNORECASE)
_CLOSING = re.compile(rf"</(?:{_NAMES})>|\[/THINK\]", re.IGNORECASE)
_OPENING_TAGS = (*(f"<{name}>" for name in _NAMES.split("|")), "[think]")
_LONGEST_TAG = len("</reflection>")
_CITED = re.compile(r"\[\d{1,3}\]")
_NOTHING = re.compile(
    r"""
    \b(?:can(?:no|')t|can\ ?not|could\ not|couldn't|(?:not|un)\ ?able\ to)\ (?:find|answer|determine|say|tell|locate)
  | \b(?:do|does|did)(?:n't|\ not)\ (?:contain|provide|mention|include|specify|state|say|give|answer|address|have)\b
  | \b(?:is|are|was|were)(?:n't|\ not)\ (?:mentioned|contained|stated|provided|specified|given|included|available)\b
  | \bno\ (?:information|mention|answer|indication)\b
  | \bkeine\ (?:Angaben?|Informationen?|Antwort|Hinweise)\b
  | \bnicht\ (?:beantworte[nt]|erwähnt|enthalten|angegeben|genannt|finden)\b
  | \baucune\ (?:information|mention|réponse|indication)\b
  | \bne\ (?:contien|mentionn|précis|donn|permet)\w+
  | \bn'est\ pas\ (?:mentionn|précis|indiqu)\w+
  | \bno\ (?:se\ menciona|contiene|menciona|indica|especifica|hay\ información|puedo|encuentro|se\ encuentra)\w*
  | \bnon\ (?:(?:è|sono|viene|vengono)\ (?:menzionat|indicat|specificat)|conten|contiene|menziona|indica|posso|trovo)\w*
  | \bnessuna\ informazione\b
  | \bnão\ (?:(?:é|são|foi|foram)\ )?(?:mencion|contém|contêm|indica|há\ informa|posso|encontr|consta)\w*
    """,
    re.IGNORECASE | re.VERBOSE,
)
_SORRY = re.compile(r"(?:I'm |I am )?sorry\b|unfortunately,?$|leider$", re.IGNORECASE)


def without_reasoning(pieces: Iterable[str]) -> Iterator[str]:
    """The pieces without what stands between reasoning tags, as they arrive; only what may become a tag waits.

    What follows a tag that never closes is not an answer. If a server leaves out the opening tag (some chat templates
    put it into the prompt), the closing one cannot be foreseen: ``answer_alone`` then mends the whole text.
    """
    waiting, hidden = "", False
    for piece in pieces:
        waiting += piece
        while (found := (_CLOSING if hidden else _OPENING).search(waiting)) is not None:
            if not hidden and (said := waiting[: found.start()]):
                yield said
            waiting, hidden = waiting[found.end() :], not hidden
        shown = max(0, len(waiting) - _LONGEST_TAG) if hidden else _may_begin_a_tag(waiting)
        if shown and not hidden:
            yield waiting[:shown]
        waiting = waiting[shown:]
    if waiting and not hidden:
        yield waiting


def answer_alone(text: str) -> str:
    """The whole answer: also without reasoning whose opening tag was left out."""
    *_, last = _CLOSING.split(text)
    return last.strip()


def is_refusal(text: str) -> bool:
    """Whether the answer says nothing but that there is no answer.

    True for the agreed sentence, for no text, and if each sentence says so in other words. The answer to "Is the depth
    stated?" may be "The depth is not stated in the report [2]": a sentence that cites counts as an answer.
    """
    bare = text.strip().strip("\"'“”")
    if not bare or bare.startswith(REFUSAL):
        return True
    said = sentences(bare.replace("\n", " "))
    telling = [
        one for one in said if not re.match(r"(?:I'm |I am )?sorry\b|unfortunately,?$|leider$", one.strip(" .!"), re.I)
    ]
    return all(_NOTHING.search(one) is not None and _CITED.search(one) is None for one in telling or said)


def _may_begin_a_tag(text: str) -> int:
    """How much of the text can be shown: all before what may be the beginning of an opening tag."""
    start = max(text.rfind("<"), text.rfind("["))
    end = text[start:].lower()
    return start if start >= 0 and any(tag.startswith(end) for tag in _OPENING_TAGS) else len(text)
