"""Small words in six languages that connect names, or have no meaning alone. All in lower case."""

from __future__ import annotations


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Articles, prepositions and conjunctions: dropped beside a removed place or time.
JOINING = _set(
    """a an the of in on at to from for by with within over across around about near during and or but as into onto off
    between along per that which is are was were
    der die das den dem des ein eine einer eines einem einen in im am an auf aus bei beim für fur von vom zu zum zur mit
    und oder über uber um nach während wahrend zwischen entlang seit
    le la les l d un une des du de en dans sur sous au aux à pour par avec et ou entre vers chez depuis
    el los las lo del al y e o u con por para sobre sin entre desde hacia
    il gli i uno una di da dal dalla dai negli dei degli delle della dello dell su sul sulla nel nella nei nelle nell
    tra fra per con ed
    os as um uma do dos das no na nos nas ao aos pelo pela em com por entre"""
)

# A question with only these words asks for nothing: "what is it", "wie viele gibt es".
SAYING_NOTHING = JOINING | _set(
    """what where when who whom whose why how much many any some all there here this these those it its be been being
    do does did has have had can could would should will may might i we you they he she me us my our your their not no
    show find give get tell list please want need
    was wo wann wer warum wie viel viele gibt es ist sind war waren welche welcher welches ich wir sie er mir uns nicht
    zeige finde
    quoi où quand qui que quel quelle quels quelles comment combien est sont il elle nous vous je ne pas y a
    qué que dónde donde cuándo cuando quién quien cuál cual cuáles cómo como cuánto cuánta hay es son está están no
    che cosa dove quando chi quale quali come quanto quanta quanti quante è sono c non
    onde quem qual quais quanto quanta há são está não"""
)
