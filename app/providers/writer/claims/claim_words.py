"""Words that tell a claim from a question, a wish or a greeting, in the languages of the market.

Small words and everyday verbs claim nothing by themselves: they need no source. Counting words are numbers, and words
such as "every", "only" and "best" are left out on purpose, because they change what is claimed. Single words are
compared without accents, patterns with them, all in small letters.
"""

import re
import unicodedata


def plain(text: str) -> str:
    """Return the text without accents."""
    for letter, others in (("ß", "ss"), ("ł", "l"), ("ø", "o"), ("æ", "ae")):
        text = text.replace(letter, others)
    split = unicodedata.normalize("NFKD", text)
    return "".join(character for character in split if not unicodedata.combining(character))


_NEUTRAL = {
    "en": (
        "short brief stay some time passed ask asked asking wanted stand things a an the this that these those and "
        "or but nor so as than then there here also too just very quite both either of to in on at by for from with "
        "within into onto over under up out off about after before since until while during through between across "
        "around among along per via like such i me my mine we us our ours you your yours he him his she her hers it "
        "its they them their theirs who whom whose which what where when how why one is are am was were be been "
        "being isn aren has have had having do does did doing done can will would shall should must get gets got "
        "getting give gives given make makes made making take takes took taken put let lets come comes came go goes "
        "going offer offers offered offering provide provides provided providing deliver sell sells selling run "
        "runs running lead leads leading head heads manage manages work works working worked use uses using used "
        "know known knows see saw seen read reading notice noticed hear heard learn learned learnt find found show "
        "shows shown tell look looks looking need needs want wants keep keeps help helps helping mean means meant "
        "designed intended based located named called thing way ways kind sort part role job position company "
        "companies business businesses firm firms team teams people person customer customers client clients "
        "congratulations congrats hi hello hey dear thanks thank please best regards cheers mr mrs ms dr etc new "
        "recently recent currently now today again even still already well own same other others another because "
        "though although fit fits touch contact reach write writing writes wrote connect connecting message email "
        "website site page words puts question s t re ve ll d m don open opening create creates creating build "
        "builds building built develop develops developing produce produces serve serves serving support supports "
        "supporting advise advises plan plans carry organise organize start starts started begin begins exist "
        "exists include includes including contain contains consist consists belong belongs focus specialise "
        "specialize specialised specialized receive receives expect care cares handle handles cover covers"
    ),
    "de": (
        "kurz kurze der die das den dem des ein eine einen einem einer eines dieser diese dieses diesem diesen und "
        "oder aber auch noch schon so als wie denn da dort hier in im ins an am auf aus bei beim mit nach seit von "
        "vom vor zu zum zur fur durch um uber unter zwischen gegen ohne bis wahrend wegen ich mir mich mein meine "
        "wir uns unser unsere unseren unserem unserer unseres sie ihr ihnen ihre ihren ihrem ihrer ihres er es sein "
        "seine man was wer wo wann warum welche welcher welches dass ob ist sind war waren bin bist wird werden "
        "wurde wurden worden haben hat habe hatte hatten gewesen kann konnen konnte wollen will mochten mochte soll "
        "sollte mussen muss darf machen macht gemacht tun tut geben gibt gegeben bieten bietet geboten anbieten "
        "liefern liefert arbeiten arbeitet gearbeitet fuhren fuhrt leiten leitet verantworten verantwortet nutzen "
        "nutzt verwenden verwendet einsetzen setzen sehen gesehen gelesen gehort helfen hilft unterstutzen "
        "unterstutzt brauchen braucht sitzt kommen kommt gehen geht finden findet gefunden zeigen zeigt heissen "
        "heisst firma firmen unternehmen betrieb kunde kunden team leute menschen herzlichen gluckwunsch gratuliere "
        "hallo guten tag sehr geehrte geehrter herr frau danke vielen dank bitte grusse freundlichen viele beste "
        "neu neue neuen neuer neues kurzlich derzeit jetzt heute gerade eben selbst eigene eigenen andere anderen "
        "dabei dafur damit darauf rund sich weil obwohl stehen steht entwickeln entwickelt bauen baut herstellen "
        "stellen stellt her produzieren produziert fertigen fertigt beraten berat betreuen betreut begleiten "
        "begleitet planen plant organisieren organisiert beginnen beginnt begann erhalten erhalt bekommen enthalten "
        "umfassen umfasst gehoren spezialisiert kummern kummert ubernehmen ubernimmt erledigen erledigt spielen "
        "spielt sorgen sorgt"
    ),
    "fr": (
        "bref breve le la les l un une des du de d au aux ce cet cette ces c et ou mais donc or ni car que qu qui "
        "quoi dont quand comment pourquoi en dans sur sous par pour avec sans chez vers entre depuis pendant avant "
        "apres comme ainsi aussi encore deja tres plus je j me m mon ma mes moi nous notre nos vous votre vos il "
        "elle on ils elles lui leur leurs son sa ses se s y est sont suis sommes etes etait etaient ete etre sera a "
        "ai as avons avez ont avait avoir eu fait font faire faites faisons peut peuvent pouvons pouvez veut "
        "voulons doit devons va vont allons offrir offre offrons proposer propose proposons fournir fournit "
        "fournissons assurer assure assurons realiser realise realisons vendre vend vendons travailler travaille "
        "travaillons travaillez utiliser utilise utilisez utilisons diriger dirige dirigez gerer gere gerez voir vu "
        "lu entendu savoir aider aide aidons accompagner trouver donner donne donnons prendre mettre entreprise "
        "entreprises societe equipe personnes client clients felicitations bravo bonjour cher chere monsieur madame "
        "merci cordialement nouveau nouvelle nouveaux nouvelles recemment actuellement maintenant aujourd hui n t "
        "autre autres meme propre parce puisque creer cree creons developper developpe developpons fabriquer "
        "fabrique fabriquons produire produit produisons servir sert servons conseiller conseille conseillons "
        "organiser organise organisons commencer commence recevez recevoir contact ecris ecrire message site mots "
        "question comprend comprennent inclut compter comptons effectuer effectue effectuons intervenir"
    ),
    "es": (
        "breve el la los las lo un una unos unas de del al a y e o u pero que quien quienes cual como cuando donde "
        "por para con sin en sobre entre desde hasta hacia segun tras ante bajo yo me mi mis nos nosotros nuestro "
        "nuestra nuestros nuestras tu tus te usted ustedes su sus se le les ella ellos ellas esto esta este estos "
        "estas ese esa eso ya tambien muy mas aun es son soy somos era eran sido ser sera estan estoy estamos ha "
        "han he hemos habia haber tiene tienen tengo tenemos tener hace hacen hago hacemos hacer puede pueden puedo "
        "podemos quiere quiero queremos debe va van vamos ofrece ofrecen ofrecemos ofrecer proporciona "
        "proporcionamos vende vendemos trabaja trabajan trabajo trabajamos utiliza utilizan usa usan dirige dirigen "
        "lleva llevan gestiona visto leido vi ver saber ayuda ayudamos ayudar dar da damos encontrar empresa "
        "empresas negocio equipo personas gente cliente clientes felicidades enhorabuena hola estimado estimada "
        "gracias saludos senor senora nuevo nueva nuevos nuevas recientemente actualmente ahora hoy otro otra otros "
        "otras mismo misma propio porque aunque crear crea creamos desarrollar desarrolla desarrollamos fabricar "
        "fabrica fabricamos producir produce producimos servir sirve servimos asesorar asesora asesoramos organizar "
        "organiza organizamos empezar empezo recibir recibe contacto escribo escribir mensaje sitio web palabras "
        "pregunta incluye incluyen contar cuenta contamos realizar realiza realizamos disponer dispone disponemos "
        "atender atendemos"
    ),
    "it": (
        "breve il lo la i gli le l un uno una di del dello della dei degli delle d a al allo alla ai agli alle da "
        "dal dallo dalla dai dagli dalle in nel nello nella nei negli nelle con su sul sullo sulla sui sulle per "
        "tra fra e ed o ma che chi cui quale quali come quando dove perche anche ancora gia molto piu cosi io mi "
        "mio mia miei mie noi ci nostro nostra nostri nostre voi vi vostro vostra tu lei suo sua suoi sue si se lui "
        "loro essi questo questa questi queste quello quella sono sei siamo siete era erano stato stata essere sara "
        "ho ha hai abbiamo avete hanno aveva avere avuto fa fanno faccio facciamo fare fatto puo possono posso "
        "possiamo vuole vogliamo deve va vanno offre offrono offriamo offrire fornisce forniamo vende vendiamo "
        "lavora lavorano lavoro lavoriamo usa usate utilizza dirige guida gestisce visto letto sentito vedere "
        "sapere aiuta aiutiamo aiutare dare diamo trovare azienda aziende impresa societa team squadra persone "
        "cliente clienti complimenti congratulazioni salve buongiorno gentile caro cara grazie saluti signor "
        "signora nuovo nuova nuovi nuove recentemente attualmente ora oggi altro altra altri altre stesso proprio "
        "siccome creare crea creiamo sviluppare sviluppa sviluppiamo produrre produce produciamo realizzare "
        "realizza realizziamo servire serve serviamo organizzare organizza organizziamo iniziare iniziato ricevere "
        "riceve comprende include occupa occupiamo disporre disponiamo"
    ),
    "nl": (
        "kort de het een deze dit die dat en of maar ook nog al zo als dan er hier daar in op aan bij met naar van "
        "voor uit over onder om door tot sinds tussen tegen zonder binnen per te ik me mij mijn wij we ons onze u "
        "uw je jij jouw jullie hij hem zijn haar zij ze hun zich wie wat waar wanneer hoe waarom welke is ben bent "
        "was waren wordt worden werd geweest heeft hebben heb had kan kunnen wil willen zal zullen zou moet moeten "
        "mag doen doet gedaan maken maakt gemaakt geven geeft bieden biedt aanbieden leveren levert verkopen "
        "verkoopt krijgt krijgen werken werkt gewerkt gebruiken gebruikt leiden leidt runnen beheren beheert zien "
        "zag gezien lezen gelezen las weten helpen helpt geholpen komen komt gaan gaat vinden gevonden bedrijf "
        "bedrijven onderneming team mensen klant klanten gefeliciteerd hallo beste geachte heer mevrouw dank "
        "bedankt groet groeten vriendelijke nieuw nieuwe onlangs momenteel nu vandaag ander andere eigen zelf omdat "
        "hoewel ontwerpen ontwikkelen ontwikkelt bouwen bouwt produceren produceert bedienen adviseren adviseert "
        "begeleiden begeleidt verzorgen verzorgt organiseren organiseert beginnen begon ontvangen ontvangt omvat "
        "bevat staan staat"
    ),
    "pt": (
        "breve o a os as um uma uns umas de do da dos das no na nos nas em ao aos e ou mas que quem qual como "
        "quando onde por pelo pela para com sem sobre entre desde ate segundo eu me meu minha nosso nossa nossos "
        "nossas voce voces seu sua seus suas se lhe ele ela eles elas isto isso este esta esse essa ja tambem muito "
        "mais ainda sao sou somos era eram sido ser sera estao estou estamos tem tenho temos ter ha faz fazem faco "
        "fazemos fazer pode podem posso podemos quer queremos deve vai vao vamos oferece oferecem oferecemos "
        "oferecer fornece fornecemos vende vendemos trabalha trabalham trabalho trabalhamos usa usam utiliza dirige "
        "lidera gere visto vi lido li ver saber ajuda ajudamos ajudar dar damos encontrar empresa empresas negocio "
        "equipa equipe pessoas cliente clientes parabens ola caro cara obrigado obrigada cumprimentos senhor "
        "senhora novo nova novos novas recentemente atualmente agora hoje outro outra outros outras mesmo proprio "
        "porque embora criar cria criamos desenvolver desenvolve desenvolvemos fabricar fabrica fabricamos produzir "
        "produz produzimos servir serve servimos organizar organiza organizamos comecar comecou receber recebe "
        "inclui incluem contar conta contamos realizar realiza realizamos atender atendemos"
    ),
    "sv": (
        "en ett den det de dem denna detta dessa och eller men som att i pa av till fran for med om vid hos under "
        "over mellan utan genom sedan efter fore innan jag mig min mitt mina vi oss var vart vara ni er ert era du "
        "dig din han hon hans hennes sig sin sitt sina vem vad vilken nar hur varfor ar varit blev blir har hade ha "
        "kan kunde vill ska skulle maste far fick gor gora gjort ge ger erbjuder erbjuda leverera levererar saljer "
        "salja saljs arbetar jobbar anvander anvanda leder leda driver ser sag sett last veta hjalpa hjalper hjalpt "
        "kommer gar finns hitta foretag foretaget bolag team folk kund kunder grattis hej tack halsningar ny nytt "
        "nya nyligen nu idag annan andra egen samma ocksa an sa skapar skapa utvecklar utveckla bygger bygga "
        "tillverkar producerar ordnar borjade startade omfattar ingar utfor utfora skoter"
    ),
    "da": (
        "en et den det de dem denne dette disse og eller men som at i pa af til fra for med om ved hos under over "
        "mellem mellom uten uden gennem siden etter efter jeg mig meg min mit mitt mine vi os oss vores var vart "
        "vare ni dere deres jer du deg dig din han hun hans hendes sig seg sin hvem hva hvad hvilken hvor nar "
        "hvordan hvorfor er vaere vaert blev ble bliver blir har havde hadde ha kan kunne vil skal skulle ma far "
        "fik fikk gor gjore gjort giver gir tilbyder tilbyr leverer selger saelger arbejder arbeider jobber bruger "
        "bruker leder driver ser sa set sett laest lest vide vite hjaelpe hjelper hjulpet kommer gar finnes findes "
        "virksomhed firma bedrift team folk kunde kunder tillykke gratulerer hej hei tak takk hilsen ny nyt nye "
        "nylig nu na dag annen anden andre egen"
    ),
    "pl": (
        "i w z na do dla od o po za przez przy pod nad przed bez u oraz lub albo ale a ze to ten ta te tego tej tym "
        "tych tam tu tak jak jako kto co gdzie kiedy czy ktory ktora ktore ktorzy ja mnie moj moja moje my nas nam "
        "nami nasz nasza nasze naszych naszym pan pani panstwo panstwa panu wy wasz jego jej ich sie swoj jest sa "
        "byl byla bylo byli byc bedzie jestem jestesmy ma maja mam mamy miec moze moga mozemy chce chcemy robi "
        "robimy daje dajemy oferuje oferujemy dostarcza dostarczamy sprzedaje sprzedajemy pracuje pracujemy "
        "prowadzi kieruje uzywa uzywaja korzysta widzialem widzialam wiem pomagamy pomaga dzialamy dziala firma "
        "firmy firmie zespol ludzie klient klienci klientow gratulacje dzien dobry szanowny szanowna dziekuje "
        "pozdrawiam nowy nowa nowe teraz obecnie dzis inny inne juz jeszcze tez rowniez"
    ),
    "tr": (
        "ve veya ile bir bu su o icin gibi kadar daha cok da de ki mi ben biz bizim siz sizin sizi onlar kim ne "
        "nerede zaman nasil var yok olan olarak oldu olduk ediyoruz yapiyoruz sunuyoruz veriyoruz calisiyoruz "
        "sirket firma ekip musteri musteriler merhaba tesekkurler yeni simdi bugun"
    ),
}
NEUTRAL = frozenset(word for words in _NEUTRAL.values() for word in words.split())

