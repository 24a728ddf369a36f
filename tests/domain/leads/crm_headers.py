"""Header rows of exports as other programs write them, and what each column is.

`field: column, column` for each; the columns named in none are kept as custom fields or left out.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Export:
    """The columns of an export, and those that are fields, by field."""

    program: str
    columns: tuple[str, ...]
    fields: dict[str, tuple[str, ...]]


def _export(program: str, columns: str, **fields: str) -> Export:
    return Export(program, _split(columns), {key: _split(names) for key, names in fields.items()})


def _split(names: str) -> tuple[str, ...]:
    return tuple(name for line in names.strip().splitlines() for name in line.strip().rstrip(",").split(","))


EXPORTS = [
    _export(
        "Apollo, contacts",
        """
        First Name,Last Name,Title,Company,Company Name for Emails,Email,Email Status,Primary Email Source,
        Primary Email Verification Source,Email Confidence,Primary Email Catch-all Status,
        Primary Email Last Verified At,Seniority,Departments,Contact Owner,Work Direct Phone,Home Phone,Mobile Phone,
        Corporate Phone,Other Phone,Stage,Lists,Last Contacted,Account Owner,# Employees,Industry,Keywords,
        Person Linkedin Url,Website,Company Linkedin Url,Facebook Url,Twitter Url,City,State,Country,Company Address,
        Company City,Company State,Company Country,Company Phone,SEO Description,Technologies,Annual Revenue,
        Total Funding,Latest Funding,Latest Funding Amount,Last Raised At,Subsidiary of,Email Sent,Email Open,
        Email Bounced,Replied,Demoed,Number of Retail Locations,Apollo Contact Id,Apollo Account Id,Secondary Email,
        Secondary Email Source,Secondary Email Status,Tertiary Email,Tertiary Email Source,Tertiary Email Status
        """,
        firstName="First Name", lastName="Last Name", position="Title", companyName="Company",
        email="Email,Secondary Email,Tertiary Email", profileUrl="Person Linkedin Url", companyUrl="Website",
        phone="Work Direct Phone,Home Phone,Mobile Phone,Corporate Phone,Other Phone", location="City,State,Country",
    ),
    _export(
        "HubSpot, contacts",
        """
        Record ID,First Name,Last Name,Email,Phone Number,Contact owner,Primary Associated Company ID,
        Associated Company,Last Activity Date,Lead Status,Marketing contact status,Create Date,Associated Company IDs,
        Job Title,Company Name,Website URL,LinkedIn URL,Work email,Additional email addresses,Mobile Phone Number,
        Street Address,City,State/Region,Postal Code,Country/Region,Lifecycle Stage,Original Traffic Source
        """,
        firstName="First Name", lastName="Last Name", email="Email,Work email,Additional email addresses",
        phone="Phone Number,Mobile Phone Number", position="Job Title", companyName="Company Name",
        companyUrl="Website URL", profileUrl="LinkedIn URL", location="City,State/Region,Country/Region",
    ),
    _export(
        "HubSpot, contacts, in German",
        """
        Datensatz-ID,Vorname,Nachname,E-Mail,Telefonnummer,Zuständiger Mitarbeiter,Unternehmensname,Jobtitel,
        Website-URL,Stadt,Bundesland/Region,Land/Region,Lifecycle-Phase,Lead-Status,Erstellungsdatum
        """,
        firstName="Vorname", lastName="Nachname", email="E-Mail", phone="Telefonnummer", companyName="Unternehmensname",
        position="Jobtitel", companyUrl="Website-URL", location="Stadt,Bundesland/Region,Land/Region",
    ),
    _export(
        "HubSpot, contacts, in French",
        """
        ID de fiche d'informations,Prénom,Nom de famille,E-mail,Numéro de téléphone,Propriétaire du contact,
        Nom de l'entreprise,Intitulé du poste,URL du site web,Ville,État/Région,Pays/Région,Phase du cycle de vie
        """,
        firstName="Prénom", lastName="Nom de famille", email="E-mail", phone="Numéro de téléphone",
        companyName="Nom de l'entreprise", position="Intitulé du poste", companyUrl="URL du site web",
        location="Ville,État/Région,Pays/Région",
    ),
    _export(
        "HubSpot, contacts, in Spanish",
        """
        ID de registro,Nombre,Apellidos,Correo,Número de teléfono,Propietario del contacto,Nombre de la empresa,
        Cargo,URL del sitio web,Ciudad,Estado/región,País/región,Etapa del ciclo de vida
        """,
        firstName="Nombre", lastName="Apellidos", email="Correo", phone="Número de teléfono",
        companyName="Nombre de la empresa", position="Cargo", companyUrl="URL del sitio web",
        location="Ciudad,Estado/región,País/región",
    ),
    _export(
        "Pipedrive, people",
        """
        Person - Name,Person - Label,Person - Organization,Person - Email - Work,Person - Email - Home,
        Person - Email - Other,Person - Phone - Work,Person - Phone - Home,Person - Phone - Mobile,
        Person - Phone - Other,Person - Closed deals,Person - Open deals,Person - Next activity date,Person - Owner,
        Person - ID,Person - First name,Person - Last name,Person - Person created,Person - Update time,
        Person - Marketing status,Person - LinkedIn Page,Person - Title,Organization - Address,Organization - ID
        """,
        email="Person - Email - Work,Person - Email - Home,Person - Email - Other",
        phone="Person - Phone - Work,Person - Phone - Home,Person - Phone - Mobile,Person - Phone - Other",
        firstName="Person - First name", lastName="Person - Last name", companyName="Person - Organization",
        tags="Person - Label", profileUrl="Person - LinkedIn Page", position="Person - Title",
    ),
    _export(
        "Pipedrive, people, in Spanish",
        """
        ID,Persona - Nombre,Persona - Correo electrónico - Trabajo,Persona - Correo electrónico - Casa,
        Persona - Teléfono - Trabajo,Persona - Teléfono - Otro,Persona - Organización,Persona - Etiqueta,
        Persona - Código postal
        """,
        fullName="Persona - Nombre",
        email="Persona - Correo electrónico - Trabajo,Persona - Correo electrónico - Casa",
        phone="Persona - Teléfono - Trabajo,Persona - Teléfono - Otro", companyName="Persona - Organización",
        tags="Persona - Etiqueta",
    ),
    _export(
        "Salesforce, report of contacts",
        """
        Salutation,First Name,Last Name,Title,Mailing Street,Mailing City,Mailing State/Province,
        Mailing Zip/Postal Code,Mailing Country,Phone,Mobile,Fax,Email,Account Owner,Account Name
        """,
        firstName="First Name", lastName="Last Name", position="Title", phone="Phone,Mobile", email="Email",
        companyName="Account Name", location="Mailing City,Mailing State/Province,Mailing Country",
    ),
    _export(
        "Salesforce, report of leads",
        "Lead Owner,First Name,Last Name,Title,Company / Account,Lead Source,Street,Email,Phone,Lead Status,Rating",
        firstName="First Name", lastName="Last Name", position="Title", companyName="Company / Account", email="Email",
        phone="Phone",
    ),
    _export(
        "Google Contacts",
        """
        First Name,Middle Name,Last Name,Phonetic First Name,Phonetic Middle Name,Phonetic Last Name,Name Prefix,
        Name Suffix,Nickname,File As,Organization Name,Organization Title,Organization Department,Birthday,Notes,Photo,
        Labels,E-mail 1 - Label,E-mail 1 - Value,E-mail 2 - Label,E-mail 2 - Value,Phone 1 - Label,Phone 1 - Value,
        Phone 2 - Label,Phone 2 - Value,Address 1 - Label,Address 1 - Formatted,Address 1 - Street,Address 1 - City,
        Address 1 - PO Box,Address 1 - Region,Address 1 - Postal Code,Address 1 - Country,Address 1 - Extended Address,
        Website 1 - Label,Website 1 - Value
        """,
        firstName="First Name", lastName="Last Name", companyName="Organization Name", position="Organization Title",
        imageUrl="Photo", tags="Labels", email="E-mail 1 - Value,E-mail 2 - Value", companyUrl="Website 1 - Value",
        phone="Phone 1 - Value,Phone 2 - Value", location="Address 1 - City,Address 1 - Region,Address 1 - Country",
    ),
    _export(
        "Google Contacts, before 2023",
        """
        Name,Given Name,Family Name,Birthday,Gender,E-mail 1 - Type,E-mail 1 - Value,Phone 1 - Type,Phone 1 - Value,
        Organization 1 - Type,Organization 1 - Name,Organization 1 - Title,Notes
        """,
        firstName="Given Name", lastName="Family Name", email="E-mail 1 - Value", phone="Phone 1 - Value",
        companyName="Organization 1 - Name", position="Organization 1 - Title",
    ),
    _export(
        "Outlook",
        """
        Title,First Name,Middle Name,Last Name,Suffix,Company,Department,Job Title,Business Street,Business City,
        Business State,Business Postal Code,Business Country/Region,Home Street,Home City,Business Fax,Business Phone,
        Home Phone,Mobile Phone,Account,Categories,E-mail Address,E-mail Type,E-mail Display Name,E-mail 2 Address,
        E-mail 2 Type,E-mail 2 Display Name,Web Page
        """,
        firstName="First Name", lastName="Last Name", companyName="Company", position="Job Title",
        phone="Business Phone,Home Phone,Mobile Phone", tags="Categories", email="E-mail Address,E-mail 2 Address",
        companyUrl="Web Page", location="Business City,Business State,Business Country/Region",
    ),
    _export(
        "Outlook, in German",
        """
        Anrede,Vorname,Weitere Vornamen,Nachname,Suffix,Firma,Abteilung,Position,Straße geschäftlich,Ort geschäftlich,
        Postleitzahl geschäftlich,Land/Region geschäftlich,Fax geschäftlich,Telefon geschäftlich,Telefon (privat),
        Mobiltelefon,Beruf,E-Mail-Adresse,E-Mail-Typ,E-Mail: Angezeigter Name,E-Mail 2: Adresse,Kategorien,Webseite
        """,
        firstName="Vorname", lastName="Nachname", companyName="Firma", position="Position",
        phone="Telefon geschäftlich,Telefon (privat),Mobiltelefon", email="E-Mail-Adresse,E-Mail 2: Adresse",
        tags="Kategorien", companyUrl="Webseite", location="Ort geschäftlich,Land/Region geschäftlich",
    ),
    _export(
        "LinkedIn, connections",
        "First Name,Last Name,URL,Email Address,Company,Position,Connected On",
        firstName="First Name", lastName="Last Name", profileUrl="URL", email="Email Address", companyName="Company",
        position="Position",
    ),
    _export(
        "ZoomInfo, contacts",
        """
        ZoomInfo Contact ID,Last Name,First Name,Job Title,Management Level,Company Name,Website,Email Address,
        Email Domain,Direct Phone Number,Mobile phone,Company HQ Phone,Person Street,Person City,Person State,
        Person Zip Code,Country,LinkedIn Contact Profile URL,LinkedIn Company Profile URL,ZoomInfo Contact Profile URL,
        Company City,Company State,Company Country
        """,
        firstName="First Name", lastName="Last Name", position="Job Title", companyName="Company Name",
        companyUrl="Website", email="Email Address", phone="Direct Phone Number,Mobile phone",
        location="Person City,Person State,Country", profileUrl="LinkedIn Contact Profile URL",
    ),
]  # fmt: skip
