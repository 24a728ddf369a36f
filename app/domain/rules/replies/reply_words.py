"""Phrases of replies in German, French, Spanish, Italian, Dutch and Portuguese: a yes, a no, and "write no more".

Texts are compared without accents, in small letters. English stands in the classifier itself.
"""

from app.domain.rules.languages import by_language

# "Write no more": what follows is a lasting exclusion, so only plain wishes count.
OUT = by_language(
    de=r"""
        (?:nehm|nimm|streich|losch|loesch|entfern)\w*\b[^.!?\n]{0,50}\b(?:liste|verteiler|datenbank|adressbuch\
            |system)
        trag\w* (?:sie )?(?:mich|uns)\b[^.!?\n]{0,30}\baus\b|(?:bitte )?(?:mich |uns )?austragen\b
        (?:bitte|mich|uns) (?:\w+ ){0,4}abmelden\b|abmelden\W*$
        (?:losch|loesch|entfern)\w*\b[^.!?\n]{0,30}\b(?:daten|adresse|nummer|kontakt\w*)\b
        (?:daten|adresse|nummer|kontakt\w*)\b[^.!?\n]{0,40}\b(?:zu )?(?:losch|loesch|entfern)(?:en|ung)\b
        keine (?:weiteren? |solchen? |derartigen? )?(?:e-?mails?|mails?|nachrichten|werbung|werbemails?\
            |newsletter|kontaktaufnahmen?|anschreiben)\b(?: mehr)?(?! (?:erhalten|bekommen) (?:zu )?hab)
        nicht (?:mehr|weiter|wieder|nochmals?|erneut|langer) (?:\w+ )?(?:zu )?(?:kontaktier|anschreib\
            |angeschrieben|schreib|anmail|anruf|belastig|behellig)
        (?:schreib|kontaktier|mail|melde|ruf)\w* (?:sie |ihr )?(?:bitte )?(?:mich|mir|uns\
            |sich)\b(?: \w+){0,3} (?:nicht mehr|nicht noch ?mal|nicht wieder|nie wieder)
        aus (?:dem|ihrem|eurem) (?:\w+ )?verteiler\b|abbestellen\b
        horen? (?:sie |bitte )*auf\b|lass(?:en)? (?:sie )?(?:mich|uns) (?:bitte )?in ruhe
        (?:ich|wir) widersprech|widerrufe?n? (?:ich|wir|meine|unsere)|dsgvo\b|unterlassen sie|(?:das\
            |dies) ist spam\b
    """,
    fr=r"""
        desabonn|desinscri|desinscription
        (?:retir|supprim|effac|enlev|ray)\w*(?:-moi|-nous| moi| nous)?\b[^.!?\n]{0,50}\b(?:liste|base|fichier\
            |contacts|donnees|adresse|numero|coordonnees)
        (?:ne )?(?:me|nous|m'|n')\s?(?:plus |pas )?(?:re)?(?:contact|ecri|envoy|sollicit|relanc|appel)\w*(?: plus\b)
        ne (?:plus|pas) (?:me|nous|m')\s?(?:\w+ )?(?:re)?(?:contact|ecri|envoy|sollicit|relanc|appel)\w*
        (?:arret|cess)\w* de (?:me|nous|m')|(?:arretez|stop)\W*$
        (?:ne )?(?:veux|veut|souhaite|souhaitons|voulons) plus (?:\w+ )?(?:recev|etre)
        plus (?:aucun|de) (?:mails?|e-?mails?|messages?|courriels?|sollicitations?)
        laiss\w*(?:-moi|-nous) tranquille|rgpd\b|(?:ceci|c'est) (?:est )?(?:du |un )?spam\b
    """,
    es=r"""
        (?:date|dar|dadme|deme|denme|darme|darnos|denos|darse) de baja|(?:dar(?:me|nos)\
            |quiero) (?:de )?(?:la )?baja\b
        (?:borr|elimin|quit|sac|suprim)\w*\b[^.!?\n]{0,50}\b(?:lista|base|datos|correo|contactos?|numero|direccion)
        no (?:me|nos) (?:vuelvan?|vuelvas|volvais|escrib|contact|envi|mand|llam|molest)\w*\b(?! (?:hoy|ahora|en un))
        no (?:quiero|queremos|deseo|deseamos) (?:recibir|que (?:me|nos)|mas (?:correos?|mensajes|e-?mails?))
        no mas (?:correos?|mensajes|e-?mails?|emails)|deje?n? de (?:escribir|enviar|mandar|contactar|llamar\
            |molestar)
        dejad?(?:me|nos) (?:en paz|tranquil)|dejen?(?:me|nos) en paz|rgpd\b|(?:esto )?es spam\b
    """,
    it=r"""
        (?:cancell|rimuov|toglie|togli|tolg|elimin|disiscriv)\w*\b[^.!?\n]{0,50}\b(?:lista|elenco|database\
            |mailing|dati|indirizzo|contatti|numero|newsletter)
        (?:cancell|rimuov|togli|disiscriv)\w*(?:mi|ci|temi|teci)\b|disiscri
        non (?:mi |ci |voglio |vogliamo |desidero |desideriamo |dovete |deve )*(?:piu )?(?:contatt|scriv|invi\
            |mand|chiam|disturb|ricev)\w*(?: \w+){0,2} piu\b
        non (?:mi |ci |voglio |vogliamo |desidero |desideriamo )*piu (?:essere |ricev|contatt)
        non (?:contatt|scriv|chiam)(?:ate|are|ete|ere|i)(?:mi|ci)\b|smett\w+ di|basta (?:messaggi|e-?mail|mail)
        lasci(?:ate|a|)(?:mi|temi|ci|teci) in pace|gdpr\b|(?:questo )?e spam\b
    """,
    nl=r"""
        (?:graag|gelieve|wil) (?:\w+ ){0,2}verwijder\w*|verwijder (?:mij|me|ons)\b|geen (?:verder )?contact meer
        (?:stuur|mail|bel|schrijf|benader|contacteer) (?:mij |me |ons )?(?:\w+ )?(?:geen|niet)\b(?! (?:te \
            |zo )?(?:lang|laat|vroeg))
        (?:uitschrijven|afmelden|schrijf (?:mij|me|ons) uit|meld (?:mij|me|ons) af)\b
        (?:verwijder|haal|schrap|wis)\w*\b[^.!?\n]{0,50}\b(?:lijst|bestand|database|gegevens|adres|mailinglijst\
            |nummer)
        (?:gegevens|adres|nummer)\b[^.!?\n]{0,30}\bverwijder
        niet (?:meer|langer|opnieuw|weer) (?:te )?(?:\w+ )?(?:benader|contacteer|mail|schrijv|bel|lastig|bericht)
        geen (?:verdere |nieuwe )?(?:e-?mails?|mails?|berichten|reclame|nieuwsbrie\w+\
            |post)\b[^.!?\n]{0,20}(?:meer|ontvangen)
        (?:stop|hou) (?:(?:alsjeblieft|aub|a\.u\.b\.?|er) )?(?:met|mee|op)\b|laat (?:mij|me|ons) met rust
        avg\b|(?:dit )?is spam\b
    """,
    pt=r"""
        (?:descadastr|desinscr|descadastre|cancelar? (?:a |minha )?(?:inscricao|subscricao))
        (?:remov|retir|exclu|apag|elimin|tir)\w*\b[^.!?\n]{0,50}\b(?:lista|base|dados|contatos?|contactos?\
            |numero|e-?mail|cadastro)
        (?:nao|nunca) (?:me |nos )?(?:mais )?(?:contat|contact|escrev|envi|mand|lig|perturb\
            |incomod)\w*(?: \w+){0,3} mais
        nao (?:quero|queremos|desejo|desejamos|gostaria de) (?:mais )?(?:receber|que (?:me|nos)|mais)\b
        par(?:e|em|a|ar) de (?:me |nos )?(?:mand|envi|escrev|contat|contact|lig|cham)|(?:sair|sai|saia) (?:da\
            |dessa) lista|cancelar? (?:as )?mensagens|(?:me|nos) deix\w+ em paz
        lgpd\b|rgpd\b|(?:isto|isso) e spam\b
    """,
)
NO = by_language(
    de=r"""
        kein(?:e|en|erlei)? (?:\w+ )?(?:interesse|bedarf|verwendung|budget|zeit (?:fur|dafur))\b
        nicht (?:\w+ )?(?:interessiert|interessant|relevant|passend|notwendig|notig|in frage|infrage|geeignet)\b
        interessiert (?:mich|uns) (?:\w+ )?nicht|(?:passt|benotigen?|brauchen?|suchen?) (?:\w+ ){0,4}nicht\b
        (?:derzeit|aktuell|momentan|zurzeit|im moment|gerade) (?:\w+ )?(?:kein|nicht)(?!t)\w*
        nein,? (?:vielen )?dank|nein danke|danke,? (?:aber )?nein|nein\b(?=\W*$)|lieber nicht|eher nicht
        (?:sind|haben|arbeiten|nutzen|verwenden) (?:\w+ ){0,4}(?:bereits|schon) (?:\w+ ){0,4}(?:versorgt\
            |aufgestellt|eingedeckt|anbieter|partner|losung|dienstleister|lieferanten|zusammen)
        (?:bereits|schon) (?:\w+ ){0,3}(?:versorgt|(?:gut|bestens) aufgestellt|eingedeckt|vergeben|entschieden)
        (?:gut|bestens) (?:versorgt|aufgestellt|bedient)|(?:mussen|muss) (?:\w+ ){0,3}absagen\
            |lehnen? (?:\w+ ){0,5}ab\b
        haben (?:\w+ ){0,2}(?:keine|keinen) (?:passende|geeignete|freie)\w*|absehen\b|verzichten (?:wir|ich)?\b\
            |(?:wir|ich) (?:\w+ )?verzichte
    """,
    fr=r"""
        (?:pas|plus|aucunement|guere) (?:\w+ )?(?:interesse|interessant|concerne|besoin|de besoin|d'actualite\
            |a l'ordre|preneur|disponible|dispo|une priorite|la priorite|pertinent)
        (?:pas|aucun) (?:d')?(?:interet|besoin|budget)\b|sans (?:interet|suite)\b|n'interesse pas|n'est pas interess
        (?:ca|cela|il) ne (?:m'|nous |me |n')\s?(?:\w+ )?(?:interesse|convient|correspond|concerne)\w* pas
        ne (?:nous |m'|me )?(?:\w+ )?(?:interesse|convient|correspond|concerne)\w* pas
        non,? merci|merci,? (?:mais )?non\b|^\W*non\W*$|(?:donnerons|donnons|donner|donnerai) pas (?:de )?suite
        (?:avons|ai|travaill\w+|utilis\w+|sommes) deja\b|deja (?:(?:un|une) (?!peu)|equipe|equipes|en place\
            |pourvu)|pas un sujet\b
        (?:dois|devons|prefer\w+|me permets de|nous permettons de) (?:vous )?(?:decliner|refuser)|declin(?:e|ons)\b
    """,
    es=r"""
        no (?:me|nos|les|le) (?:\w+ )?(?:interesa|interesan|encaja|conviene|hace falta|sirve|convence)
        no (?:estoy|estamos|estaria|estariamos|es de|seria de) (?:\w+ )?(?:interes|buscando|en el mercado)
        no (?:tengo|tenemos|hay|tiene) (?:\w+ )?(?:interes|necesidad|presupuesto|tiempo)\b|sin interes\b
        no (?:lo |la |los )?(?:necesit|quer|requer)\w*|no,? (?:muchas )?gracias|gracias,? (?:pero )?no\b|^\W*no\W*$
        (?:por ahora|de momento|por el momento|ahora mismo|actualmente) no\b|no (?:por ahora|de momento\
            |por el momento|en este momento|es (?:el|buen) momento)
        ya (?:tengo|tenemos|trabaj|usamos|utiliz|contamos|disponemos|estamos cubiert)\w*|no,? paso\b\
            |no es lo que (?:\w+ )?busc\w+|no (?:hacemos|compramos|contratamos|trabajamos)\b|declin(?:o|amos|ar)\b
    """,
    it=r"""
        non (?:mi |ci |vi |lo |e |siamo |sono |sarei |saremmo )*(?:\w+ )?(?:interess|occorr|serve|servono\
            |convinc|fa per)\w*
        non (?:abbiamo|ho|c'e|ne abbiamo|ne ho) (?:\w+ ){0,2}(?:interesse|bisogno|necessita|budget|tempo)
        nessun (?:interesse|bisogno)|no,? grazie|grazie,? (?:ma )?no\b|^\W*no\W*$|non fa (?:al caso|per)
        (?:al momento|per ora|per il momento|attualmente) (?:no\b|non\b)|non (?:al momento|per ora|adesso|ora)\b
        (?:abbiamo|ho|lavoriamo|usiamo|utilizziamo|siamo) gia\b|gia (?:coperti|forniti|seguiti|a posto)
        (?:dobbiamo|devo|preferi\w+) (?:\w+ )?(?:declinare|rifiutare)|declin(?:o|iamo)\b
    """,
    nl=r"""
        laat maar\b(?! (?:weten|horen|zien))|(?:gebruik|gebruiken|werk) (?:\w+ )?al\b
        geen (?:\w+ )?(?:interesse|behoefte|budget|belangstelling|prioriteit|tijd (?:voor))\b
        niet (?:\w+ ){0,2}(?:geinteresseerd|interessant|relevant|nodig|passend|van toepassing|aan de orde)\b
        nee,? (?:dank|bedankt|sorry|hoor)|(?:dank|bedankt),? (?:je wel |u wel )?(?:maar )?nee|^\W*nee\W*$\
            |liever niet
        (?:momenteel|op dit moment|voorlopig|nu) (?:\w+ )?(?:geen|niet)\b
        (?:hebben|heb|werken|zijn|gebruiken) (?:\w+ ){0,3}al (?:\w+ ){0,3}(?:voorzien|partner|leverancier\
            |oplossing|partij|samen|iemand|een)
        (?:al|reeds) (?:\w+ )?voorzien|tevreden (?:met|over) (?:(?:onze|de|mijn) )?huidige\
            |zien (?:\w+ ){0,3}van af\b|bedanken voor
    """,
    pt=r"""
        (?:nao|sem) (?:\w+ ){0,2}(?:interess|necessidade|precis|orcamento|conven)\w*|nao (?:nos |me )?(?:serve\
            |atende)
        nao (?:e|seria|faz) (?:\w+ )?(?:o momento|sentido|prioridade|relevante)|nao,? (?:muito )?obrigad
        obrigad[oa],? (?:mas )?nao\b|^\W*nao\W*$|(?:no momento|por enquanto|por agora|neste momento|de momento) nao
        nao (?:no momento|por enquanto|por agora|neste momento|agora)\b|nao (?:quero|queremos)\b
        ja (?:tenho|temos|trabalh|usamos|utiliz|contamos|possu|estamos (?:bem )?(?:servid|atendid|cobert))\w*
        (?:vou|vamos|preciso|precisamos|prefir\w+) (?:\w+ )?(?:recusar|declinar)|declin(?:o|amos)\b|dispens(?:o\
            |amos)\b
    """,
)
YES = by_language(
    de=r"""
        (?:ja|jo|sehr|super|klar|na klar|ok|okay|top|prima|perfekt)[,!.]? (?:sehr )?gern(?:e)?\b\
            |^\W*(?:sehr )?gern(?:e)?\b
        (?:klingt|hort sich|liest sich|sieht|tont|ware|ist|finde ich) (?:\w+ ){0,3}(?:gut|super|interessant\
            |spannend|vielversprechend|toll|prima|passend|relevant)\b
        (?:bin|sind|ware|waren|ich|wir) (?:\w+ ){0,3}(?:interessiert|neugierig|dabei)\b|interessiert (?:mich|uns)\b
        (?:habe|haben|hatte|hatten|hab|besteht|bekunde) (?:\w+ ){0,4}interesse\b|^\W*(?:grosses \
            |groses )?interesse\b
        (?:schick|send|lass|zeig|erzahl|gib|geb|mail)\w*\b (?:sie )?(?:mir|uns)\b|(?:zusenden|zuschicken\
            |zukommen lassen)\b
        (?:mehr|weitere|nahere|genauere) (?:\w+ )?(?:infos?|informationen|details|unterlagen|erfahren|wissen\
            |dazu|daruber)
        wann (?:hatten|haben|passt|passen|konnten|konnen|ware|hast|kannst|wurde|geht)\b|passt (?:mir|uns|es)\b
        (?:termin|gesprach|telefonat|call|treffen)\b[^.!?\n]{0,40}\b(?:verein|ausmach|machen|vorschlag|verabred\
            |finden|buchen|einrichten|fuhren)
        (?:konnen|konnten|lassen sie uns|wollen|sollen|lass uns) (?:wir |uns )?(?:\w+ ){0,5}(?:telefonieren\
            |sprechen|treffen|austauschen|austausch|kennenlernen|verabreden)
        (?:gerne?|gern) (?:\w+ ){0,5}(?:mehr|telefonieren|sprechen|austausch\w*|termin|kennenlernen|an|mal\
            |ansehen|anhoren)\b
        (?:rufen|ruf) (?:sie )?(?:mich|uns)\b|was (?:\w+ )?(?:kostet|wurde|kosten)|wie ?viel kostet\
            |^\W*(?:sehr )?interessant\b|(?:hatten|haben|hast|hattest) (?:sie|du|ihr) (?:\w+ ){0,2}zeit\
            |preis(?:e|liste)?\b|angebot (?:zu|fur)
        freue mich (?:auf|uber)|warum nicht\b|machen wir|einverstanden\b|auf jeden fall\b|unbedingt\b|her damit\b
    """,
    fr=r"""
        ^\W*(?:oui|d'accord|bien sur|volontiers|parfait|super|pourquoi pas)\b(?=\W*$|[,!.] |,? (?:avec|je|nous\
            |ca|cela|merci|bien|parfait|volontiers))
        (?:avec|grand) plaisir|volontiers\b|pourquoi pas\b|bien sur\b|(?:ca|cela|c'est|voila|semble|parait\
            |a l'air)\b(?: \w+){0,2} (?:interessant|interessante|interesse|interesserait|bien|super|parfait\
            |prometteu\w+)\b
        (?:m'|nous |m')\s?interess(?:e|ent|erait|eraient)\b|(?:suis|sommes|serais|serions) (?:\w+ )?(?:interesse\
            |preneu|partant|curieu|disponible|dispo|ouvert)
        (?:en savoir|savoir|davantage|plus) (?:plus|d'info\w*|d'elements|de details|de precisions|d'informations)
        (?:envoy|transmet|partag|donn|dit|dites|presen)\w*(?:-moi|-nous| moi| nous)\b
        (?:pouvez|pourriez|peux|pourrais)(?:-| )(?:vous|tu) (?:m'|me |nous )?(?:\w+ )?(?:en |envoy|transmett\
            |dire|presenter|expliquer|appeler|rappeler|partag|donner)
        (?:quand|quelles? (?:sont )?(?:vos|tes|date|heure|jour|dispo)\w*|vos dispo\w*|(?:un|prendre|caler\
            |fixer) (?:\w+ )?(?:rdv|rendez-vous|creneau|call|appel|point|echange))\b
        (?:appelez|rappelez|contactez|appelle|rappelle)(?:-moi|-nous)|(?:on|nous) (?:peut|pouvons|pourrait\
            |pourrions) (?:en |se |nous |s')?(?:\w+ )?(?:parler|appeler|echanger|voir|discuter)
        (?:combien|quel\w* (?:est|sont|serait) (?:\w+ )?(?:prix|tarif\w*|cout))|vos tarifs|ca (?:me|nous) (?:va\
            |convient|dit)
    """,
    es=r"""
        ^\W*(?:si|claro|vale|perfecto|adelante|encantad[oa]s?|por supuesto|desde luego|genial\
            |de acuerdo)\b(?=\W*$|[,!.])
        (?:me|nos) (?:\w+ )?(?:interesa|interesaria|encaja|encantaria|gustaria|parece (?:bien|interesante|genial\
            |perfecto)|viene bien|va bien)
        (?:estoy|estamos|estaria|estariamos) (?:\w+ )?(?:interesad|dispuest|abiert|disponible|encantad)
        (?:suena|pinta|parece|resulta|es) (?:\w+ )?(?:bien|interesante|genial|prometedor|muy bien)\b\
            |tengo interes|tenemos interes
        (?:mas|mayor) (?:info\w*|detalles|datos)|(?:saber|conocer|contar\w*|cuent\w+|dime|digame\
            |explic\w+) (?:\w+ )?(?:mas|detalles)\b
        (?:envi|mand|pas|compart|cuent|llam|explic)\w*(?:me|nos|enme|ennos|adme|adnos)\b
        (?:puedes?|pueden|podrias?|podrian|podeis) (?:\w+ )?(?:enviar|mandar|pasar|contar|llamar|compartir\
            |explicar|explicarme)
        (?:cuando|que dia|a que hora|que horario) (?:\w+ )?(?:podemos|podriamos|puedes?|te|le|os|tien\w+|viene\
            |seria|hablamos|quedamos)
        (?:podemos|podriamos|hablamos|quedamos|agend\w+|concert\w+|programa\w+|reserv\w+) (?:\w+ ){0,3}(?:hablar\
            |llamada|reunion|cita|demo|el (?:lunes|martes|miercoles|jueves|viernes)|manana|esta semana\
            |la (?:proxima )?semana)
        (?:cuanto|que) (?:cuesta|cuestan|vale|precio|costaria|sale)|precios?\b|tarifas?\b|presupuesto (?:para|de\
            |por)|con mucho gusto|cuenten? conmigo
    """,
    it=r"""
        ^\W*(?:si|certo|certamente|volentieri|va bene|perfetto|d'accordo|con piacere|assolutamente\
            |ottimo)\b(?=\W*$|[,!.]| (?:grazie|mi|ci|volentieri))
        (?:molto )?volentieri\b|con piacere\b|perche no\b|(?:mi|ci) (?:\w+ )?(?:interessa|interesserebbe\
            |piacerebbe|farebbe piacere|incuriosisce)
        (?:sono|siamo|sarei|saremmo) (?:\w+ )?(?:interessat|disponibil|curios|apert)|(?:ho|abbiamo) interesse
        (?:sembra|pare|suona|e|trovo) (?:\w+ )?(?:interessante|ottim\w+|bello|perfetto)\b
        (?:maggiori|piu|ulteriori|altre) (?:info\w*|dettagli)|(?:saperne|capire|sapere|conoscere\
            |capirne) (?:\w+ )?(?:di piu|meglio)
        (?:mand|invi|dic|raccont|spieg|chiam|richiam|fiss)(?:a|i|ami|imi|atemi|ateci|ate|aci|ami|eremo\
            |iamo)\b(?: pure| una| un| la| mi| ci)?
        (?:mi|ci) (?:mandi|invii|mandate|inviate|chiami|chiamate|spieghi|dica|faccia sapere|richiami|contatti)\b
        (?:puo|puoi|potete|potrebbe|potresti|potreste) (?:\w+ )?(?:mandar|inviar|spiegar|chiamar|dir|raccontar\
            |farmi|contattar|richiamar)
        quando (?:\w+ )?(?:possiamo|potremmo|ci|siete|sei|puo|potete|sarebbe|va|le)|(?:possiamo|potremmo|vorrei\
            |vorremmo) (?:\w+ ){0,3}(?:sentir|parlar|veder|fissare|fare|saper|ricever|avere|una (?:call|chiamata\
            |demo))
        (?:quanto|che prezzo|quali) (?:costa|costano|viene|costerebbe|sono i (?:costi|prezzi))|prezz[oi]\b\
            |preventivo\b|appuntamento\b
    """,
    nl=r"""
        ^\W*(?:ja|graag|prima|zeker|tuurlijk|natuurlijk|goed idee|leuk|akkoord)\b(?=\W*$|[,!.]| (?:graag|hoor\
            |dat|leuk|prima|natuurlijk))
        (?:ja|heel|zeer|wel|ik|we|wij|wil|zou) (?:\w+ ){0,2}graag\b|graag (?:\w+ ){0,4}(?:meer|een|afspraak\
            |bellen|spreken|ontvang|kennis)
        (?:klinkt|lijkt|ziet er|is|zou) (?:\w+ ){0,4}(?:goed|interessant|leuk|prima|super|nuttig|top)\b
        (?:ben|zijn|zou|zouden) (?:\w+ ){0,4}(?:geinteresseerd|benieuwd|nieuwsgierig)|(?:heb\
            |hebben) (?:\w+ ){0,2}(?:interesse|belangstelling)
        (?:stuur|zend|mail|vertel|geef|bel)\w* (?:\w+ )?(?:me|mij|ons|maar|meer|gerust)\b|laat (?:me|mij|ons\
            |maar) (?:\w+ )?(?:weten|horen|zien)
        (?:meer|verdere|aanvullende) (?:info\w*|details|over|weten|horen)|(?:kun|kunt|kan|kunnen|zou\
            |zouden) (?:je|jij|u|jullie|we) (?:\w+ ){0,4}(?:sturen|mailen|bellen|vertellen|toesturen|uitleggen\
            |afspreken|spreken)
        wanneer (?:\w+ )?(?:kun|kunt|kan|kunnen|schikt|past|heb|heeft|zou|komt)|(?:afspraak|gesprek|call\
            |demo)\b[^.!?\n]{0,30}(?:maken|plannen|inplannen|inschieten)|laten we\b|waarom niet\b|(?:past\
            |schikt) (?:mij|me|ons)
        neem (?:\w+ )?contact (?:met (?:me|mij|ons) )?op|hoe werkt (?:het|dat|dit)|wat (?:kost|kosten\
            |zijn de kosten)|hoeveel kost|prijs\b|prijzen\b|offerte\b|sta (?:er )?(?:\w+ )?open voor
    """,
    pt=r"""
        ^\W*(?:sim|claro|com certeza|perfeito|pode ser|combinado|com prazer|otimo|vamos|beleza|fechado\
            |de acordo)\b(?=\W*$|[,!.]| (?:pode|por|claro|vamos))
        (?<!nao )(?<!sem )(?:tenho|temos|haveria|ha) (?:\w+ )?interesse|(?:me|nos) (?:\w+ )?interess(?:a|ou|aria\
            |ei)\b
        (?:estou|estamos|fiquei|ficamos|estaria) (?:\w+ )?(?:interessad|curios|dispon|abert)|interessa-(?:me|nos)
        (?:parece|soa|e|achei) (?:-me )?(?:\w+ )?(?:interessante|bom|otimo|bem|legal|excelente)\b|gostei\b|topo\b
        (?:mais|maiores) (?:info\w*|detalhes|dados)|(?:saber|conhecer|entender|ouvir) (?:\w+ )?(?:mais|melhor)
        (?:envi|mand|pass|cont|lig|explic|apresent)(?:e|a|em|ue|ar)(?:-me|-nos| me| nos| mais| o| a| os| as| por\
            | pra| para)\b
        (?:me|nos) (?:envie?|mande?|manda|envia|passe?|passa|conte?|conta|ligue?|liga|explique|fale)\b
        (?:pode|podes|podem|poderia|poderiam) (?:\w+ )?(?:enviar|mandar|passar|contar|ligar|explicar|apresentar\
            |me |nos |falar|marcar)
        (?:quando|que dia|qual (?:o )?(?:melhor )?(?:dia|horario)) (?:\w+ )?(?:pod\w+|voce\w*|seria|fica|tem)\
            |(?:podemos|vamos|poderiamos|quero|gostaria|gostariamos|queremos) (?:\w+ ){0,3}(?:falar|conversar\
            |marcar|agendar|reunir|ver|saber|conhecer|receber|entender|uma (?:demo|reuniao))
        (?:quanto|qual) (?:custa|custam|o (?:preco|valor|custo)|sai|fica|e o)|preco\b|valores\b\
            |orcamento (?:para|de)|com todo o gosto
    """,
)
