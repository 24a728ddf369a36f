"""Referrals: a reply that names another person, address or department to talk to. In ten languages."""

import re
from dataclasses import dataclass

from app.domain.rules import out_of_office
from app.domain.rules.languages import LITTLE, by_language, likely
from app.domain.rules.own_words import plain, said, sentences

READ = 3000  # characters; an answer says it at its beginning
LONG = 1000
LONGEST_SAID = 200


@dataclass(frozen=True)
class Referral:
    """Another contact a reply points to, as far as it says, and the words it was read from."""

    name: str = ""
    email: str = ""
    phone: str = ""
    position: str = ""  # or department
    said: str = ""


# What stands before the person: "please talk to".
_TOWARDS = by_language(
    en=r"""
        (?:talk(?:ing)?|speak(?:ing)?|reach(?:ing)? out|writ(?:e|ing)|turn|refer|connect|introduc\w+ you|listen\
            |report|belongs?) (?:directly )?(?:to|with)\b
        (?:direct|forward|redirect|address|send|route|point|pass|hand|transfer|escalat|submit)(?:ed|ing\
            |s)?\b(?: (?:this|that|it|you|your|all|any|them|on|over|along|the|these|such|future)\b)*(?: (?:e-?mail\
            |mail|message|note|request|enquir\w+|inquir\w+|info\w*|details|proposal|resume|questions?\
            |offer))?(?: (?:on|over|along|across))?(?: directly)? to(?:wards)?\b
        sent (?:this|it|your \w+) (?:on |over |along )?to\b
        (?:contact|e-?mail|ask(?: for)?|try|ping|call|get in touch with|get hold of|reach|check with|deal with\
            |liaise with|follow up with)\b(?!:)
        cc(?:'?ing|'?ed|'d)?\b|(?:copying|copied|adding|added|looping in|looped in|loop in|bringing in)\b
        (?:i'm|i am|i've|have) (?:cc'?d|copied|added|looped in)
        you(?:'?d)? (?:\w+ )?(?:want|need)(?: to (?:talk|speak|reach) (?:to|out to|with))?|(?:meet)\b
        (?:right|best|better|correct|appropriate|proper|main|new|good|relevant) (?:person|contact|place|poc\
            |point of contact|people|team)(?: (?:to (?:\w+ ){1,3}|for (?:\w+ ){1,3}|here )?)?(?:is|are|would be\
            |would probably be|will be)\b
        (?:my|our|the|his|her) (?:replacement|successor|contact(?: person)?)(?: (?:here|now|there\
            |for \w+))? (?:is|will be|would be)\b
        (?:question|one|topic|matter|decision|call|conversation|job|thing) for\b
        (?:this|that|it) (?:would|is|'d be|sits|falls|lives)(?: \w+){0,3} (?:for|with|to|under)\b(?= (?:my|our)\b)
        (?:handled|managed|led|run|owned|covered|overseen|looked after|taken over|decided) by\b|in (?:the )?hands of\b
        (?:contact person|point of contact|poc)\b(?: is|:)?
    """,
    de=r"""
        (?:wenden|wende|richten) (?:sie )?(?:sich|dich|ihre \w+)(?: \w+){0,4} (?:an|bei)\b
        (?:kontaktieren|fragen|erreichen|nehmen) sie(?: (?:bitte|doch|besser|dazu|hierzu|daf(?:u|ue)r|direkt\
            |am besten|mal|einfach|gern\w*))*(?: kontakt (?:zu|mit))?
        (?:schreiben|sprechen|reden|melden) sie(?: (?:sich|bitte|doch|besser|dazu|hierzu|daf(?:u|ue)r|direkt\
            |am besten|mal|einfach|gern\w*))*(?: (?:an|mit|bei))?\b
        (?:leite|gebe|sende|schicke|reiche)(?: (?:ich|es|das|sie|ihre|deine|die|den|ihr|diese?n?|e-?mail|mail\
            |anfrage|nachricht|anliegen|angebot|gern\w*|mal|direkt|intern))* an\b
        (?:mail|e-mail|anfrage|nachricht|angebot)(?: \w+){0,3} an\b|weitergeleitet an|weiterleitung an
        am besten(?: \w+){0,3} (?:an|mit|bei)\b
        (?:ansprechpartner(?:in)?|kontaktperson|ansprechperson)\b(?: \w+){0,5} (?:ist|w(?:a|ae)re|sind)\b
        (?:nachfolger(?:in)?|vertretung|kolleg(?:e|in))(?: \w+){0,2} ist\b
        (?:zust(?:a|ae)ndig|verantwortlich)(?: \w+){0,3} (?:ist|sind|w(?:a|ae)re)\b
        (?:ist|sind) (?:bei uns |daf(?:u|ue)r |hierf(?:u|ue)r |f(?:u|ue)r \w+ )*(?:zust(?:a|ae)ndig)\b
        (?:in (?:cc|kopie)|cc)\b:?|daf(?:u|ue)r ist|das macht|darum k(?:u|ue)mmert sich
        das (?:thema )?(?:betreut|verantwortet|(?:u|ue)bernimmt|entscheidet|liegt bei)|liegt bei\b
    """,
    fr=r"""
        (?:adresse[zr]|adressez|dirige[zr]|rapproche[zr]|tourne[zr])[- ]?(?:vous|votre \w+)?(?: (?:plutot\
            |directement|donc))*(?: (?:a|au|aux|de|du|vers))\b
        contacte[zr]\b(?: (?:plutot|directement|donc))*
        (?:voyez|voir|parle[zr])(?:-en| cela| ca)?(?: (?:plutot|directement|donc))* (?:avec|a)\b
        (?:joindre|appele[zr]|joigne[zr])\b
        ecri(?:vez|re)(?: (?:plutot|directement))* (?:a|au)\b
        (?:transmets|transfere|transmis|transfere|fais suivre|redirige|transmettre|envoye[zr])(?: (?:votre|ce\
            |cela|cette|le|la))?(?: \w+)? (?:a|au|aux)\b
        (?:mets|met)(?: \w+)? en copie|en copie\b:?
        (?:bonne personne|bon contact|bon interlocuteur|interlocut\w+|responsable)(?: \w+){0,4} (?:est|serait|sera)\b
        (?:mon|ma|notre) (?:remplacant\w*|success\w+|collegue)(?: \w+)? (?:est|sera)\b
        c'est\b(?= (?:mon|ma|notre|m\.|mme|madame|monsieur|[a-z]+ (?:[a-z]+ )?qui)\b)
        (?:gere|suivi|traite|pris en charge)\w* par|(?:prendre|prenez|prends) contact avec
        (?:se|vous) mettre en (?:contact|relation) avec
    """,
    es=r"""
        (?:habla|hablar|hablad|hable|hablen|habla lo|tratar(?:lo)?|verlo|comenta(?:rlo|dlo)\
            |coordina(?:r)?)(?: (?:mejor|directamente|por favor|esto))* con\b
        (?:contact(?:a|e|ar|ad|en|o|arte|arse)|comunic(?:ate|arse|arte|ese|arme))(?: (?:mejor|directamente\
            |por favor|en su lugar))*(?: (?:con|a|al))?\b
        escrib(?:e|a|ir|id|an|ele|ale|irle|ile|eles|enle)\b(?: (?:mejor|directamente))*(?: (?:a|al))?\b
        (?:dirig\w+|dirij\w+)(?: \w+)? (?:a|al)\b|(?:pon(?:te|gase)|poneos)(?: en contacto)? con\b
        te paso (?:con|el (?:contacto|correo|mail) de)|(?:re)?enviad[oa]s? (?:\w+ ){0,3}(?:a|al)\b
        (?:re)?env(?:io|iar|ie|ia|ien|ialo|iare)(?: (?:tu|su|el|la|lo|sus|tus))?(?: \w+)? (?:a|al)\b
        (?:copio|copia|cc)(?: a)?\b
        (?:persona|contacto|responsable|encargad[oa]|interlocutor\w*)(?: (?:\w+ ){0,4})?(?:es|seria)\b
        (?:lo|la|esto lo|eso lo|este tema lo|de esto se|de eso se)(?: \w+)? (?:lleva|gestiona|encarga|ve|maneja\
            |ocupa|coordina)\b
        mi (?:reemplazo|sucesor\w*|sustitut\w+|compañer\w+|companer\w+|colega) (?:es|sera)\b|gestionado por
        quien (?:lleva|gestiona|ve|maneja|decide)(?: \w+){0,3} es\b
    """,
    it=r"""
        (?:rivolg(?:ersi|iti|etevi|a|ete|ere)|si rivolga|vi rivolgiate)(?: (?:pure|direttamente\
            |meglio))*(?: (?:a|al|alla|all'|ai))\b
        contatt(?:a|i|are|ate|arlo|arla|ando)\b(?: (?:pure|direttamente|invece))*
        (?:parl(?:a|i|are|ate|arne)|sent(?:a|i|ire|ite|irsi))(?: (?:pure|direttamente|meglio))*(?: con)?\b
        scriv(?:a|i|ere|ete)(?: (?:pure|direttamente))* (?:a|al|alla|all')\b
        (?:inoltr(?:o|ato|are|i|ero)|gir(?:o|ato|are)|pass(?:o|ato|are))(?: (?:la|il|sua|tua|vostra|questa\
            |questo|mail|e-?mail|richiesta|messaggio|proposta))*(?: (?:a|al|alla|all'|ai))\b
        (?:persona|referente|responsabile|contatto|interlocutore)(?: (?:\w+ ){0,4})?(?:e|sarebbe|sara)\b
        (?:se )?ne (?:occupa|parli con)|(?:metto|mettiamo) in (?:copia|cc)|in (?:copia|cc)\b:?
        il mio (?:sostituto|successore|collega) e\b|gestit[oa] da\b
    """,
    nl=r"""
        (?:contact op(?:nemen|te nemen|nemen met)?|contact)(?: \w+){0,2} met\b|contact met\b
        (?:mail|bel|benader|vraag|spreek|mailen|bellen|benaderen|contacteer|contacteren)\b(?: (?:even|gerust\
            |beter|best|direct|rechtstreeks|dan|graag|naar))*(?: met)?
        (?:moet|kun|kunt|moeten|kan)(?: (?:je|u|dat|dit|het|hiervoor|daarvoor|beter|het beste|best|terecht\
            |zijn))* (?:bij|terecht bij)\b
        richt(?:en)?(?: (?:u|je|zich))? tot|wend(?:en)?(?: (?:u|je))? tot
        (?:stuur|zet|geef|leid|sturen)(?: \w+){0,4} (?:door )?(?:naar|aan)\b|doorgestuurd (?:naar|aan)
        (?:juiste|beste|goede) (?:persoon|contactpersoon|aanspreekpunt)(?: \w+){0,3} is\b
        (?:contactpersoon|opvolger|vervanger|collega|aanspreekpunt)(?: \w+){0,3} is\b
        (?:gaat|beslist)\b(?= [a-z]+ (?:over|hier))|in (?:de )?cc\b:?|verantwoordelijk(?: \w+){0,2} is\b
    """,
    pt=r"""
        (?:fale|falar|fala|falem|converse|conversar|conversa|trate|tratar|veja|ver)(?: (?:diretamente|melhor\
            |direto|isso|isto))* com\b
        contato com\b|contacto com\b
        (?:contate|contatar|contacte|contactar|procure|procurar|chame|chama|acione)\b(?: (?:diretamente|por favor))*
        (?:escreva|escrever|mande|manda|envie|enviar|encaminhe|encaminhar|direcione|direcionar|encaminh(?:o|ei\
            |arei|ado|ada)|repass(?:o|ei|ar|ado|arei)|passei|transfiro)(?: (?:o|a|seu|sua|este|esse|esta|essa|para\
            |email|e-mail|mensagem|contato|proposta|material|isso|direto|um|uma))*? (?:para|pra|pro|a|ao|a)\b
        (?:pessoa|contato|contacto|responsavel|interlocutor\w*)(?: (?:\w+ ){0,4})?(?:e|seria)\b
        quem (?:cuida|trata|resolve|decide|responde|ve|assumiu|toca|gere|lida)(?: \w+){0,4} e\b|(?:em|com) copia
        (?:copio|copiando)\b
        (?:tratado|gerido|cuidado|conduzido) (?:por|pel[oa])\b|dirij\w+(?:-se)? (?:a|ao)\b
    """,
    pl=r"""
        (?:kontakt|skontaktowac sie|skontaktuj\w* sie|kontaktowac sie|porozmawiac|rozmawiac\
            |prosze kontaktowac sie) z(?:e)?\b
        (?:pisac|napisac|napisz\w*|wyslac|kierowac|zwrocic sie|zwracac sie|dzwonic)(?: \w+){0,2} (?:na|do)\b:?
        (?:przekazuj\w+|przekaza\w+|przesyla\w+|przeslal\w+)(?: \w+){0,4} (?:do|na|panu|pani)\b
        (?:osob\w+|odpowiedzialn\w+|wlasciw\w+)(?: \w+){0,4} (?:jest|to)\b
        (?:zajmuje sie|odpowiada za)(?: \w+){0,2}(?= pan)
        (?:zastepuje mnie|moj nastepca to|dodaje do (?:korespondencji|cc|dw))
    """,
    sv=r"""
        (?:kontakta|prata med|tala med|maila|mejla|fraga|vand (?:dig|er) till|hor av (?:dig|er) till\
            |ta kontakt med|skriv till|ring)\b(?: (?:istallet|garna|i stallet|hellre|min|mig))*
        (?:skickar|vidarebefordrar|har skickat|har vidarebefordrat|lamnar)(?: \w+){0,4} till\b
        (?:ratt person|kontaktperson|ansvarig)(?: \w+){0,4} ar\b|(?:hanteras|skots) av\b
        min (?:eftertradare|kollega) ar\b
    """,
    da=r"""
        (?:kontakt|tal med|tale med|skriv til|skrive til|ring til|henvend dig til|tag fat i|tage fat i\
            |ta kontakt med|snakk med|sporg)\b(?: (?:venligst|i stedet|gerne|hellere|min))*
        (?:sender|videresender|har sendt|har videresendt)(?: \w+){0,4} til\b
        (?:rette person|rette kontakt|kontaktperson|ansvarlig\w*)(?: \w+){0,4} er\b|(?:handteres|varetages) af\b
        min (?:efterfolger|kollega) er\b
    """,
)
# What stands after the person: "looks after it".
_IN_CHARGE = by_language(
    en=r"""
        (?:who(?:'s|'d| is| also)? |she |he |they |which )?(?:now |currently |actually |probably \
            |also )*(?:(?:would |will |can |could )(?:\w+ )?(?:handle|run|own|lead|manage|oversee|decide|take|help\
            |know|assist)|handles|looks after|look after|runs|owns|leads|manages|oversees|heads|covers|decides\
            |took over|takes over|taking over|has taken|takes care|take care|deals with|is responsible|is in charge\
            |are in charge|is the (?:right|best|one|main|proper|correct) (?:person|contact|one|place|point)\
            |is the (?:one|person|contact|guy|lead)|is your|is a (?:much )?better|(?:would|will|'d|may\
            |might) be (?:the|a|your) (?:right|better|best)|in charge)\b
        does(?= ?(?:[.,;!)]|$))|is the \w+ for this\b
    """,
    de=r"""
        (?:ist|sind|w(?:a|ae)re)(?: \w+){0,5} (?:zust(?:a|ae)ndig|verantwortlich|ansprechpartner\w*|richtige\w*)
        k(?:u|ue)mmert sich|(?:u|ue)bernimmt|(?:u|ue)bernommen|betreut|leitet|entscheidet|verantwortet|hilft
    """,
    fr=r"""
        (?:qui )?(?:s'en occupe|s'occupe|en charge|est (?:responsable|la bonne|votre|l'interl\w+|le bon)|gere\
            |me remplace|a pris|pourra|saura|suit|decide|pilote)
    """,
    es=r"""
        (?:que |quien |el|ella )?(?:se encarga|lleva|gestiona|es (?:la|el|quien) |se ocupa|esta a cargo\
            |me (?:sustituye|reemplaza)|maneja|podra|puede ayudar|decide|coordina)
    """,
    it=r"""
        (?:che )?(?:se ne occupa|si occupa|e (?:il|la) |gestisce|segue|mi sostituisce|ha preso|potra|decide\
            |e responsabile)
    """,
    nl=r"""
        (?:die )?(?:gaat (?:hier|daar)?|is (?:hier|daar)|is verantwoordelijk|regelt|is de|doet|heeft|beslist\
            |kan (?:u|je) (?:\w+ )?helpen|beheert)
    """,
    pt=r"""
        (?:que |quem )?(?:cuida|e (?:a|o) |e responsavel|trata|responde por|assumiu|podera|gere|decide|coordena\
            |esta a frente)
    """,
    pl=r"(?:ktor\w+ )?(?:zajmuje sie|odpowiada|jest odpowiedzialn\w+|przejal|przejela|zastepuje|prowadzi)",
    sv=r"(?:som )?(?:ansvarar|ar ansvarig|har tagit|tar over|skoter|hanterar|ar ratt|kan hjalpa)",
    da=r"(?:som |der )?(?:er ansvarlig|star for|tager sig|har overtaget|overtager|er rette|kan hjalpe|handterer)",
)
# "I will talk to Bo": they go themselves.
_THEMSELVES = re.compile(
    r"\b(?:i|we|me|let me|i'll|we'll|i will|we will|i'd|would have to|need to|have to"
    r"|going to|ich|wir|werde|muss|je|nous|vais|dois"
    r"|io|devo|ik|wij|moet|ga|eu|nos|vou|preciso|voy a|tengo que|debo|ja|musze|jag|ska"
    r"|maste|jeg|skal|ma)(?: \w+'?\w*){0,2} $"
)
_BY_THEMSELVES = re.compile(
    r"(?:talk|speak|reach|writ|turn|ask|check|call|ping|contact|e-?mail|get|deal|liaise"
    r"|follow|message|include|try|meet|sprech|red"
    r"|frag|voir|parl|habl|comenta|consult|sent|scriv|vra|spre|fal|convers|ver|pyt|porozm|prat|tal|snak)"
)
_COPIED = re.compile(
    r"cc|copy|copi|add|loop|bring|includ|i'm|i am|i've|have|in (?:cc|copi|kopie|copia)"
    r"|mets?|mett|en copie|com copia|em copia"
)
# Who keeps their calendar is no other contact.
_SCHEDULING = re.compile(
    r"calendar|schedul|assistant|find (?:us )?(?:a |some )?(?:time|slot|\d)"
    r"|sort out a time|set (?:something|it|this) up|set up a|coordinat"
)
_NOBODY = re.compile(r"\b(?:not|never|don't|do not|no need to|stop|nicht|ne|no|non|niet|nao|nie|inte|ikke)(?: \w+)? $")

