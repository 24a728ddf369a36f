"""Words around a company's name that are not the name: its legal form, its country, what people write without a job.

The legal forms are chosen from the Entity Legal Forms code list (ISO 20275) that GLEIF publishes, written without
accents. Left out are forms of other organisations (foundations, funds, trusts and associations, whose name says more
than the form) and abbreviations that are more often a word or initials (IS, IP, EI, PE).
"""

import re
import unicodedata

_MARKS = re.compile("[\u0300-\u036f]")
_PLAIN = str.maketrans({"ø": "o", "đ": "d", "ð": "d", "ł": "l", "ħ": "h", "ı": "i", "æ": "ae", "œ": "oe", "þ": "th"})


def plain(words: str) -> str:
    """Return the words in small letters without accents."""
    spread = unicodedata.normalize("NFKD", words.casefold().translate(_PLAIN))
    return unicodedata.normalize("NFC", _MARKS.sub("", spread))


def _joined(words: str) -> frozenset[str]:
    """Read what stands between commas, each without its spaces, as it is compared."""
    return frozenset("".join(word.split()) for word in plain(words).split(","))


BEHIND = _joined(
    """
    inc, incorporated, incorporation, corp, corporation, co, company, companies, cos, com, ltd, limited, llc, lc,
    limited liability company, limited liability co, llp, limited liability partnership, lllp, lp, limited
    partnership, plc, public limited company, public ltd co, pllc, professional corporation, pbc, benefit
    corporation, chartered, chtd, general partnership, public benefit corporation, cic, community interest
    company, dac, designated activity company, clg, company limited by guarantee, ulc, unlimited, unlimited
    company, unltd, ultd, pty, pty ltd, proprietary, proprietary limited, pte, pte ltd, private limited, private
    ltd, pvt, pvtltd, p ltd, opc pvt ltd, coltd, cc, rf ltd, soc ltd, nl, no liability, fze, fzc, fzco, fzllc,
    dmcc, dwc llc, free zone company, free zone establishment, jsc, joint stock company, ojsc, open joint stock
    company, pjsc, public joint stock company, cjsc, closed joint stock company, psc, qsc, qpsc, kscp, kscc, bsc,
    saog, saoc, wll, spc, national association, cyf, cyfyngedig, ltd sti, gte, inc co,

    gmbh, ggmbh, mbh, gesmbh, gesellschaft mit beschraenkter haftung, gesellschaft mit beschrankter haftung,
    gesellschaft mbh, ag, aktiengesellschaft, kg, kommanditgesellschaft, kgaa, kommanditgesellschaft auf aktien,
    ohg, offene handelsgesellschaft, og, gbr, gesbr, gesellschaft burgerlichen rechts, ug,
    unternehmergesellschaft, haftungsbeschrankt, ek, ekfr, ekfm, eg, eingetragene genossenschaft, partg, partgmbb,
    mbb, partnerschaft mbb, vvag, se, societas europaea, sce, ewiv,

    sa, societe anonyme, sarl, societe a responsabilite limitee, sarlu, sas, sasu, societe par actions simplifiee,
    eurl, selarl, selas, snc, societe en nom collectif, sca, societe en commandite par actions, scs, scsp, scop,
    scic, scrl, sarls, secs, secsp, seca, sprl, sprlu, societe privee a responsabilite limitee, sci, sem, gie,
    senc, sencrl, ltee, limitee, inc ltee, sagl,

    bv, besloten vennootschap, nv, naamloze vennootschap, vof, cv, comm va, bvba, cvba, commv, b v i o,
    vennootschap onder firma,

    spa, societa per azioni, srl, srls, srlu, societa a responsabilita limitata, sapa, sas di, scarl, scpa,
    societa cooperativa, soc coop, soc coop a r l, societa benefit, sb, srl sb, spa sb,

    sl, slu, slp, slne, sll, sociedad limitada, sociedad de responsabilidad limitada, s de rl, s de rl de cv, sau,
    sad, saa, sac, sociedad anonima, sa de cv, sab de cv, sapi de cv, sociedad anonima de capital variable, s de
    rl mi, sas de cv, sab, sapib de cv, s en c de cv, sociedad anonima cerrada, sociedad anonima abierta, sociedad
    por acciones simplificada, ltda, cia, cia ltda, compania, eirl, srl de cv, sofom, sa esp, sas esp, scl, s
    coop,

    lda, limitada, unipessoal lda, unipessoal, sociedade unipessoal lda, sgps, sgps sa, eireli, ltda me, ltda epp,
    sociedade anonima, sociedade limitada, s s ltda, slu ltda,

    ab, aktiebolag, aktiebolaget, publ, ab publ, hb, handelsbolag, kb, kommanditbolag, ek for, as, aktieselskab,
    aktieselskabet, aksjeselskap, asa, allmennaksjeselskap, aps, anpartsselskab, ivs, ans, enk, oy, oyj,
    osakeyhtio, oy ab, oyj abp, abp, ky, tmi, ehf, hf, slf, ohf, amba, smba, nuf,

    uab, uzdaroji akcine bendrove, akcine bendrove, mb, sia, sabiedriba ar ierobezotu atbildibu, ik, akciju
    sabiedriba, ou, osauhing, aktsiaselts, uu,

    spzoo, spolka z ograniczona odpowiedzialnoscia, spolka z oo, spk, spj, sj, spp, spolka jawna, spolka
    komandytowa, spolka akcyjna, ska, psa, prosta spolka akcyjna, spolka cywilna,

    sro, spol s r o, spolecnost s rucenim omezenym, spolocnost s rucenim obmedzenym, akc spol, kom spol, akciova
    spolecnost, akciova spolocnost, vos, ks, jsa,

    kft, korlatolt felelossegu tarsasag, zrt, zartkoruen mukodo reszvenytarsasag, nyrt, nyilvanosan mukodo
    reszvenytarsasag, rt, bt, beteti tarsasag, kkt,

    doo, kd, kda, dno, jtd, drustvo s ogranicenom odgovornoscu, druzba z omejeno odgovornostjo, jdoo, dd, dionicko
    drustvo, delniska druzba, ad, akcionarsko drustvo, obrt, dooel, eood, ood, ead, eoud, pfa, shpk, sha, szr,

    ae, aebe, abee, epe, ike, oe, ee, ανωνυμη εταιρεια, αε, αεβε, αβεε, επε, ικε, οε, μον ικε, μονοπροσωπη ικε,

    anonim sirketi, koll sti, kom sti, anonim sirket, as tic, limited sirketi, sti, sirketi, san ve tic as, san ve
    tic ltd sti, san tic ltd sti, san tic as, sanayi ve ticaret anonim sirketi, sanayi ve ticaret limited sirketi,
    sanayi ve ticaret as, sanayi ve ticaret ltd sti, ticaret ve sanayi anonim sirketi, tas, tao, ao sirketi,

    ооо, оао, зао, пао, ао, нао, ип, тоо, тов, пп, прат, пат, ат, фоп, одо, чуп, уп, ад, еад, оод, еоод, доо,
    общество с ограниченной ответственностью, акционерное общество, открытое акционерное общество, закрытое
    акционерное общество, публичное акционерное общество, товариство з обмеженою відповідальністю, приватне
    акціонерне товариство, ooo, oao, zao, pao, pat, prat, tov, too, oaj, mchj, mmc,

    sdn bhd, sdn, bhd, berhad, sendirian berhad, tbk, persero, kk, kabushiki kaisha, kabushikigaisha, gk, godo
    kaisha, yk, yugen kaisha, jsc vn, tnhh, cong ty tnhh, cong ty co phan, pcl, public company limited, public co
    ltd, stock company, holding co ltd, opc, opco, private limited company, pvt limited,

    בעמ
    """
)
# Latin ones only where no word or pair of initials is the same.
IN_FRONT = _joined(
    """
    pt, pt persero, cv, ud, uab, sia, ou, ab, aktiebolaget, oy, sarl, eurl, selarl, ooo, oao, zao, pao, tov, too,
    jsc, ojsc, pjsc, cjsc, llc, limited liability company, open joint stock company, closed joint stock company,
    public joint stock company, joint stock company, societe anonyme, ооо, оао, зао, пао, ао, ип, тоо, тов, пп,
    прат, пат, ат, фоп, чуп, уп, общество с ограниченной ответственностью, акционерное общество, открытое
    акционерное общество, закрытое акционерное общество, публичное акционерное общество, товариство з обмеженою
    відповідальністю, приватне акціонерне товариство, cong ty tnhh, cong ty co phan, firma, fa
    """
)
# Scripts that put no space around a form.
UNSPACED = (
    "股份有限公司", "有限责任公司", "有限責任公司", "有限公司", "股份公司", "公司", "株式会社", "株式會社", "有限会社",
    "合同会社", "合資会社", "合名会社", "주식회사", "유한회사", "유한책임회사", "บริษัท", "จํากัด", "ห้างหุ้นส่วน",
)  # fmt: skip
# Countries, regions, and words for the whole of a group, which stand behind a name or are left out.
PLACES = _joined(
    """
    group, groupe, gruppe, gruppo, grupo, holding, holdings, international, intl, global, worldwide, hq,
    headquarters, afrika, africa, americas, america, north america, south america, latin america, latam, na, apac,
    asia, asia pacific, emea, mena, middle east, gcc, europe, europa, eu, dach, benelux, nordic, nordics,
    scandinavia, iberia, iberica, cee, uk, united kingdom, great britain, gb, england, scotland, wales, ireland,
    us, usa, united states, united states of america, canada, quebec, mexico, brasil, brazil, argentina, chile,
    colombia, peru, uruguay, ecuador, panama, costa rica, australia, anz, new zealand, nz, austria, osterreich,
    oesterreich, belgium, belgie, belgique, bulgaria, croatia, hrvatska, cyprus, czech republic, czechia, cesko,
    ceska republika, cr, denmark, danmark, estonia, eesti, finland, suomi, france, germany, deutschland,
    allemagne, alemania, greece, hellas, hungary, magyarorszag, iceland, italia, italy, italiana, latvia, latvija,
    lithuania, lietuva, luxembourg, luxemburg, malta, netherlands, the netherlands, nederland, norway, norge,
    poland, polska, portugal, romania, russia, rus, россия, рус, serbia, srbija, slovakia, slovensko, slovenia,
    slovenija, spain, espana, sweden, sverige, switzerland, schweiz, suisse, svizzera, turkey, turkiye, turkei,
    ukraine, украина, україна, egypt, israel, morocco, maroc, nigeria, kenya, ghana, south africa, sa pty,
    tunisia, tunisie, algerie, bahrain, kuwait, qatar, oman, saudi arabia, ksa, uae, united arab emirates,
    bangladesh, china, hongkong, hk, india, indonesia, japan, nippon, jp, kazakhstan, korea, south korea,
    malaysia, pakistan, philippines, singapore, sri lanka, taiwan, thailand, vietnam
    """
)
# A place behind one of these is part of the name, as in Bank of India and Banco do Brasil.
PLACES_NAME = frozenset("of de du di do da dos del der des fur the for in van von y e".split())
# Words of many names: with nothing else beside them, the place tells the company from others, as in Air France.
COMMON = frozenset(
    """
    1st advisors agro air airline airlines airport airways alliance american analytics asset assurance auto
    automotive banca banco bancorp bank bankas banque bio biotech british broadband brokers business canadian
    capital care cement central chemical chemicals china coal commercial communication communications construction
    consultants consulting cooperative copper credit data delta development digital direct east electric
    electrical electronics energia energie energy engineering enterprise enterprises entertainment environmental
    equipment equity estate european exchange express finance financial first food foods foundation fund future
    gas general german global gold golden grid growth health healthcare home hospital hotel hotels housing
    industrial industries industry infrastructure innovation innovations institute insurance international invest
    investment investments investors lab laboratories labs land legal leisure life lithium logistics management
    manufacturing marine market marketing markets materials media medical metal metals mining mobile motor motors
    national natural network networks new north oil online pacific paper partner partners petroleum pharma
    pharmaceutical pharmaceuticals plus port post postal power press private products properties property public
    radio rail railway railways real recruitment red renewables research resources retail royal science sciences
    security securities service services shipping smart software solar solutions south star steel stock strategy
    studio studios sun supply system systems team tech technologies technology tele telecom telekom television the
    therapeutics tobacco tourism trade trading training transport travel trust tv union united university
    utilities venture ventures water wealth west wind wireless world
    """.split()
)
AND = frozenset("and und et och og".split())
# A name of these words alone names no company,
NO_COMPANY = frozenset(
    """
    confidential consultant consulting contract contractor currently employed employment entrepreneur freelance
    freelancer freelancing independent independently mode none null owner private privately retired self startup stealth
    student tba tbc tbd undisclosed unemployed unknown various xx xxx
    """.split()
)
# and neither does one of these.
NO_COMPANIES = _joined(
    """
    na, not applicable, not available, not employed, no company, open to work, looking for work, looking for a job,
    looking for opportunities, looking for new opportunities, seeking opportunities, seeking new opportunities, actively
    looking, exploring opportunities, open to opportunities, available, company, company confidential,
    between jobs, career break, sabbatical, parental leave, maternity leave,
    home, test, sole trader, sole proprietor, self employment, gig worker, solopreneur, small business, my
    company, myself, me, self, selbststandig, selbstandig, selbststandige, freiberuflich, freiberufler,
    freiberuflerin, freie mitarbeit, privat, arbeitssuchend, arbeitslos, auf jobsuche, elternzeit, rentner,
    ruhestand, im ruhestand, student, studium, independant, independante, a son compte, travailleur independant,
    profession liberale, auto entrepreneur, autoentrepreneur, micro entrepreneur, micro entreprise,
    microentreprise, sans emploi, en recherche d emploi, en recherche demploi, en recherche, retraite, retraitee,
    etudiant, etudiante, confidentiel, prive, autonomo, autonoma, trabajador autonomo, por cuenta propia, cuenta
    propia, independiente, desempleado, desempleada, en busca de empleo, jubilado, jubilada, estudiante,
    confidencial, empresa privada, emprendedor, libero professionista, libera professionista, lavoratore autonomo,
    freelance libero professionista, disoccupato, in cerca di occupazione, in cerca di lavoro, pensionato,
    pensionata, partita iva, ditta individuale, riservato, zzp, zzper, zzp er, zelfstandig, zelfstandige,
    zelfstandig ondernemer, eigen bedrijf, eenmanszaak, werkzoekend, gepensioneerd, pensioen, vertrouwelijk, eigen
    zaak, profissional liberal, profissional autonomo, conta propria, trabalhador independente, desempregado,
    desempregada, aposentado, aposentada, reformado, estudante, em transicao, em busca de recolocacao,
    egenforetagare, egen firma, enskild firma, arbetssokande, pensionar, selvstaendig, selvstendig, selvstendig
    naeringsdrivende, arbejdssogende, ledig, yrittaja, toiminimi, tyonhakija, elakkeella, wlasna dzialalnosc,
    wlasna dzialalnosc gospodarcza, dzialalnosc gospodarcza, jednoosobowa dzialalnosc gospodarcza,
    samozatrudnienie, bezrobotny, emeryt, osvc, zivnostnik, na volne noze, egyeni vallalkozo, szabaduszo, pfa,
    serbest meslek, serbest calisan, emekli, issiz, фрилансер, фриланс, самозанятый, частная практика,
    безработный, пенсионер, フリーランス, 個人事業主, 自営業, 自由职业, 自由职业者, 自由業, 个体户, 프리랜서, 자영업
    """
)
