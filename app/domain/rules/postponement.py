"""Postponements: a reply that says "not now", and when to come back. In the ten languages of out-of-office notes."""

import re
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from app.domain.rules import date_words, out_of_office
from app.domain.rules.date_words import DateWords
from app.domain.rules.languages import by_language, either, likely, search
from app.domain.rules.own_words import plain, said, sentences

# Without a date: a quarter, as sales teams do, and the days for which a contacted person is left out of campaigns.
LATER_DEFAULT = timedelta(days=90)
MEETING_WITHIN = timedelta(days=21)  # "let's talk next week" is an appointment, "let's talk in May" a postponement
FURTHEST = timedelta(days=5 * 366)
WRONG_DAY = "Choose a day after today, within five years."
MORNING = time(8)  # of the workspace's time zone: when what comes back on a day does
READ = 2000  # characters; an answer says it at its beginning
LONGEST_SAID = 200


@dataclass(frozen=True)
class Postponement:
    """A "not now": the day to come back, the words it was read from, and whether they name that day."""

    until: date
    said: str
    named: bool


def morning_of(day: date, timezone: str) -> datetime:
    """Return when what comes back on that day does."""
    return datetime.combine(day, MORNING, ZoneInfo(timezone))


def may_come_back(day: date, at: datetime, timezone: str) -> bool:
    """Return whether that day can be chosen to come back on; WRONG_DAY says why not."""
    today = at.astimezone(ZoneInfo(timezone)).date()
    return today < day <= today + FURTHEST