_NAME_WORD = r"[A-ZÀ-ÖØ-ÞŁŚŻŹČŠŽ][\w'’-]*[a-zà-öø-ÿłśżźčšžńęąó](?:[A-Z][a-z]+)?"
_NAME = re.compile(
    rf"(?:{_NAME_WORD}|[A-Z]\.)(?: (?:(?:van|von|de|der|den|del|della|di|da|dos|la|le|el"
    rf"|bin|al|af|zu)\b ?){{0,2}}(?:{_NAME_WORD}|[A-Z]\.)){{0,3}}"
)
_TITLE = re.compile(
    r"(?:(?:mr|mrs|ms|miss|dr|prof|herrn?|frau|hr|fr|m|mme|mlle|madame|monsieur|sr|sra"
    r"|srta|senor|senora|don|dona|sig|sig\.?ra|signor|signora"
    r"|dott|dott\.?ssa|ing|dhr|mevr|de heer|mevrouw|meneer|pan|pani|pana|panem|pania|seu)\b\.?\s+)+",
    re.IGNORECASE,
)
_FILLER = re.compile(
    r"(?:(?:,|:|-|\s|please|directly|instead|rather|maybe|also|to|the|my|our|your|a|an"
    r"|with|at|either|of|old|new|former|current|boss|colleagues?|co-?worker|teammate"
    r"|team ?mate|friend"
    r"|manager|partner|assistant|here|in|bitte|direkt|an|mit|bei|meine[nmr]?|unsere[nmr]?"
    r"|der|die|das|den|dem|kolleg(?:e|in|en|innen)|chef(?:in)?|vorgesetzten?"
    r"|mon|ma|mes|notre|nos|votre|le|la|les|l'|collegues?|a|au|avec|plutot|directement|mi"
    r"|mis|nuestr[oa]s?|el|companer[oa]s?|colega|jef[ea]|con|al|directamente|mejor"
    r"|il|lo|mio|mia|nostr[oa]|collega|direttamente|alla|all'|mijn|onze|collega's|de|het"
    r"|met|naar|bij|meu|minha|nosso|nossa|o|com|para|min|mitt|vart|var|kollega|kollegan"
    r"|till|med|vores|mine|til|moj\w*|nasz\w*|koleg\w+|kolezank\w+|z|do|na|is|are|be|was"
    r"|would|e|ist|est|es|er|ar|named|called|namens|named|som|heter)\b[,:]?\s*|[,:–-]\s*)*",
    re.IGNORECASE,
)
_NO_NAMES = frozenset(
    """
    i i'm i'll i'd i've you your we our they he she it this that the a an hi hello hey dear thanks thank thx
    sorry best regards kind warm cheers please yes no ok not now then also and but so if for from sent on in
    at as to of my me us let lets monday tuesday wednesday thursday friday saturday sunday january february
    march april may june july august september october november december q1 q2 q3 q4 linkedin zoom teams
    google outlook gmail excel slack hubspot salesforce apollo calendly whatsapp crm erp saas api ai us uk
    eu usa gdpr ceo cfo cto coo cmo cio cro hr it pr vp svp evp roi ooo pto fyi btw asap ps cc bcc re fw fwd
    english german french sie ihr ihre ihnen ihren ich wir uns vielen dank danke guten tag hallo liebe
    lieber sehr geehrte geehrter geehrte mit freundlichen grussen gruss bitte herr frau herrn kollege
    kollegin kollegen einkauf vertrieb abteilung zentrale team geschaftsfuhrung geschaftsleitung marketing
    personal buchhaltung unternehmen firma anfrage angebot nachricht mail e-mail thema bereich
    ansprechpartner bonjour merci cordialement madame monsieur je nous vous il elle le la les un une service
    direction hola gracias saludos usted ustedes yo ella el los las buenos buenas estimado estimada ciao
    buongiorno grazie saluti cordiali lei noi voi beste groet bedankt geachte ik wij u ola oi obrigado
    obrigada bom boa senhor senhora prezado prezada eu voce ele ela dzien dobry dziekuje prosze panstwo pan
    pani hej tack med vanlig halsning jag vi ni hilsen tak jeg venlig sales procurement purchasing finance
    operations legal support engineering product person someone anyone department office
    company group head director manager procurement
    """.split()
)
_NO_NAMES |= frozenset(
    """
    what who which how when where why whose there here any some all more just only also wie was wer wo wann qui quoi
    comment quand que quien como cuando chi cosa come quando wat wie hoe wanneer quem kto co jak kiedy vad hvem hvad
    unfortunately currently actually perhaps maybe leider gerne aktuell derzeit
    """.split()
).union(*LITTLE.values())
_TOO_GENERAL = frozenset(
    "team department dept lead leader support director manager chef abteilung departamento afdeling avdelning setor"
    " dzial".split()
)
_EMAIL = re.compile(r"[\w.+'-]+@[\w-]+(?:\.[\w-]+)+")
_MACHINE = re.compile(r"\S*(?:unsubscribe|no-?reply|donotreply|mailer-daemon|postmaster|bounce)", re.IGNORECASE)
_PHONE = re.compile(r"(?<![\w.@/-])(?:\+|00)?\(?\d[\d ()./-]{6,18}\d(?![\w@/])")
_ROLE = (
    r"head(?= of\b)|vp\b|vice president|chief [\w ]{2,25}officer|c[efmtdir]o\b|cro\b"
    r"|coo\b|cpo\b|director\b|manager\b|lead\b|leader\b|team\b|department\b|dept\b"
    r"|buyer\b|procurement\b|purchasing\b|purchase"
    r"|accounts? payable|accounting|finance\b|marketing\b|sales\b|revops\b|operations\b"
    r"|human resources|hr\b|it\b(?= (?:team|department|dept|desk|manager|director|lead))"
    r"|legal\b|support\b|compliance|office manager|head office|front desk|reception"
    r"|leit(?:er|erin|ung)\b|\w*leit(?:er|erin|ung)\b|\w*abteilung\b|einkauf\w*"
    r"|vertrieb\w*|geschaftsfuhr\w+|personal(?:abteilung|leitung|wesen)|buchhaltung"
    r"|zentrale\b|sekretariat"
    r"|responsable|directeur|directrice|direction\b|service (?:achats?|\w+)|achats?\b"
    r"|rh\b|dsi\b|daf\b|drh\b|comptabilite|chef de \w+"
    r"|director[ae]?\b|gerente\b|jef[ea] de \w+|encargad[oa]|departamento|area de \w+"
    r"|compras\b|recursos humanos|direccion\b|persona de \w+|comunicacion\b"
    r"|responsabile|direttore|direttrice|ufficio \w+|reparto \w+|acquisti\b|amministrazione"
    r"|inkoop\w*|afdeling\w*|directeur\b|directie\b|verkoop\b|hoofd \w+"
    r"|diretor[ae]?\b|setor\b|responsavel|financeiro\b|comercial\b|suprimentos|dzial\w*"
    r"|kierowni\w+|dyrektor\w*|inkop\w*|avdelning\w*|chef\b|indkob\w*|afdeling\w*"
)
_POSITION = re.compile(
    rf"(?:(?:our|the|my|your|unser\w*|mein\w*|der|die|den|notre|le|la|l'|nuestr[oa]|el|al"
    rf"|il|nostr[oa]|onze|de|het|nosso|nossa|o|a|do|vores|var|vart)\s+|l')?"
    rf"(?P<role>(?:[\w&-]+ ){{0,2}}?(?:{_ROLE})(?: (?:team|department|dept|manager|director|lead)\b)?"
    rf"(?: (?:of|de|del|di|da|do|van|fur"
    rf"|der)\b(?: (?!who|and|or|is|she|he|they|instead|directly|please|handles|at|in|on"
    rf"|for|to|with|und|et|y|e|qui|que|that|which|por|as)[\w&-]+){{0,3}})?)",
)