# Who is spoken of: us, or the person written to. Endings where the language has no need of a word for "we".
_US = (
    r"we|our|ours|us|wir|unser\w*|uns|nous|notre|nos|nuestr[oa]s?|nosotros|noi|nostr[oaie]|wij|onze|ons|nosso|nossa|"
    r"nossos|nossas|vi|var|vara|oss|vores|nasz\w*|nas|biz|bizim|"
    r"(?:s|est|ten|hac|pod|trabaj|ofrec|vend|serv|ayud|dis|fabric|cre|desarroll)\w*[aeio]mos|\w{3,}iamo|siamo|"
    r"\w{3,}[aei]mos|\w{4,}(?:amy|emy|imy|ymy|lismy)|\w{4,}(?:iyoruz|duk|dik)"
)
_THEM = (
    r"you|your|yours|sie|ihr|ihre[nmrs]?|ihnen|vous|votre|vos|usted|ustedes|su|sus|tu|tus|lei|suo|sua|suoi|voi|vostr\w|"
    r"u|uw|je|jij|jouw|jullie|voce|seu|seus|suas|ni|er|ert|era|du|din|deg|dig|deres|pan|pani|panu|panstwo|panstwa|"
    r"wasz\w*|"
    r"siz|sizin"
)
OF_US = re.compile(rf"\b(?:{_US})\b")
OF_THEM = re.compile(rf"\b(?:{_THEM})\b")

