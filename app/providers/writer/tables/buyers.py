"""Words for kinds of customers, by language. They find such words on a website and are never written by themselves."""

# Those that say little: a site that names only these has customers of every kind.
BROAD = frozenset(
    "companies company businesses business organizations organisations individuals clients customers "
    "professionals teams unternehmen firmen betriebe kunden privatkunden geschäftskunden privatpersonen "
    "entreprises professionnels clients particuliers empresas clientes particulares profesionales aziende "
    "imprese privati clienti professionisti bedrijven organisaties particulieren klanten ondernemers "
    "profissionais firmy firm klienci företag bedrifter şirketler".split()
)
# People and organisations in the plural, whole words: who uses or buys, rarely who sells.
NAMED = {
    "en": (
        r"students?|graduates|job ?seekers|homeowners?|home owners|landlords?|tenants|property (?:owners|"
        r"managers)|housing associations|(?:real )?estate agents|realtors|hoteliers|hotels|hostels|restaurants?|"
        r"caf[eé]s|bars|pubs|retailers?|wholesalers|distributors|(?:online )?(?:shops|stores)|supermarkets|"
        r"schools|colleges|universities|nurseries|hospitals?|clinics?|clinicians|doctors|dentists|"
        r"dental practices|pharmacies|care homes|veterinarians|vets|farmers?|farms|growers|breeders|"
        r"manufacturers?|factories|workshops|mines|start-?ups?|founders?|entrepreneurs?|freelancers?|"
        r"self[- ]employed|sole traders|non-?profits?|charities|ngos|government(?: agencies)?|public (?:sector|"
        r"agencies|authorities)|local authorities|municipalities|councils|law firms|lawyers|attorneys|accountants|"
        r"accounting firms|architects?|contractors|builders|house ?builders|property developers|investors|banks|"
        r"insurers|credit unions|brands|(?:marketing |creative )?agencies|exporters|importers|couples|brides|"
        r"newlyweds|families|parents|seniors|pensioners|musicians|artists|photographers|athletes|coaches|drivers|"
        r"motorists|car owners|fleets|fleet (?:operators|managers)|truckers|carriers|shippers|employers|"
        r"recruiters|hr (?:teams|departments)|airlines|airports|utilities|small businesses|smes|smbs|"
        r"e-?commerce(?: (?:brands|stores|sellers))?|households|patients|event organi[sz]ers|churches|clubs|"
        r"publishers|authors|researchers|laboratories|labs|engineers|developers|boat owners|pet owners|"
        r"travell?ers|tourists|expats|logistics companies|construction companies|software companies|"
        r"saas companies|fintechs?|critical infrastructure"
    ),
    "de": (
        r"studierende|studenten|schüler|hausbesitzer|eigentümer|vermieter|mieter|hausverwaltungen|"
        r"(?:immobilien)?makler|hotels|gastronomie|gastronomen|gastgewerbe|händler|einzelhandel|einzelhändler|"
        r"fachhandel|großhandel|schulen|kitas|hochschulen|kliniken|krankenhäuser|arztpraxen|praxen|ärzte|"
        r"zahnärzte|apotheken|pflegeheime|pflegedienste|tierärzte|landwirte|landwirtschaft|hersteller|"
        r"maschinenbau(?:er)?|industrie(?:betriebe)?|gründer(?:innen)?|selbst(?:st)?ändige|freiberufler|vereine|"
        r"kommunen|städte|gemeinden|behörden|öffentliche (?:hand|auftraggeber)|rechtsanwälte|kanzleien|"
        r"steuerberater|architekten|bauherren|bauunternehmen|handwerker|handwerksbetriebe|brautpaare|familien|"
        r"eltern|senioren|mittelstand|kmu|arbeitgeber|patient(?:en|innen)|autofahrer|speditionen|verlage|"
        r"investoren|banken|versicherungen"
    ),
    "fr": (
        r"étudiants|propriétaires|bailleurs|locataires|syndics|copropriétés|agences immobilières|hôtels|hôteliers|"
        r"restaurateurs|commerçants|commerces|artisans|écoles|universités|hôpitaux|cliniques|médecins|pharmacies|"
        r"agriculteurs|éleveurs|industriels|fabricants|entrepreneurs|indépendants|auto-?entrepreneurs|associations|"
        r"collectivités(?: locales)?|mairies|avocats|experts-comptables|architectes|promoteurs|mariés|couples|familles|"
        r"seniors|pme|tpe|eti|automobilistes|conducteurs|recruteurs|employeurs|candidats|voyageurs|hôtes|e-commerçants|"
        r"(?:acteurs|plateformes|sociétés) (?:du|de) e-commerce|investisseurs|banques|patients"
    ),
    "es": (
        r"estudiantes|propietarios|comunidades de (?:propietarios|vecinos)|inmobiliarias|hoteles|restaurantes|"
        r"cafeterías|comercios|tiendas|colegios|universidades|hospitales|clínicas|médicos|farmacias|agricultores|"
        r"ganaderos|ganaderías|fabricantes|industria(?: alimentaria)?|emprendedores|autónomos|pymes|ayuntamientos|"
        r"administraciones públicas|abogados|arquitectos|constructoras|promotores|novios|parejas|familias|"
        r"inversores|distribuidores|mayoristas|viviendas|hogares|transportistas|conductores|bodegas"
    ),
    "it": (
        r"studenti|proprietari|condomini|agenzie immobiliari|alberghi|ristoranti|ristoratori|negozi|scuole|università|"
        r"ospedali|cliniche|medici|farmacie|agricoltori|allevatori|aziende agricole|produttori|industrie|imprenditori|"
        r"liberi professionisti|artigiani|pmi|comuni|enti pubblici|pubblica amministrazione|avvocati|architetti|sposi|"
        r"coppie|famiglie|musicisti|pianisti|automobilisti|autotrasportatori|cantine|investitori|pazienti"
    ),
    "nl": (
        r"studenten|huiseigenaren|woningeigenaren|verhuurders|vve'?s|vve’s|makelaars|vastgoedbeheerders|hotels|"
        r"horeca|winkels|winkeliers|retailers|webshops|scholen|kinderdagverblijven|ziekenhuizen|zorginstellingen|"
        r"huisartsen|tandartsen|apotheken|boeren|telers|fabrikanten|industrie|zzp'?ers|zzp’ers|mkb|gemeenten|"
        r"overheden|overheid|advocaten|accountants|architecten|aannemers|bouwbedrijven|bruidsparen|gezinnen|"
        r"ouders|automobilisten|transportbedrijven|werkgevers|zakelijke dienstverleners|dienstverleners|syndici|"
        r"verenigingen"
    ),
    "pt": (
        r"estudantes|alunos|proprietários|condomínios|imobiliárias|hotéis|lojas|comércios|escolas|universidades|"
        r"hospitais|médicos|farmácias|produtores(?: rurais)?|agricultores|pecuaristas|fabricantes|indústrias|"
        r"empreendedores|autônomos|prefeituras|órgãos públicos|servidores públicos|militares|advogados|arquitetos|"
        r"construtoras|noivos|casais|famílias|motoristas|caminhoneiros|investidores|distribuidores|"
        r"profissionais (?:da|de) [\w-]+"
    ),
    "pl": (
        r"studentów|właścicieli|deweloperów|hoteli|restauracji|sklepów|szkół|szpitali|rolników|producentów|"
        r"przedsiębiorców|instytucji|gmin|rodzin"
    ),
    "sv": (
        r"studenter|bostadsrättsföreningar|fastighetsägare|hotell|restauranger|butiker|skolor|sjukhus|lantbrukare|"
        r"tillverkare|kommuner|familjer|privatpersoner"
    ),
    "nb": r"bønder|skoler|butikker|familier|kommuner|hoteller|restauranter|borettslag|privatpersoner|produsenter",
    "da": r"landmænd|skoler|butikker|familier|kommuner|hoteller|restauranter|boligforeninger|private|producenter",
    "tr": (
        r"bireysel(?: müşteriler)?|kurumsal(?: müşteriler)?|işletmeler|oteller|restoranlar|okullar|hastaneler|"
        r"çiftçiler|öğrenciler"
    ),
    "ja": (
        r"ご家族|個人(?:の)?お客様|法人(?:の)?お客様|寺院|店舗|学校|飲食店|中小企業|自治体|"
        r"医療機関|不動産会社|工務店"
    ),
}
UNSPACED = frozenset({"ja"})  # written without spaces between words
# What belongs to a customer: "your hotel".
OWNED = (
    r"(?:your|ihr(?:e|em|en|er)?|votre|vos|tu|tus|su|vuestro|tuo|tua|vostro|vostra|uw|jouw|je|seu|sua)\s+(hotel|"
    r"hotels|hôtel|restaurante?|ristorante|café|bar|shop|store|webshop|boutique|tienda|negozio|loja|winkel|laden|"
    r"school|schule|école|escuela|scuola|escola|clinic|klinik|clinique|clínica|practice|praxis|praktijk|farm|hof|"
    r"bauernhof|kanzlei|law firm|factory|warehouse|fleet|wedding|hochzeit|mariage|boda|matrimonio|bruiloft|"
    r"casamento|home|house|haus|maison|vivienda|casa|huis|yacht|boat|start-?up)"
)