def read(text: str) -> Referral | None:
    """Return the contact a reply points to instead; None without one, or if only for the time of an absence."""
    own = said(text)[:READ]
    if out_of_office.is_one(own):
        return None
    words, languages, parts = plain(own).lower(), likely(own), sentences(own)
    found: list[Referral] = []
    for index, (begin, end) in enumerate(parts):
        below = parts[index + 1][1] if index + 1 < len(parts) else end
        for at, copied in _places(words, begin, end, languages):
            one = None if copied and _SCHEDULING.search(words, begin, below) else _contact(own, at, end, below, copied)
            if one:
                found.append(Referral(*one, said=" ".join(own[begin:end].split())[:LONGEST_SAID]))
        if other := _in_charge(own, words, begin, end, below, languages):
            found.append(other)
    if len(own) > LONG:  # a story names many people
        found = [one for one in found if one.name and (one.email or one.position)]
    return max(found, key=lambda one: (bool(one.name), bool(one.email), bool(one.position)), default=None)


def _places(words: str, begin: int, end: int, languages: list[str]) -> list[tuple[int, bool]]:
    """Return where the words after "talk to" begin, if they do not go themselves, and whether it is "copying"."""
    places = []
    for language in languages:
        for cue in _TOWARDS[language].finditer(words, begin, end):
            before = words[begin : cue.start()]
            goes = _THEMSELVES.search(before) and _BY_THEMSELVES.match(cue[0])
            if not goes and not _NOBODY.search(before):
                places.append((cue.end(), bool(_COPIED.match(cue[0]))))
    return places