# "Write to me again": a postponement where a date or "again", "later" goes with it.
_COME_BACK = by_language(
    en=r"""
        (?:circle|check|swing|loop|touch|come|get|reach|ping|write|report)(?:ing)? back\b(?: (?:out|in|to (?:me\
            |us)|with (?:me|us)))?
        reach(?:ing)? (?:back )?out|(?:follow|catch)(?:ing)? up|pick (?:this|it) up|touch(?:ing)? base|revisit\b
        reconnect\b|re-?engage|connect (?:again|then)
        (?:try|ping|contact|e-?mail|write|ask|remind|text|message|hit|approach)(?: to)? (?:me|us)\b(?: up)?
        try (?:back|again (?:in|next|after|around|then)|(?=q\d|in\b|next\b|after\b))
    """,
    de=r"""
        (?:melden|meldet|melde) (?:sie )?(?:sich|dich|euch|uns|mich)
        (?:schreiben|kontaktieren|fragen|erinnern) sie (?:mich|uns|mir)
        (?:schreib|kontaktier|frag|erinner)e? (?:mir|mich|uns)
        (?:kommen|komm|kommt|komme)\b(?: \w+){0,7} (?:zur(?:u|ue)ck|zu)\b|auf wiedervorlage
        (?:nochmal(?:s)?|erneut|wieder) (?:\w+ )?(?:melden|kontaktieren|anschreiben|sprechen|zukommen|aufnehmen\
            |anfragen)
        (?:melden|kontaktieren|anfragen|aufgreifen)\b
    """,
    fr=r"""
        (?:re)?contacte[zr]?[- ](?:moi|nous)|relance[zr]?[- ](?:moi|nous)
        (?:re)?ecri(?:vez|re|s)[- ](?:moi|nous)|renvoye[zr][- ](?:moi|nous)
        (?:re)?ven(?:ez|ir) vers (?:moi|nous)|revien(?:s|drai|drons) vers|(?:en )?reparl(?:er|ons|era)\b
        repren(?:ez|dre|ons) contact
        (?:nous|me|vous) (?:re)?contacter|recontacter|relancer|revoir (?:cela|ca|le sujet)
    """,
    es=r"""
        escrib(?:eme|ame|idme|enos|anme|anos)|contact(?:ame|eme|enos|adme|anos)|recuerd(?:ame|eme)|busc(?:ame|ueme|adme)
        vuelv\w+ a \w+|volv(?:er|ed) a \w+|retom\w+|(?:contactar|escribir)(?:me|nos)
        (?:ponte|pongase|pongamonos) en contacto
    """,
    it=r"""
        ricontatt\w+|(?:ci|vi|mi) (?:risent\w+|aggiorn\w+|ricontatt\w+|riscriv\w+)|risent\w+
        mi (?:contatti|scriva|scrivi|cerchi)
        (?:ri)?scriv(?:imi|etemi|ici|eteci|ermi|erci)|riparl\w+|contatt(?:ami|atemi|arci|armi|ateci)
        si faccia (?:vivo|viva|sentire)|ripassi?
    """,
    nl=r"""
        neemt?\b(?: \w+){0,7} contact|komt?\b(?: \w+){0,7} terug|(?:mail|benader|bel|contacteer) (?:me|mij|ons)
        probeer (?:het|me|mij|ons)
        vraag (?:het|me|mij)|herinner me|(?:contact op(?: te)? ?nemen|terug te komen|nog eens)
    """,
    pt=r"""
        me (?:chama|chame|procura|procure|escreve|escreva|manda|mande|contata|contate|contacte|retorna|retorne\
            |lembra|lembre|envie)\b
        (?:procure|contate|contacte|escreva|chame|retorne|retome|fale)[- ](?:me|nos|conosco|comigo)\b
        volt(?:e|a|ar|amos|em|armos)\b|retom\w+|retorn(?:e|ar|amos)\b|ent(?:re|rar) em contato|contactar[- ]nos
        (?:nos|me) (?:procurar|contatar)
    """,
    pl=r"""
        prosz\w+ o (?:ponowny )?kontakt|skontaktu\w+|odezw\w+|wroc\w+|wrac\w+|przypomn\w+|napisz\w*|kontakt\b
    """,
    sv=r"""
        aterkom\w*|hor av (?:dig|er)|kontakta (?:mig|oss)|ta kontakt|skriv (?:till )?(?:mig|oss|igen)
        (?:mejla|maila|paminn) (?:mig|oss|igen)
    """,
    da=r"""
        vend (?:\w+ ){0,2}tilbage|kontakt (?:mig|os|meg|oss)|skriv (?:til )?(?:mig|os|igen)
        ta(?:g)? (?:gerne )?(?:fat i|kontakt)|hor fra (?:dig|jer)|prov igen
    """,
)
# "Not now": by itself.
_NOT_NOW = by_language(
    en=r"""
        not (?:right )?now\b|not (?:at|for) (?:the|this) (?:moment|time|stage|point)
        (?:no|not|never|nothing|cannot|\w+n't) (?:[\w']+ ){0,7}(?:right now|at (?:the|this) (?:moment|time|stage\
            |point)|at present|for the moment|for now|just yet)\b
        (?:not|\w+n't) (?:quite |really )?ready yet
        (?:not|isn't|\w+n't)(?: \w+){0,3} (?:a )?priority (?:right now|now|at|this|currently)
        (?:bad|wrong|poor|terrible|(?:not|isn't)(?: really)? (?:a|the) (?:good|great|best|right|ideal)) (?:time\
            |timing|moment)\b
        tim(?:ing|e) (?:is|isn't|is not|'s)(?: \w+){0,2} (?:right|off|bad|rough|good|great|ideal|wrong|tricky|tough)
        (?:maybe|perhaps|possibly|probably)(?: \w+){0,3} (?:later|next|in (?:the (?:new|future|fall|spring\
            |summer|autumn)|a|another|\d|q\d|early|late)|after)
        (?:maybe|perhaps|possibly) (?:later|another time|down the (?:road|line|track)|in the future)
        later (?:this|in the) year
        (?:too |very |super |really |quite |so )(?:busy|hectic)\b
        (?:slammed|swamped|underwater|snowed under|tied up|flat out|pretty hectic)\b|bandwidth|hands are full
        (?:budgets?|spend|spending|purchas\w+|hiring|buying|everything)(?: [\w']+){0,4} (?:frozen|locked|gone\
            |spent|closed|used up|on hold|exhausted|allocated)
        (?:hiring|budget|spending) freeze|on hold\b|back burner|just not this (?:year|quarter|month)
        not this (?:year|quarter|month|week|season)\b
        under contract|contract (?:\w+ ){0,4}(?:ends|expires|renews|runs|is up|until)|locked in(?:to)?\b
        (?:in|mid|middle of|during) (?:a |an |the |our )?(?:\w+ )?(?:reorg\w*|restructur\w*|migration\
            |acquisition|audit|year[- ]end|transition)
        being acquired
        not (?:\w+ ){0,4}taking on|too early (?:for|to)|not looking (?:\w+ ){0,4}(?:right now|at the moment|currently)
    """,
    de=r"""
        (?:jetzt|momentan|aktuell|derzeit|gerade|im moment|zur ?zeit|vorerst|dieses jahr|diesmal\
            |noch)\b(?: \w+){0,4} (?:nicht|kein\w*|zu fr(?:u|ue)h|ung(?:u|ue)nstig|schlecht)\b
        (?:nicht|kein\w*)\b(?: \w+){0,4} (?:jetzt|momentan|aktuell\w*|derzeit|im moment|zur ?zeit|vorerst)\b|nicht jetzt
        (?:schlecht|ung(?:u|ue)nstig|falsch|unpassend)\w* (?:zeitpunkt|moment|timing|zeit)
        nicht der (?:richtige|passende|beste|ideale) (?:zeitpunkt|moment)
        zeitpunkt(?: \w+){0,3} (?:nicht|ung(?:u|ue)nstig|schlecht)|zu einem sp(?:a|ae)teren zeitpunkt
        (?:vielleicht|eventuell|evtl\.?|ggf\.?|eher|fr(?:u|ue)hestens|erst)(?: \w+){0,3} (?:sp(?:a|ae)ter|wieder\
            |im|in|nach|ab|n(?:a|ae)chste[ns]?|anfang|mitte|ende)\b
        (?:budget|mittel)\w*(?: \w+){0,5} (?:eingefroren|ausgesch(?:o|oe)pft|aufgebraucht|verplant|vergeben|gesperrt)
        kein budget|keine kapazit\w+
        viel (?:zu )?zu tun|ausgelastet|land unter
    """,
    fr=r"""
        pas (?:maintenant|pour (?:le moment|l'instant|l'heure|cette annee)|en ce moment|actuellement\
            |dans l'immediat|le (?:bon )?moment|tout de suite|cette annee)
        (?:pas|aucun|n'est|n'avons)(?: [\w']+){0,8} (?:pour (?:le moment|l'instant)|en ce moment|actuellement\
            |a ce jour|cette annee|prioritaire)
        (?:pour (?:le moment|l'instant)|en ce moment|actuellement|cette annee)\b[^.\n]{0,40} (?:pas|aucun|complet)\b
        trop tot
        (?:peut-etre|plutot|eventuellement|sans doute)(?: \w+){0,3} (?:plus tard|en |l'an|l'annee|apres|dans |a la)
        (?:un peu )?plus tard\b|ulterieur\w*
        (?:periode|moment)(?: \w+)? (?:chargee?|tendue?|compliquee?)|debord\w+
        budget(?: \w+){0,4} (?:gele|boucle|clos|epuise|consomme)
        on verra\b|reouverture|pas (?:encore )?prets?\b
    """,
    es=r"""
        (?:ahora(?: mismo)?|actualmente|de momento|por (?:el momento|ahora)|en (?:este|estos) momentos?\
            |hoy por hoy|este ano) no\b
        no(?: [\w']+){0,7} (?:ahora(?: mismo)?|de momento|por (?:el momento|ahora)|en (?:este|estos) momentos?\
            |actualmente|todavia|este ano)\b
        no es (?:el |un )?(?:buen |mejor )?momento|mal momento|en otro momento|mas adelante\b|no es(?: una)? prioridad
        (?:quiza|quizas|tal vez|a lo mejor)(?: \w+){0,4} (?:mas adelante|adelante|proxim\w+|en|despues|para)
        presupuesto(?: \w+){0,4} (?:cerrado|congelado|agotado|ejecutado|comprometido)
        (?:estamos|estoy) (?:muy|bastante|hasta arriba|a tope|liad\w+|cerrando)\b
    """,
    it=r"""
        (?:al momento|per (?:ora|il momento|adesso)|adesso|ora(?: come ora)?|attualmente|quest'anno\
            |in questo (?:momento|periodo)),? (?:\w+ ){0,3}(?:non?|siamo)\b
        non?(?: [\w']+){0,8} (?:al momento|per (?:ora|il momento)|adesso|ora|attualmente|in questo (?:momento\
            |periodo)|quest'anno)\b
        non e (?:il|un) (?:buon |buono )?momento|non ora\b|piu avanti\b|in (?:un altro|altro) momento|troppo presto
        (?:forse|magari|eventualmente)(?: \w+){0,3} (?:piu avanti|in futuro|dopo|tra|fra|a |l'anno|nel|il prossimo)
        budget(?: \w+){0,4} (?:chiuso|esaurito|bloccato|congelato)|periodo (?:\w+ )?(?:intenso|pieno|impegnativo)
    """,
    nl=r"""
        (?:nu|momenteel|op dit moment|voorlopig|vooralsnog|dit jaar|op het moment)\b(?: \w+){0,4} (?:niet|geen)\b
        niet nu\b
        (?:niet|geen)\b(?: \w+){0,4} (?:nu|op dit moment|op het moment|momenteel|dit jaar)\b
        (?:niet het|geen|slecht|verkeerd)\w*(?: \w+)? (?:moment|timing)\b
        (?:misschien|wellicht|mogelijk|eventueel|pas|liever)(?: \w+){0,3} (?:later|volgend\w*|in|na|over|vanaf)
        (?:op een )?later(?: moment| dit jaar)?\b
        te vroeg|(?:te|erg|heel|ontzettend) druk|budget(?: \w+){0,4} (?:bevroren|op|besteed|vergeven)
        op een ander moment
    """,
    pt=r"""
        (?:agora|no momento|neste momento|de momento|por (?:enquanto|ora|agora)|atualmente|(?:este|esse|neste\
            |nesse) (?:ano|mes))\b(?: \w+){0,2} nao\b
        nao\b(?: [\w']+){0,7} (?:agora|no momento|neste momento|de momento|por (?:enquanto|ora)|atualmente\
            |(?:este|esse|neste|nesse) (?:ano|mes)|ainda)\b
        nao e (?:o |um )?(?:bom |melhor )?momento|(?:em |num )?outro momento
        mais (?:tarde|pra frente|para (?:a )?frente|adiante)\b|muito cedo
        (?:talvez|quem sabe|possivelmente)\b[\w ,]{0,40} (?:mais (?:tarde|para frente|adiante|pra frente)|depois\
            |no|na|em|so|proxim\w+|ano)\b
        sem (?:tempo|verba|orcamento) (?:esse|este|agora|no)
        orcamento(?: \w+){0,4} (?:fechado|congelado|esgotado|comprometido)|correria|fechando o\b
    """,
    pl=r"""
        (?:nie|brak|zaden|zadnych)\b(?: \w+){0,5} (?:teraz|obecnie|w tej chwili|w tym (?:momencie|roku|kwartale)\
            |na razie|aktualnie)\b
        nie teraz
        (?:obecnie|na razie|aktualnie|w tej chwili|teraz)\b(?: \w+){0,4} nie\b
        (?:moze|byc moze|ewentualnie)(?: \w+){0,3} (?:pozniej|w|za|po)\b
        w pozniejszym terminie|jak bedziemy potrzebowac|w przyszlosci|to nie jest (?:dobry|odpowiedni) moment
    """,
    sv=r"""
        (?:inte|ej|inget|inga)\b(?: \w+){0,6} (?:just nu|nu|for tillfallet|for narvarande|i ar|i dagslaget)\b
        (?:just nu|for tillfallet|for narvarande)\b(?: \w+){0,4} (?:inte|inget|ingen|inga)\b
        inte ratt (?:lage|tid|tillfalle)|dalig tajming
        (?:kanske|eventuellt)(?: \w+){0,3} (?:senare|nasta|efter|i|om|till)\b|senare i ar|langre fram
    """,
    da=r"""
        (?:ikke|intet|ingen)\b(?: \w+){0,6} (?:lige nu|nu|pa nuvarende tidspunkt|for tiden|i ar|i ojeblikket|na)\b
        (?:lige nu|i ojeblikket|for tiden)\b(?: \w+){0,4} (?:ikke|ingen)\b
        (?:maske|kanskje|eventuelt)(?: \w+){0,3} (?:senere|naste|efter|etter|i|om|til)\b|senere (?:pa aret|hen)
        darlig timing
    """,
)
# Nothing before a day: only with that day.
_NOT_UNTIL = by_language(
    en=r"(?:no|not|nothing|\w+n't)(?: [\w']+){0,9} (?:until|till|before|for (?:at least|another|the next))\b",
    de=r"(?:nicht|kein\w*|erst)(?: \w+){0,8} (?:vor|bis|ab|im|wieder)\b|fr(?:u|ue)hestens",
    fr=r"(?:pas|rien|aucun)(?: [\w']+){0,8} (?:avant|jusqu\w*)|a partir d",
    es=r"(?:no|nada)(?: \w+){0,8} (?:hasta|antes)\b|a partir de",
    it=r"(?:non|niente|nulla)(?: \w+){0,8} (?:prima|fino)\b|a partire d",
    nl=r"(?:niet|geen|niets)(?: \w+){0,8} (?:voor|tot|eerder)\b|vanaf",
    pt=r"(?:nao|nada)(?: \w+){0,8} (?:ate|antes)\b|a partir de|so (?:em|no|na|depois)",
    pl=r"(?:nie|nic)(?: \w+){0,8} (?:przed|do)\b|dopiero",
    sv=r"(?:inte|inget)(?: \w+){0,8} (?:forran|fore|innan)\b|tidigast|forst",
    da=r"(?:ikke|intet)(?: \w+){0,8} (?:for|inden)\b|tidligst|forst",
)
# An appointment, if it is near: "let's talk next week".
_TALK = by_language(
    en=r"""
        (?:let'?s|let us|we (?:can|could|should)|happy to|can we|could we|shall we) (?:\w+ )?(?:talk|chat|speak\
            |meet|connect|discuss|schedule|set|look)
        (?:call|give) (?:me|us)(?: a (?:call|ring))?\b|(?:speak|talk) (?:then|in|after)\b
    """,
    de=r"""
        (?:rufen|ruf) (?:sie )?(?:mich|uns|an)|(?:sprechen|reden|telefonieren|treffen) wir|lassen sie uns
        (?:sprechen|reden|telefonieren)\b
    """,
    fr=r"""
        (?:r)?appele[zr](?:[- ](?:moi|nous))?\b|parlons|on (?:en )?(?:parle|discute|voit)
        se (?:parler|voir|reparler)
    """,
    es=r"llam(?:ame|eme|adme)|(?:lo )?(?:hablamos|hablemos|vemos)\b|podemos (?:hablar|vernos)",
    it=r"""
        (?:ri)?chiam(?:ami|atemi|i|are|iamoci)\b|(?:ci )?sentiamo(?:ci)?|parliamone|ne parliamo
        possiamo (?:parlarne|sentirci)
    """,
    nl=r"""
        (?:bel|spreek) (?:me|mij|ons)|(?:laten|kunnen|zullen) we (?:\w+ )?(?:bellen|praten|afspreken|spreken)
        spreken we
    """,
    pt=r"""
        me (?:liga|ligue)|(?:vamos|podemos) (?:conversar|falar|marcar)|falamos|conversamos
        a gente (?:conversa|fala|ve)
    """,
    pl=r"zadzwon\w*|prosze o telefon|porozmawia\w+",
    sv=r"ring (?:mig|oss)|(?:kan|ska) vi (?:prata|ses|horas)|horas\b",
    da=r"ring (?:til )?(?:mig|os|meg|oss)|(?:kan|skal) vi (?:tale|ses|snakke|snakkes)|tales ved",
)
# A refusal, whatever the time: only a day to come back makes it a postponement.
_NEVER = by_language(
    en=r"""
        (?:already|just) (?:have|use|using|work(?:ing)? with|signed|covered|sorted|chose|went with)
        (?:all set|happy with|covered|good as we are)\b
        no (?:thanks|thank you|plans|interest|need)\b
        not (?:a (?:good )?fit|relevant|for (?:us|me))\b(?! (?:right|at|now))|never\b|in[- ]house\b
        (?:do not|don't) see (?:that|this) changing
        not interested(?! (?:right now|at (?:the|this)|now|for now|currently|yet|in this))
        (?:remove|unsubscribe|stop)\b
    """,
    de=r"""
        (?:haben|arbeiten|nutzen|sind)(?: \w+){0,3} (?:bereits|schon|versorgt|zufrieden)
        kein interesse(?! (?:im moment|derzeit|aktuell|momentan))|nicht interessiert|kein bedarf und
    """,
    fr=r"""
        deja (?:un|une|equipes?|en place|des)|(?:pas|plus) interesse\w*(?! (?:pour|en ce|actuellement|a ce))
        ne (?:nous|m') ?interesse
    """,
    es=r"""
        ya (?:tenemos|trabajamos|contamos|estamos)|no (?:me|nos) interesa(?! (?:ahora|de momento|por|en est))
        no (?:estoy|estamos) interesad\w+(?! (?:ahora|de momento|por|en est))
    """,
    it=r"""
        (?:abbiamo|siamo) gia|non (?:ci|mi) interessa
        non (?:siamo|sono) interessat\w(?! (?:al|per|ora|in questo))|siamo a posto
    """,
    nl=r"(?:hebben|zijn|werken) (?:al|reeds)|geen (?:interesse|behoefte)(?! (?:op dit|op het|nu|momenteel))",
    pt=r"""
        ja (?:temos|trabalhamos|usamos|somos)
        nao (?:temos|tenho|ha) interesse(?! (?:agora|no momento|neste|por|de momento))
    """,
    pl=r"""
        juz (?:mamy|wspolpracujemy)|mamy juz
        nie (?:jestesmy|jestem) zainteresowan\w+(?! (?:obecnie|na razie|teraz|w tej))
    """,
    sv=r"har redan|inte intresserad\w*(?! (?:just|nu|for))",
    da=r"har (?:allerede|alt)|ikke interesseret(?! (?:lige|nu|for))",
)
# Busy people name days of this week as well.
_BUSY = re.compile(
    r"busy|hectic|slammed|swamped|underwater|snowed under|tied up|flat out|bandwidth|druk|debord|chargee"
)
_DENIED = either(r"(?:not|never|\w*n't|dont|stop|ne|no|non|niet|nao|nie|inte|ikke|nicht)(?: \w+)? ?$")
_AFTER = either(
    r"(?:after|nach|apres|despues(?: del?)?|depois(?: d[oae])?|dopo(?: il)?|na de|efter|a partir d\w*)(?: \w+){0,2} ?$"
)
_AGAIN = either(
    r"""
    (?:again|later|then|in the future|wieder|sp(?:a|ae)ter|erneut|nochmals?|dann|danach|plus tard|a nouveau\
        |ulterieurement)\b
    (?:mas adelante|mas tarde|de nuevo|entonces|piu avanti|piu tardi|di nuovo|dan|opnieuw|mais tarde|(?:pra\
        |para) frente)\b
    (?:depois|adiante|pozniej|ponown\w+|wtedy|senare|igen|senere|autre moment|otro momento|anderen? moment\
        |outro momento)\b
    """
)