# Where a sentence begins so, it asks, wishes, supposes or says goodbye.
OPENS = re.compile(
    r"^(?:(?:and|but|or|und|aber|oder|et|mais|ou|y|pero|o|e|ma|en|maar|mas|so|also)\s+)?(?:"
    r"if|whether|would|could|may|might|perhaps|maybe|should|shall|please|let|just|feel|happy to|glad to|hope|i hope|"
    r"(?:with )?(?:best|kind|warm|many|all the|mit|viele|beste|liebe|freundliche|bien|un|met|cordiali|melhores|"
    r"med)\b.{0,12}"
    r"\b(?:regards|wishes|best|thanks|gr(?:ü|ue)(?:ß|ss)en?|cordialement|saludo|groet(?:en)?|saluti|cumprimentos|"
    r"hälsning(?:ar)?|hilsen)\b|"
    r"wenn|falls|ob|vielleicht|gern|gerne|bitte|sollten?|möchten|dürfte|wollen|hätten|"
    r"si|peut-être|n['’]hésitez|seriez|auriez|pourriez|serait|s['’]il|"
    r"quizás?|tal vez|podría|podríamos|sería|le gustaría|te gustaría|avíseme|dígame|"
    r"se|forse|potrebbe|potremmo|sarebbe|le andrebbe|mi faccia|mi dica|"
    r"als|misschien|zou|zouden|wilt|laat|indien|mocht|"
    r"caso|talvez|poderia|poderíamos|gostaria|diga|"
    r"om|kanske|skulle|hör av|hvis|måske|kanskje|jeśli|może|czy|eger|belki)\b"
)
HEDGES = re.compile(
    r"\b(?:if|whether|would|could|may|might|perhaps|maybe|often|usually|sometimes|tends? to|probably|i (?:think|"
    r"thought|"
    r"guess|wonder|assume|imagine|don't know|do not know)|"
    r"wenn|falls|ob|vielleicht|könnte[nt]?|würde[nt]?|möchte[nt]?|oft|meist|manchmal|häufig|wohl|vermutlich|"
    r"ich (?:denke|glaube|"
    r"dachte|frage mich|weiß nicht)|"
    r"peut-être|pourrait|pourriez|pourrions|serait|seriez|aimerais|souvent|parfois|je (?:pense|crois|me demande|"
    r"ne sais)|"
    r"quizás?|tal vez|podría\w*|gustaría|sería|a menudo|suele\w*|creo que|no sé si|pienso que|"
    r"forse|potrebbe\w*|potremmo|vorrei|piacerebbe|sarebbe|spesso|a volte|credo che|penso che|non so se|mi chiedo|"
    r"misschien|zou|zouden|vaak|soms|ik (?:denk|dacht|vraag me|weet niet)|"
    r"talvez|poderia\w*|gostaria\w*|seria|muitas vezes|costuma|acho que|penso que|não sei se|"
    r"kanske|skulle|ofta|ibland|måske|kanskje|ofte|może|możliwe|często|chętnie|belki)\b"
)
# What one person says of themselves claims nothing of the business, unless it tells what was seen.
SALUTATION = re.compile(
    r"^\s*(?:hi|hello|hey|dear|good (?:morning|afternoon|day)|hallo|guten tag|guten morgen|liebe[r]?|"
    r"sehr geehrte[r]?|moin|"
    r"bonjour|cher|chère|hola|buenos días|buenas tardes|estimad[oa]|ciao|salve|buongiorno|gentile|car[oa]|dag|"
    r"goedendag|"
    r"geachte|beste|olá|bom dia|prezad[oa]|hej|hei|god dag|dzień dobry|szanown[ya]|"
    r"merhaba)\b[^,.!?;:]{0,40}[,.!:–-]\s*",
    re.IGNORECASE,
)
FIRST_PERSON = re.compile(
    r"\b(?:i|i['’]m|i['’]d|i['’]ll|i['’]ve|my|me|ich|mich|mir|mein\w*|je|j|j['’]\w+|mon|ma|mes|moi|yo|mi|me|"
    r"quisiera|quiero|escribo|"
    r"io|vorrei|scrivo|ik|mij|mijn|eu|gostaria|escrevo|meu|minha|jag|mig|jeg|meg|ja|mnie|piszę|chciałbym|"
    r"chciałabym|ben)\b"
)
SEEN = re.compile(
    r"\b(?:saw|seen|noticed?|read|heard|learn(?:ed|t)|came across|congrat\w+|gesehen|gelesen|gehört|bemerkt|"
    r"aufgefallen|"
    r"glückwunsch|gratulier\w+|vu|lu|remarqué|entendu|appris|f[ée]licit\w+|bravo|visto|vi|leído|enhorabuena|ho visto|"
    r"ho letto|letto|notato|complimenti|congratulazioni|zag|gezien|las|gelezen|gefeliciteerd|lido|li|parabéns|såg|sett|"
    r"läst|læst|grattis|set|tillykke|gratulerer|widziałem|widziałam|czytałem|gratul\w+|told|wrote|said|schrieben|"
    r"sagten)\b"
)
PRESUMES = re.compile(
    r"\b(?:did you know|how we(?:['’]ve)? |that we(?:['’]ve)? |wussten sie|wusstest du|wie wir|saviez-vous|"
    r"comment nous|"
    r"sabía usted|sabías|como (?:hemos|ayud)|lo sapeva|sapevi|come abbiamo|wist u|wist je|hoe wij|hoe we|sabia que|"
    r"visste)"
)
# Words that claim the same, in any of the languages.
_ALIKE = (
    "founded established formed incorporated exist exists existed gegrundet bestehen besteht fondee fonde fondes "
    "creee existe fundada fundado existimos fondata fondato nata nato esiste esistiamo opgericht bestaat "
    "zalozona kuruldu",
    "all every each alle jede jeder jedes jeden tous toutes chaque todos todas cada tutti tutte ogni elke iedere",
    "complete completes completed finish finishes finished",
    "repair repairs repaired fix fixes fixed mend mends",
    "buy buys bought purchase purchases purchased",
)
ALIKE = {word: number for number, several in enumerate(_ALIKE) for word in several.split()}
STRONG = frozenset(
    plain(word)
    for word in (
        "all every everyone always only exclusively best largest biggest leading first cheapest fastest most free "
        "guarantee guaranteed guarantees certified award awards award-winning proven trusted number-one risk-free "
        "unique double "
        "triple halve half twice thrice "
        "jeder jede jedes immer nur beste größte führende erste günstigste schnellste kostenlos gratis garantiert "
        "garantie zertifiziert ausgezeichnet bewährt einzige doppelt hälfte verdoppelt verdoppeln halbiert halbieren "
        "tous toutes chaque toujours seul seule meilleur meilleure leader premier gratuit gratuite garanti garantie "
        "certifié certifiée primé unique moitié double "
        "todos todas cada siempre solo único mejor líder primero gratis gratuito garantizado certificado premiado "
        "mitad doble "
        "tutti tutte ogni sempre unico migliore leader primo gratuito garantito certificato premiato metà doppio "
        "premiati "
        "elke altijd enige beste grootste goedkoopste snelste gratis garantie gecertificeerd bekroond helft "
        "dubbel "
        "todos todas cada sempre melhor líder primeiro grátis gratuito garantido certificado premiado metade dobro "
        "varje alltid bästa största ledande gratis garanti certifierad hälften dubbelt "
        "wszyscy każdy każda każdą zawsze najlepszy największy lider darmowy gwarancja certyfikowany połowa dwukrotnie"
    ).split()
)
NEGATIONS = frozenset(
    "not no never none without isn't don't doesn't aren't won't can't nicht kein keine keinen keiner nie niemals "
    "ohne ne "
    "pas jamais aucun aucune sans ni nunca jamas ningun ninguna sin non mai nessun nessuna senza niet geen nooit "
    "zonder "
    "nao nunca nenhum nenhuma sem inte ingen inga aldrig utan ikke nigdy bez degil".split()
)
_VALUES = (2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 15, 20, 30, 40, 50, 60, 70, 80, 90, 100, 1000, 1_000_000)
_COUNTED = {
    "en": "two three four five six seven eight nine ten eleven twelve fifteen twenty thirty forty fifty sixty seventy "
    "eighty ninety hundred thousand million",
    "de": "zwei drei vier funf sechs sieben acht neun zehn elf zwolf funfzehn zwanzig dreissig vierzig funfzig sechzig "
    "siebzig achtzig neunzig hundert tausend million",
    "fr": "deux trois quatre cinq six sept huit neuf dix onze douze quinze vingt trente quarante cinquante soixante "
    "septante quatre-vingts nonante cent mille million",
    "es": "dos tres cuatro cinco seis siete ocho nueve diez once doce quince veinte treinta cuarenta cincuenta sesenta "
    "setenta ochenta noventa cien mil millon",
    "it": "due tre quattro cinque sei sette otto nove dieci undici dodici quindici venti trenta quaranta cinquanta "
    "sessanta settanta ottanta novanta cento mille milione",
    "nl": "twee drie vier vijf zes zeven acht negen tien elf twaalf vijftien twintig dertig veertig vijftig zestig "
    "zeventig tachtig negentig honderd duizend miljoen",
    "pt": "dois tres quatro cinco seis sete oito nove dez onze doze quinze vinte trinta quarenta cinquenta sessenta "
    "setenta oitenta noventa cem mil milhao",
    "sv": "tva tre fyra fem sex sju atta nio tio elva tolv femton tjugo trettio fyrtio femtio sextio sjuttio attio "
    "nittio hundra tusen miljon",
    "da": "to tre fire fem seks syv otte ni ti elleve tolv femten tyve tredive fyrre halvtreds tres halvfjerds firs "
    "halvfems hundrede tusind million",
    "pl": "dwa trzy cztery piec szesc siedem osiem dziewiec dziesiec jedenascie dwanascie pietnascie dwadziescia "
    "trzydziesci czterdziesci piecdziesiat szescdziesiat siedemdziesiat osiemdziesiat dziewiecdziesiat sto tysiac "
    "milion",
}
_AMBIGUOUS = frozenset("sei sex to ni ti mille once due cent fire".split())  # words of other languages too
_MANY = frozenset(
    "dozens hundreds thousands millions tausende hunderte millionen dutzende centaines milliers millions docenas "
    "cientos "
    "millones decine centinaia migliaia milioni honderden duizenden miljoenen dezenas centenas milhares milhoes "
    "hundratals tusentals setki tysiace miliony dwie trzech".split()
)
# "One day" counts, "one of us" and "ein Gespräch" do not.
ONES = frozenset("one ein eine einem einen einer un une una uno een um uma".split())
TIMES = re.compile(
    r"\s+(?:single |einzige\w* |seul\w* |sol[ao] )?"
    r"(?:minutes?|hours?|days?|weeks?|months?|years?|minuten?|stunden?|tag(?:e|en|es)?|"
    r"wochen?|monat(?:e|en|s)?|jahr(?:e|en|es)?|heures?|jours?|semaines?|mois|ans?|annees?|minutos?|horas?|dias?|semanas?|"
    r"mes(?:es)?|anos?|minut[oi]|or[ae]|giorn[oi]|settiman[ae]|mes[ei]|ann[oi]|uur|uren|dag(?:en)?|weken|maand(?:en)?|"
    r"jaar)\b"
)
NUMBERS = {
    **dict.fromkeys(_MANY, 0),
    **{
        word: value
        for words in _COUNTED.values()
        for word, value in zip(words.split(), _VALUES, strict=True)
        if word not in _AMBIGUOUS
    },
}
