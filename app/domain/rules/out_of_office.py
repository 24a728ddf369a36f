"""Detect out-of-office replies and their return dates, in ten languages. No network, no model.

The languages: English, German, French, Spanish, Italian, Dutch, Portuguese, Polish, Swedish, Danish (with Norwegian).
"""

import re
from datetime import UTC, date, datetime, time, timedelta

from app.domain.rules import date_words
from app.domain.rules.date_words import DateWords
from app.domain.rules.languages import either
from app.domain.rules.own_words import plain

AWAY_DEFAULT = timedelta(days=14)
LONGEST_ABSENCE = timedelta(days=400)  # a year of parental leave, and a little
READ = 5000  # characters of a note that are read for dates
BEGINNING = 500  # characters in which a note says that it is one


_AUTOMATIC = either(
    r"""
    (?:this is an? |an )?auto(?:matic|mated|matically)?[- ]?(?:reply|replied|response|answer\
        |generated (?:reply|message))\b
    auto-?responder
    automatische (?:antwort|ruckmeldung)|abwesenheits(?:notiz|meldung|nachricht|assistent)
    (?:reponse|message) automatique|message d'absence
    respuesta automatica|mensaje automatico|contestacion automatica
    risposta automatica|messaggio automatico
    automatisch (?:antwoord|bericht)|afwezigheidsbericht|automatische reply
    (?:resposta|mensagem) automatica
    (?:odpowiedz automatyczna|automatyczna odpowiedz|wiadomosc (?:zostala )?wygenerowana automatycznie)
    autosvar|automatis[kc]t? svar|franvaromeddelande|fravaersbesked|fravarsbesked
    """
)
_AWAY = either(
    r"""
    out of (?:the |my )?office\b(?! (?:space|hours|supplies|furniture|politics|message|plans|settings|reply settings))
    ooo\b|(?:maternity|paternity|parental|sick|annual|medical) leave\b
    out (?:sick|of town|on leave|until|till|through|from)\b
    on (?:an? )?(?:\w+ )?(?:leave|vacation|holidays?|pto|sabbatical|honeymoon|parental leave\
        |business trip)\b(?! (?:rental|home))
    away from (?:my )?(?:desk|keyboard|work|the office|office|email)\b|(?<!passed )away (?:until|till|on)\b
    (?:am|i'm|i'll be|will be|are|we're|currently) (?:currently |presently |also )?(?:away|off(?: work\
        | sick)?|absent|travell?ing)\b
    (?:limited|no|intermittent|uneven|sporadic|restricted|little|without) (?:\w+ )?access to (?:my \
        |the )?(?:\w+ )?(?:e-?mails?|inbox|mailbox|messages)
    limited (?:e-?mail|inbox|internet) access
    (?:will be|i'?m|am) back (?:in the office )?(?:on|by)\b
    (?:upon|on|after|until) my return\b
    (?:respond|reply|answer|get back to you)[^.\n]{0,30} when i(?:'m| am back| get back| return)
    return(?:ing)? to (?:the office|work)\b
    (?:office|company|team|we|business)(?: is| are|'re| will be)(?: currently)? closed\b
    (?:not|won't|will not) (?:be )?(?:checking|monitoring|reading|check|read)(?: my)? (?:e-?mail|inbox|messages)
    (?:summer|winter|christmas|holiday) (?:break|shutdown|closure),? (?:from|until)
    ^away\b
    abwesend|abwesenheit\b
    (?:nicht|ausser) (?:im (?:b(?:u|ue)ro|haus(?:e)?|dienst)|am (?:arbeits)?platz|erreichbar)|ausser haus
    (?:im|in(?: den| meinem)?|auf) (?:\w+ )?(?:urlaub|mutterschutz|elternzeit|betriebsferien|ferien\
        |weihnachtspause|dienstreise|fortbildung|krankenstand)
    (?:wieder|zur(?:u|ue)ck) (?:(?:f(?:u|ue)r sie |im b(?:u|ue)ro |personlich )?(?:erreichbar|da\b|im b(?:u\
        |ue)ro|im haus|verf(?:u|ue)gbar)|am arbeitsplatz)
    (?:keinen|eingeschrankten|nur eingeschrankt|begrenzten) zugriff auf (?:meine )?(?:e-?mails?|mails\
        |nachrichten|postfach)
    nach meiner r(?:u|ue)ckkehr|krankgeschrieben|b(?:u|ue)ro (?:ist |bleibt )?(?:\w+ )?geschlossen
    absent(?:e|\(e\)|·e|s|es)?\b(?! d'esprit)
    en (?:conges?|vacances|deplacement|formation|seminaire|arret maladie)\b(?! de )
    (?:conges?|conge) (?:maternite|parental|annuels?|de maternite)|(?:a|des|apres) (?:mon|notre) retour\b
    de retour (?:le|au bureau|a partir|lundi)
    (?:bureau|cabinet|magasin|societe|entreprise|etude)[^.\n]{0,40} ferm[ee]e?s?\b|jours de repos
    acces limite a (?:ma|mes|mon)
    fuera de (?:la )?oficina|fuera del (?:despacho|pais)
    (?:estoy|estare|me encuentro|encuentro) (?:\w+ )?(?:fuera|ausente|de (?:vacaciones|baja|viaje|permiso|licencia))\b
    ausente\b|de vacaciones|de baja (?:medica|laboral|maternal|por)|de licencia
    (?:a|tras) mi (?:regreso|vuelta|retorno)
    (?:correo|mensaje) no (?:sera|va a ser) leido|acceso limitado a(?:l| mi) (?:correo|email|e-mail)
    no estare disponible|permaneceremos cerrados
    fuori (?:ufficio|sede|dall'ufficio)|in (?:ferie|vacanza|trasferta|congedo|maternita|malattia)\b
    (?:sono|saro|attualmente) (?:\w+ )?assente
    (?:al|dopo il|dal) mio (?:rientro|ritorno)|accesso limitato all[ae]|uffici? (?:\w+ )?chius[oi]
    non sono in ufficio|rientrero
    afwezig|niet (?:op|in|aanwezig op) (?:het )?kantoor
    (?:met|op) (?:\w+ )?(?:vakantie|verlof|zwangerschapsverlof|ouderschapsverlof|reis)\b
    niet (?:aanwezig|bereikbaar|in de gelegenheid)|(?:na|bij) (?:mijn )?terugkeer
    beperkt(?:e)? (?:toegang|bereikbaar)|weer (?:bereikbaar|aanwezig|op kantoor)|buiten kantoor
    kantoor is (?:\w+ )?gesloten
    fora d[oe] (?:escritorio|pais|expediente|trabalho)
    (?:estou|estarei|encontro-me|esta|me encontro|de|em|entrarei em) (?:\w+ )?(?:ferias|licenca|ausente)\b
    ausente (?:ate|do escritorio|de|no periodo)|(?:no|apos o|ao|em) (?:meu )?(?:regresso|retorno)\b
    acesso limitado a[os]? (?:meus? )?e-?mails?|estaremos (?:fechados|de ferias|ausentes)|em recesso
    poza biurem|na urlopie|na zwolnieniu|(?:jestem|bede|bedzie) nieobecn\w+|nieobecnosc\w*\b
    biuro (?:\w+ )?nieczynne|w delegacji|ograniczony dostep|po (?:moim )?powrocie
    (?:inte|ej) (?:pa (?:kontoret|plats|jobbet)|i tjanst|tillganglig)|(?:har|pa|ar pa|tar) semester\b
    semesterledig|foraldraledig|mammaledig|pappaledig|tjansteledig|sjukskriven|ar ledig\b|ar bortrest
    ar (?:for narvarande )?franvarande|franvaro\b|ater (?:pa (?:kontoret|plats|jobbet)|i tjanst)
    tillbaka (?:pa (?:kontoret|jobbet|plats)|den|igen|i tjanst|mandag)
    (?:ikke|ute av|ude af|vaek fra|borte fra) (?:til stede )?(?:pa )?kontoret
    (?:pa|holder|har|avvikler) (?:\w+ )?ferie\b|pa (?:barsel|orlov|forretningsrejse|kursus)|(?:er )?fravarende
    tilbage (?:pa kontoret|den|igen|mandag|\d)|tilbake (?:pa kontoret|den|igjen|mandag|\d)|ferielukket|har fri\b
    begranset adgang
    """
)
# What is past, or a job that was left, is no absence; the note of a machine says how it is now.
_NO_ABSENCE = either(
    r"""
    (?:was|were|been) (?:\w+ )?(?:out|away|off|on (?:\w+ )?(?:leave|vacation|holiday)|travell?ing)\b
    (?:just|only|now) (?:got|came|come|returned) back
    (?:am|i'm|we're) (?:now )?back (?:now|from|and|at work|in the office(?: now|,| and))
    (?:no longer|not) (?:work|employ|with the company|with us|(?:being )?monitored|in use)\w*
    (?:has|have|'ve) left (?:the|our|\w+\.)
    (?:war|waren|bin gerade) (?:\w+ )?(?:im|in|auf|aus|zuruck)(?: dem)? (?:urlaub|ferien|b(?:u|ue)ro)
    aus dem urlaub zur(?:u|ue)ck|nicht mehr (?:im unternehmen|bei uns|gelesen|tatig)
    (?:etais|etions|suis rentre|suis de retour|viens de rentrer|ai ete absent)\w*
    (?:estuve|estaba|estuvimos|acabo de (?:regresar|volver)|he (?:vuelto|regresado)|ya (?:he vuelto|estoy de vuelta))
    (?:ero|eravamo|sono (?:appena )?(?:tornat|rientrat)[oa])\b
    (?:was|ben net|ben weer) (?:\w+ )?(?:op|met|terug)(?: van)? (?:vakantie|verlof|reis)
    (?:estive|estava|acabei de voltar|voltei)\b|(?:bylem|bylam|wrocilem|wrocilam)\b
    (?:har varit|var) (?:pa|borta|ledig)|har vaeret pa|har varet pa
    """
)
# A person who asks something or proposes a next step reads our messages, wherever they are.
_IN_PERSON = either(
    r"""
    let'?s\b|interest(?:ed|ing)\b|(?:i|we)'?d (?:like|love)\b|happy to\b
    your (?:proposal|offer|idea|suggestion|tool|product|mail about|timing)
    (?:sounds|looks) (?:good|great|interesting|useful)
    (?:can|could|shall|should) (?:we|you|i)\b
    (?:talk|speak|chat|meet) (?:then|after|when|next|on|in)\b
    (?:works|suits|suit|work) (?:me )?(?:better|best|for me|for us)
    (?:try|ping|write|mail|ask|remind|call) (?:to )?me (?:again )?(?:then|after|when|once|in (?!case|urgent\
        |emergenc)|next|later)
    sorry for the (?:late|slow|delay)
    (?:prices?|cost|rates?) (?:is|are|starts?)\b|[$€£] ?\d|\d ?(?:[$€£]|eur\b|usd\b|euros?\b)
    (?:melden|schreiben|rufen) sie (?:sich|mich|mir)[^\n]{0,30} (?:danach|dann|wieder|erneut|nochmal|im|ab)\b
    (?:ihr|ihre|ihrem|dein|deine) (?:vorschlag|angebot|idee)|(?:konnen|sollen|wollen) wir|interessiert|der preis
    klingt (?:gut|interessant)
    votre (?:proposition|offre|idee)|(?:pouvons|pourrions)-nous|interess(?:e|ee|ant)\b|rappele[zr]
    recontacte[zr]|relance[zr]|renvoye[zr]
    (?:su|tu) (?:propuesta|oferta|idea)|podemos|(?:me|estoy|estaria) interesa\w*|hablemos|escribeme|llamame
    contactame
    (?:sua|tua) (?:proposta|ideia|idea|offerta)|sentiamoci|ricontatt|richiam|interessat[oaei]
    me (?:chama|liga|procura|manda|escreve)\b
    (?:uw|je|jouw) (?:voorstel|idee|aanbod)|(?:kunnen|zullen) we|geinteresseerd|bel me
    mail me (?:dan|daarna|weer|over)
    zainteresowan|(?:ert|ditt|er) (?:forslag|erbjudande)|kan vi\b|intresserad|interesseret|ring mig
    hor av dig (?:da|efter|igen)
    """
)
_QUESTION = re.compile(r"[^.!?\n]{0,300}\?")
_URGENT = re.compile(
    r"urgen|dringen|eilig|help|importan|emergency|spoed|anliegen|immediate|piln|bradska|haster|dring", re.IGNORECASE
)