def _contact(own: str, at: int, end: int, below: int, copied: bool) -> tuple[str, str, str, str] | None:
    """Read who stands at a place, by name, address or position, with what the next sentence adds."""
    start = _skip(own, at, end)
    name, after = _name_at(own, start, end)
    email = _EMAIL.search(own, at, min(end, (after if name else start) + 90))
    position = _position(own, after if name else start, end, bool(name))
    if not name and position:  # "our head of sales, Bo"
        apposed = re.compile(r"[ ,(–—:-]+").match(own, own.find(position, start) + len(position), end)
        name, after = _name_at(own, apposed.end(), end) if apposed else ("", after)
    if not name and not (email and email.start() - start < 40) and (copied or not position):
        return None
    if email and _MACHINE.match(email[0]):
        return None
    if name and not email:
        email = _EMAIL.search(own, end, below)
    phone = _PHONE.search(own, after, below)
    return name, email[0] if email else "", phone[0].strip() if phone else "", position


def _skip(own: str, at: int, end: int) -> int:
    while True:
        filler = _FILLER.match(plain(own), at, end)
        titled = _TITLE.match(plain(own), filler.end() if filler else at, end)
        following = titled.end() if titled else filler.end() if filler else at
        if following == at:
            return at
        at = following


def _name_at(own: str, at: int, end: int) -> tuple[str, int]:
    found = _NAME.match(own, at, end)
    if not found:
        return "", at
    kept: list[str] = []
    for word in found[0].split():
        if word.islower() and kept:
            kept.append(word)
            continue
        if plain(word).lower().strip(".'") in _NO_NAMES or re.fullmatch(rf"(?:{_ROLE})", plain(word).lower()):
            break
        kept.append(word)
    while kept and kept[-1].islower():
        kept.pop()
    name = re.sub(r"['’]s$", "", " ".join(kept))
    return name, at + len(" ".join(kept))


