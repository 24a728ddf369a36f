"""What exports call their columns: HubSpot, Pipedrive, Apollo, Salesforce, Google, Outlook and others.

Of several columns of a file, the one whose name comes first is taken.
"""

NAMES = {
    "profileUrl": """
        profile url, profile, profile link, person linkedin url, linkedin profile url, linkedin url, linkedin
        url public, public linkedin url, linkedin public url, public profile url, linkedin, linkedin profile,
        contact linkedin url, contact linkedin, person linkedin, prospect linkedin url, prospect linkedin, lead
        linkedin url, lead linkedin, linkedin contact profile url, linkedin profile link, linkedin link,
        linkedin page, linkedin member url, linkedin person url, linkedin profile public url, hs linkedin url,
        default profile url, profile linkedin url, member url, vanity url, li url, li profile url, li profile,
        person linkedin profile, linkedin profil, linkedin profil url, profil linkedin, url linkedin, url profil
        linkedin, lien linkedin, perfil de linkedin, perfil linkedin, url de linkedin, url del perfil, url do
        perfil, url do linkedin, linkedin profiel, profil, profil url, linkedin url unique id, linkedin sales
        navigator url, sales navigator url, sales nav url, sales navigator profile url, url, link
    """,
    "publicId": """
        public id, public identifier, linkedin public id, linkedin public identifier, linkedin username,
        linkedin handle, linkedin slug, linkedin id, profile id, vanity name, username, handle
    """,
    "firstName": """
        first name, firstname, given name, forename, contact first name, prospect first name, lead first name,
        first name cleaned, cleaned first name, vorname, prénom, voornaam, nombre de pila, primer nombre, nome
        próprio, primeiro nome, imię, förnamn, fornavn, etunimi, first
    """,
    "lastName": """
        last name, lastname, surname, family name, contact last name, prospect last name, lead last name, last
        name cleaned, cleaned last name, nachname, familienname, zuname, nom de famille, apellidos, apellido,
        achternaam, cognome, sobrenome, apelido, último nome, nazwisko, efternamn, efternavn, etternavn,
        sukunimi, last
    """,
    "fullName": """
        full name, fullname, name, contact name, person name, contact full name, prospect full name, prospect
        name, lead name, lead full name, profile name, display name, formatted name, vollständiger name, nom
        complet, nombre completo, nome completo, volledige naam, kontaktname, nom du contact, nombre del
        contacto, nome do contato, nom, nombre, nome, naam, contact
    """,
    "headline": """
        headline, linkedin headline, profile headline, prospect headline, lead headline, tagline, bio, summary
        line
    """,
    "position": """
        position, job title, title, current title, current position, current job title, prospect position,
        prospect job title, role, current job, jobtitle, linkedin job title, organization title, organization 1
        title, person title, lead title, occupation, contact title, contact job title, job position,
        berufsbezeichnung, stellenbezeichnung, jobtitel, positionsbezeichnung, intitulé du poste, titre du
        poste, poste, fonction, puesto, puesto de trabajo, título del puesto, cargo, functie, functietitel,
        functieomschrijving, qualifica, ruolo, posizione, posizione lavorativa, título do cargo, função,
        stanowisko, befattning, stilling
    """,
    "companyName": """
        company name, company, organization, organisation, account name, current company, current company name,
        company account, employer, organization name, organisation name, organization 1 name, organisation nom,
        organización nombre, organisatie naam, organização nome, person organization, prospect company, lead
        company, primary associated company, primary associated company name, associated company primary,
        associated company, primary company, contact company, company name cleaned, cleaned company name,
        linkedin company name, company name for emails, account, business, business name, unternehmen,
        unternehmensname, name des unternehmens, firma, firmenname, zugehöriges unternehmen, entreprise, nom de
        l'entreprise, nom de l’entreprise, société, nom de la société, entreprise associée, empresa, nombre de
        la empresa, nombre de empresa, compañía, organización, bedrijf, bedrijfsnaam, naam bedrijf, organisatie,
        azienda, nome azienda, nome dell'azienda, società, organizzazione, nome da empresa, organização,
        företag, virksomhed, yritys
    """,
    "companyUrl": """
        company url, company website, website, company domain, domain, website url, organization website,
        organisation website, account website, homepage, company domain name, company website url, company web
        site, company website domain, company site, organization domain, prospect company website, web site, web
        page, website 1 value, corporate website, company homepage, website link, webseite, website adresse, url
        der website, unternehmensdomain, domain des unternehmens, internetseite, site web, url du site web, site
        internet, domaine de l'entreprise, sitio web, url del sitio web, página web, dominio de la empresa, sito
        web, url del sito web, url do site, site, domínio da empresa, bedrijfswebsite, websiteadres, strona
        internetowa
    """,
    "location": """
        location, person location, contact location, prospect location, lead location, profile location, geo,
        linkedin location, standort, localisation, ubicación, localização, locatie
    """,
    "email": """
        email, e mail, email address, e mail address, work email, work email address, business email, business
        email address, company email address, contact email, contact email address, prospect email, lead email,
        primary email, professional email, valid email, verified email, person email, email work, email home,
        email other, email 1, email 2, email 3, email 4, email 1 value, email 2 value, email 3 value, email 4
        value, email 2 address, email 3 address, email address 1, email address 2, email address 3, work email
        1, work email 2, email first, email second, other email, additional email, additional emails, additional
        email addresses, alternate email, alternative email, secondary email, second email, tertiary email,
        secondary email address, personal email, personal email address, personal email 1, personal email 2,
        private email, direct email, emails, mail, mail address, e mail adresse, email adresse, e mail 2
        adresse, e mail 3 adresse, geschäftliche e mail, e mail geschäftlich, e mail arbeit, e mail privat,
        private e mail, e mail andere, e mail sonstige, adresse e mail, adresse email, adresse de messagerie,
        courriel, e mail professionnel, email professionnel, email travail, email domicile, e mail travail, e
        mail domicile, e mail autre, correo electrónico, correo, dirección de correo electrónico, dirección de
        correo, correo electrónico trabajo, correo electrónico casa, correo electrónico otro, correo electrónico
        laboral, correo de trabajo, e mailadres, emailadres, zakelijk e mailadres, e mail werk, e mail thuis, e
        mail overig, indirizzo e mail, indirizzo email, indirizzo di posta elettronica, email lavoro, endereço
        de e mail, endereço de email, e mail trabalho, e mail comercial, e mail casa, e mail outro, e mail
        corporativo, adres e mail, e post, e postadress, e post adresse, sähköposti
    """,
    "phone": """
        phone, phone number, mobile, mobile phone, mobile number, mobile phone number, work direct phone, direct
        phone, direct phone number, direct dial, work phone, business phone, business phone 2, phone work, phone
        mobile, phone home, phone other, telephone, telephone number, cell, cell phone, home phone, home phone
        2, other phone, primary phone, contact phone, contact phone number, person phone, prospect phone, phone
        1, phone 2, phone 3, phone 1 value, phone 2 value, phone 3 value, phone number 1, phone number 2,
        personal phone, personal phone number, corporate phone, telefon, telefonnummer, telefon geschäftlich,
        telefon geschäftlich 2, mobiltelefon, mobil, mobilnummer, mobiltelefonnummer, handynummer, telefon
        privat, telefon arbeit, telefon mobil, handy, téléphone, numéro de téléphone, téléphone mobile, numéro
        de téléphone mobile, téléphone portable, portable, téléphone travail, téléphone bureau, téléphone
        domicile, tél mobile, teléfono, número de teléfono, teléfono móvil, móvil, número de teléfono móvil,
        teléfono trabajo, teléfono del trabajo, teléfono casa, teléfono otro, telefoonnummer, telefoon, mobiel,
        mobiele telefoon, mobiel telefoonnummer, telefoon werk, telefono, numero di telefono, cellulare,
        telefono cellulare, telefono lavoro, telefone, número de telefone, celular, telefone celular, telefone
        trabalho, telemóvel
    """,
    "tags": """
        tags, tag, labels, label, person labels, person label, contact tags, lead tags, categories, kategorien,
        beschriftung, beschriftungen, libellés, libellé, étiquettes, étiquette, catégories, etiquetas, etiqueta,
        categorías, etichette, etichetta, categorie, categorieën, categorias, marcadores, rótulos
    """,
    "imageUrl": """
        image url, image, picture, picture url, photo, photo url, profile image url, profile picture, profile
        picture url, profile photo, avatar, avatar url, linkedin profile image url
    """,
}
# Where a file has no column for the location, it is put together from these, in this order.
PLACES = (
    """
        city, person city, contact city, mailing city, business city, address 1 city, work city, town, stadt,
        ort, ort geschäftlich, ville, ville bureau, ciudad, ciudad del trabajo, plaats, stad, città, cidade,
        miasto
    """,
    """
        state, state region, state province, person state, contact state, mailing state, mailing state province,
        business state, address 1 region, region, province, bundesland, bundesland region, bundesland kanton,
        région, département région, état région, estado, provincia, estado región, regio, staat regio, regione,
        stato regione, estado região
    """,
    """
        country, country region, person country, contact country, mailing country, business country, business
        country region, address 1 country, land, land region, land region geschäftlich, pays, pays région, país,
        país región, paese, paese regione, país região, kraj
    """,
)
ADDRESSES = "address, mailing address, person address, person postal address"
# Columns for the bookkeeping of the program that wrote the file.
IGNORED = "lead status, hs lead status, hs object id, vid, email type, phone type, row number"
# Columns of a file for the do-not-contact list.
NEVER_CONTACT = {
    "entry": "entry, value, do not contact, blocked, suppressed, eintrag, entrée, entrada, voce, invoer",
    "kind": "kind",
    "reason": """
        reason, note, notes, comment, comments, unsubscribe reason, grund, bemerkung, kommentar, raison, motif,
        commentaire, motivo, razón, comentario, comentário, reden, opmerking, nota, commento
    """,
    "until": """
        until, end date, ends, ends on, expires, expires at, expires on, expiry date, expiration date, valid
        until, bis, enddatum, endet am, gültig bis, jusqu'au, date de fin, expire le, hasta, fecha de fin, tot,
        einddatum, geldig tot, fino al, data di fine, scadenza, até, data de fim, válido até
    """,
}