_RETURN = re.compile(
    r"\b(?:back|return\w*|available again|reachable again|respond|reply|reopen\w*|resume"
    r"|zur(?:u|ue)ck\w*|wieder (?:da|erreichbar|im|fur|f)|r(?:u|ue)ckkehr|de retour"
    r"|retour|reviens|revenons|reviendrai|rentre|repondr\w+"
    r"|vuelvo|volvere|volveremos|vuelta|regres\w+|reincorpor\w+|reintegr\w+|retorn\w+"
    r"|rientr\w+|ritorn\w+|torner\w+|torno"
    r"|terug\w*|weer|volto|voltarei|voltaremos|wrac\w+|wroc\w+|powr\w+|dostepn\w+|tillbaka|ater|tilbage|tilbake)\b"
)
_UNTIL = re.compile(
    r"\b(?:until|till|til|through|thru|bis|jusqu'?\w*|hasta|fino|tot|ate|do(?: dnia)?"
    r"|t\.?o\.?m\.?|to|am|ab|from)\b[^.\n]{0,16}$"
)
_START = re.compile(
    r"\b(?:from|starting|beginning|as of|since|written|vom|von|seit|du|des le|depuis"
    r"|a partir du|del|desde(?: el)?|dal(?:l')?|van(?:af)?|de|od|fran(?: och med)?"
    r"|fra(?: og med)?)"
    r"(?: (?:the|den|el|il|dia|o))?,? ?(?:[a-z-]+,? )?$"
)