def _position(own: str, at: int, end: int, named: bool) -> str:
    """Return the position or department: right there, or after a name in an apposition."""
    words = plain(own).lower()
    if named:
        joined = re.compile(
            r"[ ,(–-]*(?:from|in|on|at|of|our|the|who is|who's|is|aus|vom|von|im|in der|du|de|del"
            r"|dell[ao]|nuestr[oa]|notre|unser\w*|onze|van|nosso|nossa|da|do)?\s*"
        ).match(words, at, end)
        at = joined.end() if joined else at
    found = _POSITION.match(words, at, min(end, at + 80))
    position = own[found.start("role") : found.end("role")].strip(" ,.") if found else ""
    return "" if plain(position).lower() in _TOO_GENERAL else position


def _in_charge(own: str, words: str, begin: int, end: int, below: int, languages: list[str]) -> Referral | None:
    """Read "Bo looks after this", "procurement decides"."""
    if role := _POSITION.match(words, begin, end):
        at = role.end() + (words[role.end() : role.end() + 1] == " ")
        position = own[role.start("role") : role.end("role")]
        for stop in range(role.start("role"), role.end("role")):
            if words[stop] == " " and any(_IN_CHARGE[one].match(words, stop + 1, end) for one in languages):
                at, position = stop + 1, own[role.start("role") : stop]
                break
        if plain(position).lower() not in _TOO_GENERAL and any(
            _IN_CHARGE[one].match(words, at, end) for one in languages
        ):
            return Referral(position=position, said=" ".join(own[begin:end].split())[:LONGEST_SAID])
    for found in _NAME.finditer(own, begin, end):
        name, after = _name_at(own, found.start(), end)
        if not name:
            continue
        between = re.compile(r"(?:,[^,.]{2,60},|\s*\([^)]{2,40}\)|,? )?\s*").match(words, after, end)
        at = between.end() if between else after
        if any(_IN_CHARGE[language].match(words, at, end) for language in languages):
            email, phone = _EMAIL.search(own, after, below), _PHONE.search(own, after, below)
            position = _position(own, after, at, True)
            text = " ".join(own[begin:end].split())[:LONGEST_SAID]
            return Referral(name, email[0] if email else "", phone[0].strip() if phone else "", position, text)
    return None