def read(text: str, at: datetime) -> Postponement | None:
    """Return what a reply that was written at a moment postpones to; None for a yes, a refusal or an absence."""
    own = said(text)[:READ]
    if out_of_office.is_one(own):
        return None
    words, today = plain(own).lower(), at.date()
    languages = likely(own)
    days = [named for named in date_words.find(own, today) if today < named.first <= today + FURTHEST]
    refused = search(_NEVER, languages, words) is not None
    parts = sentences(own)
    best: tuple[int, DateWords | None, tuple[int, int]] | None = None
    for index, (begin, end) in enumerate(parts):
        sentence = words[begin:end]
        near = [one for one in days if begin <= one.begin < end]
        around = [one for low, high in parts[max(0, index - 1) : index + 2] for one in days if low <= one.begin < high]
        again = bool(_AGAIN.search(sentence))
        not_now = search(_NOT_NOW, languages, sentence)
        come_back = search(_COME_BACK, languages, sentence)
        if come_back and _DENIED.search(sentence[: come_back.start()]):
            come_back = None
        late = [one for one in (around if again else near) if _is_late(one, words, today)]
        choice: tuple[int, DateWords | None]
        if come_back and near:
            choice = (4, next((one for one in near if one.begin >= begin + come_back.start()), near[-1]))
        elif late and search(_TALK, languages, sentence):
            choice = (3, late[0])
        elif (near and not_now and not _is_busy_till(not_now[0], near, today)) or (
            near and search(_NOT_UNTIL, languages, sentence) and near[-1].first - today >= MEETING_WITHIN
        ):
            choice = (3, near[-1])
        elif around and come_back and again:
            choice = (3, around[-1])
        elif not refused and ((not_now and (come_back or not _BUSY.search(not_now[0]))) or (come_back and again)):
            choice = (1, None)
        else:
            continue
        if best is None or choice[0] > best[0]:
            best = (*choice, (begin, end))
    if best is None:
        return None
    _, named, (begin, end) = best
    if named is not None:
        begin, end = min(begin, named.begin), max(end, named.end)
    until = named.first if named else today + LATER_DEFAULT
    return Postponement(until, " ".join(own[begin:end].split())[:LONGEST_SAID], named is not None)


def _is_late(named: DateWords, words: str, today: date) -> bool:
    """Return whether it is no appointment: weeks away, or said to be after something."""
    return named.first - today >= MEETING_WITHIN or bool(_AFTER.search(words[: named.begin]))


def _is_busy_till(words: str, near: list[DateWords], today: date) -> bool:
    return bool(_BUSY.search(words)) and max(named.first for named in near) <= today + timedelta(days=8)