def is_one(text: str) -> bool:
    """Return whether a text is an out-of-office note, not a reply that mentions a holiday."""
    text = plain(text[:READ]).lower()
    if _IN_PERSON.search(text) or any(not _URGENT.search(found[0]) for found in _QUESTION.finditer(text)):
        return False
    automatic = _AUTOMATIC.search(text)
    away = _AWAY.search(text, 0, BEGINNING)
    if automatic and automatic.start() < 40:
        return bool(away) or not _NO_ABSENCE.search(text)
    return bool(away) and not _NO_ABSENCE.search(text)


def back(text: str, at: datetime) -> datetime:
    """Return when they are back: the day named for it, else the end of the absence, else in two weeks.

    Of several days those count that stand with a word of return, then those after "until", then the others; of
    these the latest. After the last day of a range they are back on the next.
    """
    text, today = plain(text[:READ]).lower(), at.date()
    best: tuple[int, date] | None = None
    for named in date_words.find(text, today):
        day, rank = _return_day(named, text), _rank(named, text)
        limit = LONGEST_ABSENCE if named.year or (rank > 1 and not named.exact) else date_words.HALF_A_YEAR
        if today < day <= today + limit and (named.exact or rank) and (best is None or (rank, day) > best):
            best = (rank, day)
    if best is None:
        return at + AWAY_DEFAULT
    return datetime.combine(best[1], time(8), UTC)


def _return_day(named: DateWords, text: str) -> date:
    ends = named.inclusive or (
        named.last > named.first and re.match(r"late|end|fin|kon|slu", text[named.begin : named.end])
    )
    return named.last + timedelta(days=1) if ends else named.first


def _rank(named: DateWords, text: str) -> int:
    sentence = max(text.rfind(mark, 0, named.begin) for mark in (". ", "! ", "\n")) + 1
    before, after = text[max(sentence, named.begin - 60) : named.begin], text[named.end : named.end + 40]
    if _START.search(before) and not _RETURN.search(before):
        return -1 if re.match(r" ?(?:to|until|till|bis|au|al|hasta|tot|a|ate|do|till|til|-|–)", after) else 0
    if _RETURN.search(before) or re.match(r"[^.,;\n]{0,20}\b(?:wieder|zur(?:u|ue)ck|weer|terug|back)\b", after):
        return 3
    return 2 if _UNTIL.search(before + text[named.begin : named.end][:8]) or _UNTIL.search(before) else 1
