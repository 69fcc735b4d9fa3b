"""What mails about saved searches and the pages of their links say, in the six languages of the page.

Numbers come after a colon, so that no language needs a plural. In French a no-break space goes before a colon.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

Language = Literal["en", "de", "fr", "es", "it", "pt"]
LANGUAGES: tuple[Language, ...] = get_args(Language)
DEFAULT_LANGUAGE: Language = "en"


@dataclass(frozen=True, slots=True)
class AlertTexts:
    """``{...}`` are filled by the mail or the page; ``search`` and ``catalogues``: links above each page."""

    search: str
    catalogues: str
    confirm_subject: str
    confirm_text: str
    digest_subject: str
    several: str
    window: str
    new: str
    changed: str
    more: str
    stop: str
    confirm: str
    confirm_asks: str
    confirmed: str
    unsubscribe: str
    unsubscribe_asks: str
    unsubscribed: str


TEXTS: Mapping[Language, AlertTexts] = {
    "en": AlertTexts(
        search="Search",
        catalogues="Catalogues",
        confirm_subject="{name}: confirm your address",
        confirm_text=(
            "Somebody who signs in as {owner} wants to be told by {name} of new records at this address.\n\n"
            "If that is you, confirm the address here within a week:\n{link}\n\n"
            "If it is not, do nothing: no other mail will come.\n"
        ),
        digest_subject="{name}: new or changed records: {count} ({about})",
        several="saved searches: {count}",
        window="{since} to {until} UTC",
        new="New: {title}",
        changed="Changed: {title}",
        more="More: {count}",
        stop="No more mail about this search: {link}",
        confirm="Confirm this address",
        confirm_asks="Saved searches of {owner} will be told to {mail}.",
        confirmed="The address is confirmed.",
        unsubscribe="Unsubscribe",
        unsubscribe_asks="No more mail about the search “{title}”.",
        unsubscribed="You get no more mail about this search.",
    ),
    "de": AlertTexts(
        search="Suche",
        catalogues="Kataloge",
        confirm_subject="{name}: Bestätigen Sie Ihre Adresse",
        confirm_text=(
            "Jemand, der sich als {owner} anmeldet, möchte von {name} an dieser Adresse über neue Datensätze "
            "informiert werden.\n\n"
            "Wenn Sie das sind, bestätigen Sie die Adresse hier innerhalb einer Woche:\n{link}\n\n"
            "Wenn nicht, tun Sie nichts: Es kommt keine weitere Mail.\n"
        ),
        digest_subject="{name}: neue oder geänderte Datensätze: {count} ({about})",
        several="gespeicherte Suchen: {count}",
        window="{since} bis {until} UTC",
        new="Neu: {title}",
        changed="Geändert: {title}",
        more="Weitere: {count}",
        stop="Keine Mail mehr zu dieser Suche: {link}",
        confirm="Diese Adresse bestätigen",
        confirm_asks="Funde der gespeicherten Suchen von {owner} gehen an {mail}.",
        confirmed="Die Adresse ist bestätigt.",
        unsubscribe="Abbestellen",
        unsubscribe_asks="Keine Mail mehr zur Suche „{title}“.",
        unsubscribed="Sie erhalten keine Mail mehr zu dieser Suche.",
    ),
    "fr": AlertTexts(
        search="Recherche",
        catalogues="Catalogues",
        confirm_subject="{name}\u00a0: confirmez votre adresse",
        confirm_text=(
            "Une personne qui se connecte sous le nom {owner} souhaite que {name} lui signale les nouvelles fiches à "
            "cette adresse.\n\n"
            "Si c’est vous, confirmez l’adresse ici dans la semaine\u00a0:\n{link}\n\n"
            "Sinon, ne faites rien\u00a0: vous ne recevrez aucun autre courriel.\n"
        ),
        digest_subject="{name}\u00a0: fiches nouvelles ou modifiées\u00a0: {count} ({about})",
        several="recherches enregistrées\u00a0: {count}",
        window="du {since} au {until} UTC",
        new="Nouveau\u00a0: {title}",
        changed="Modifié\u00a0: {title}",
        more="Autres\u00a0: {count}",
        stop="Ne plus recevoir de courriel sur cette recherche\u00a0: {link}",
        confirm="Confirmer cette adresse",
        confirm_asks="Les résultats des recherches enregistrées de {owner} seront envoyés à {mail}.",
        confirmed="L’adresse est confirmée.",
        unsubscribe="Se désabonner",
        unsubscribe_asks="Plus de courriel sur la recherche «\u00a0{title}\u00a0».",
        unsubscribed="Vous ne recevrez plus de courriel sur cette recherche.",
    ),
    "es": AlertTexts(
        search="Búsqueda",
        catalogues="Catálogos",
        confirm_subject="{name}: confirme su dirección",
        confirm_text=(
            "Alguien que inicia sesión como {owner} quiere que {name} le avise de nuevos registros en esta dirección."
            "\n\n"
            "Si es usted, confirme aquí la dirección antes de una semana:\n{link}\n\n"
            "Si no, no haga nada: no llegará ningún otro correo.\n"
        ),
        digest_subject="{name}: registros nuevos o modificados: {count} ({about})",
        several="búsquedas guardadas: {count}",
        window="{since} a {until} UTC",
        new="Nuevo: {title}",
        changed="Modificado: {title}",
        more="Otros: {count}",
        stop="No recibir más correos sobre esta búsqueda: {link}",
        confirm="Confirmar esta dirección",
        confirm_asks="Los resultados de las búsquedas guardadas de {owner} se enviarán a {mail}.",
        confirmed="La dirección está confirmada.",
        unsubscribe="Darse de baja",
        unsubscribe_asks="No recibir más correos sobre la búsqueda «{title}».",
        unsubscribed="No recibirá más correos sobre esta búsqueda.",
    ),
    "it": AlertTexts(
        search="Ricerca",
        catalogues="Cataloghi",
        confirm_subject="{name}: confermi il Suo indirizzo",
        confirm_text=(
            "Qualcuno che accede come {owner} vuole che {name} segnali i nuovi record a questo indirizzo.\n\n"
            "Se è Lei, confermi qui l’indirizzo entro una settimana:\n{link}\n\n"
            "Altrimenti non faccia nulla: non arriverà nessun’altra mail.\n"
        ),
        digest_subject="{name}: record nuovi o modificati: {count} ({about})",
        several="ricerche salvate: {count}",
        window="da {since} a {until} UTC",
        new="Nuovo: {title}",
        changed="Modificato: {title}",
        more="Altri: {count}",
        stop="Nessun’altra mail su questa ricerca: {link}",
        confirm="Confermare questo indirizzo",
        confirm_asks="I risultati delle ricerche salvate di {owner} saranno inviati a {mail}.",
        confirmed="L’indirizzo è confermato.",
        unsubscribe="Annullare l’iscrizione",
        unsubscribe_asks="Nessun’altra mail sulla ricerca «{title}».",
        unsubscribed="Non riceverà altre mail su questa ricerca.",
    ),
    "pt": AlertTexts(
        search="Pesquisa",
        catalogues="Catálogos",
        confirm_subject="{name}: confirme o seu endereço",
        confirm_text=(
            "Alguém que entra como {owner} quer que {name} avise de novos registos neste endereço.\n\n"
            "Se é você, confirme aqui o endereço dentro de uma semana:\n{link}\n\n"
            "Se não, não faça nada: não chegará mais nenhuma mensagem.\n"
        ),
        digest_subject="{name}: registos novos ou alterados: {count} ({about})",
        several="pesquisas guardadas: {count}",
        window="{since} a {until} UTC",
        new="Novo: {title}",
        changed="Alterado: {title}",
        more="Outros: {count}",
        stop="Não receber mais mensagens sobre esta pesquisa: {link}",
        confirm="Confirmar este endereço",
        confirm_asks="Os resultados das pesquisas guardadas de {owner} serão enviados para {mail}.",
        confirmed="O endereço está confirmado.",
        unsubscribe="Cancelar a subscrição",
        unsubscribe_asks="Não receber mais mensagens sobre a pesquisa “{title}”.",
        unsubscribed="Não receberá mais mensagens sobre esta pesquisa.",
    ),
}
