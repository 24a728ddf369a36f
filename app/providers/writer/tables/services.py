"""Trades that sell the work of people at desks."""

from app.providers.writer.tables.shapes import Category

SERVICES = (
    Category(
        "marketing_agency", "Marketing agency",
        "marketing services; SEO services; paid advertising; content marketing; social media marketing; lead "
        "generation; digital marketing",
        "marketing agency; seo; ppc; google ads; campaigns; content; social media; growth; leads; advertising; "
        "performance marketing; rankings; ad spend",
        "marketing",
        "paying for clicks that lead nowhere; finding time for content", "getting more enquiries", "marketing; owner",
        {
            "software": "They need a steady flow of new leads, often with a small team.",
            "ecommerce": "Adverts are usually among their largest costs.",
            "clinics": "Patients look for a practice online first.",
            "trades": "Most are found by search and by word of mouth, and few have time for either.",
            "manufacturers": "Many depend on trade fairs and want another way to be found.",
        },
    ),
    Category(
        "web_design", "Web design",
        "web design; website design; websites; web design and development; online shops and websites; website "
        "development",
        "web design; websites; website; wordpress; responsive; landing pages; ux; ui; redesign; web developer; "
        "webflow; hosting",
        "the website",
        "updating the website; losing visitors to an old "
        "website", "having a website that brings enquiries", "marketing; owner",
        {
            "clinics": "Patients decide on a practice by what they find online.",
            "law": "Clients look them up before the first call.",
            "restaurants": "Guests want menu, hours and a table in three taps.",
            "manufacturers": "Their websites often describe machines better than benefits.",
            "nonprofits": "Donors give to what they understand.",
        },
    ),
    Category(
        "software_development", "Software development",
        "software development; app development; custom software; mobile app development; custom software development; "
        "product engineering",
        "software development; custom software; mobile apps; app development; developers; full-stack; mvp; web "
        "applications; engineering team; outsourcing; prototypes; integration",
        "software projects",
        "waiting months for a first version; finding "
        "developers", "getting a first version sooner", "engineering; product",
        {
            "startups": "They have to show a first version before the money runs out.",
            "logistics": "Their processes rarely fit software from the shelf.",
            "clinics": "Booking and records tend to end at the limits of old systems.",
            "manufacturers": "Machines are modern, while the software around them often is not.",
            "banks": "Old systems have to be joined with new services.",
        },
    ),
    Category(
        "it_services", "IT services",
        "IT support; managed IT services; IT services; cloud migration; network support; managed IT support; IT "
        "consulting",
        "it support; managed services; helpdesk; network; microsoft 365; cloud; backup; servers; remote support; it "
        "department; outage; downtime; endpoints; devices",
        "IT",
        "waiting for IT support; keeping every device up to date", "having fewer IT interruptions", "operations; owner",
        {
            "law": "A morning without files is a morning that nobody can bill.",
            "accountants": "Systems must not fail in the weeks before a deadline.",
            "clinics": "A practice stands still when its system does.",
            "architects": "Large files and remote sites ask a lot of a network.",
            "manufacturers": "Office and production networks grow together, often unplanned.",
        },
    ),
    Category(
        "cybersecurity_services", "Security services for IT",
        "penetration testing; security audits; cybersecurity services; security consulting; incident response; "
        "security awareness training",
        "penetration test; penetration testing; pentest; security audit; cybersecurity; red team; incident response; "
        "iso 27001; vulnerabilities; awareness training; soc; nis2",
        "IT security",
        "not knowing what an attacker would find; preparing for an "
        "audit", "knowing the weak points first", "security; it",
        {
            "software": "Their customers often ask for a recent test report.",
            "fintech": "Regular tests are usually part of their licence.",
            "hospitals": "Old devices and open networks meet sensitive records.",
            "energy": "They belong to the infrastructure that has to be protected.",
            "law": "Confidential papers make them a target.",
        },
    ),
    Category(
        "recruitment", "Recruitment",
        "recruitment services; executive search; staffing; recruitment; temporary staffing; recruiting services",
        "recruitment; recruiter; candidates; hiring; talent; staffing; executive search; placements; vacancies; "
        "headhunting; shortlist; temporary staff",
        "hiring",
        "keeping a role open for months; reading many unsuitable "
        "applications", "filling open roles sooner", "people; operations",
        {
            "software": "Good engineers have several offers at once.",
            "manufacturers": "Skilled workers are hard to find in many regions.",
            "hospitals": "Wards cannot run with open shifts.",
            "logistics": "They need many people at short notice before each season.",
            "construction": "Projects start late when foremen are missing.",
        },
    ),
    Category(
        "accounting_services", "Accounting and tax services",
        "accounting services; bookkeeping; tax advice; accounting and tax services; bookkeeping services; payroll "
        "services; audit services",
        "accountant; accountants; bookkeeping; tax; tax returns; vat; annual accounts; audit; chartered; cpa; payroll "
        "services; year-end; filing",
        "bookkeeping and tax",
        "sorting receipts in the evening; being surprised by a tax bill", "having the books in order", "owner; finance",
        {
            "startups": "Founders want clean books before they speak to investors.",
            "restaurants": "Cash, tips and many receipts make their books laborious.",
            "trades": "The paperwork is usually done after hours.",
            "agencies": "They bill projects and need to know which ones paid off.",
            "ecommerce": "Sales into several countries bring several tax rules.",
        },
    ),
    Category(
        "legal_services", "Legal services",
        "legal advice; legal services; employment law advice; contract law advice; intellectual property advice; "
        "immigration law services",
        "law firm; lawyers; solicitors; attorneys; legal advice; litigation; employment law; contract law; trademark; "
        "disputes; counsel; clients; intellectual property",
        "legal matters",
        "signing contracts without a second look; waiting for legal "
        "advice", "having contracts looked at before they are signed", "owner; legal",
        {
            "software": "They sign many contracts and few have a lawyer in house.",
            "startups": "Shares, founders and first hires all need agreements.",
            "construction": "Disputes about defects and delays are common.",
            "brands": "Their name is worth protecting in every country they sell to.",
            "growing": "New staff and new sites bring new duties.",
        },
    ),
    Category(
        "consulting", "Business consulting",
        "business consulting; management consulting; operations consulting; strategy consulting; process consulting; "
        "sustainability consulting",
        "consulting; consultants; strategy; transformation; workshops; process improvement; lean; change management; "
        "advisory; roadmap; stakeholders; coaching",
        "process and strategy",
        "starting projects that never finish; growing faster than the "
        "organisation", "getting one important project done", "owner; operations",
        {
            "manufacturers": "Costs and delivery times are under constant pressure.",
            "growing": "What worked with twenty people often stops working with a hundred.",
            "hospitals": "Processes cross many departments.",
            "banks": "New rules and new competitors ask for new ways of working.",
            "public": "Duties grow while staff rarely does.",
        },
    ),
    Category(
        "translation", "Translation",
        "translation services; translation; localisation; interpreting; technical translation; certified translation; "
        "localization",
        "translation; translations; translator; translators; languages; localisation; localization; interpreting; "
        "native; proofreading; multilingual; subtitles; manuals",
        "translations",
        "waiting for translations; correcting texts in languages nobody in the team "
        "speaks", "publishing in every language at once", "marketing; product",
        {
            "machinery": "Manuals have to be delivered in the language of the buyer.",
            "ecommerce": "In every new country, all product texts are needed once more.",
            "medtech": "Instructions for use have to be right in every language.",
            "law": "Papers from abroad have to be understood to the letter.",
            "software": "An interface in another language opens another market.",
        },
    ),
    Category(
        "training", "Training and coaching",
        "training; leadership training; coaching; sales training; language courses; workshops; safety training; first "
        "aid training",
        "training; workshop; workshops; coaching; coach; leadership; trainer; participants; course; courses; language "
        "training; seminars; skills; first aid",
        "staff training",
        "training people who are spread over many sites; promoting people without preparing "
        "them", "preparing new managers well", "learning; people",
        {
            "software": "Good specialists become managers, often without training.",
            "manufacturers": "Foremen lead large teams and learned a different trade.",
            "exporters": "Their teams work with customers in other languages.",
            "hospitals": "Shift leaders carry responsibility from the first day.",
            "banks": "Advisers have to keep up with rules and with customers.",
        },
    ),
    Category(
        "video", "Photography and film",
        "video production; photography; film production; product photography; animation; corporate photography; event "
        "photography; product films",
        "video; videos; film; films; photography; photographer; animation; shoot; studio; editing; camera; portraits; "
        "footage; storyboard; filming",
        "pictures and films",
        "using the same stock pictures as everybody else; explaining a product in long "
        "texts", "showing the product at its best", "marketing; brand",
        {
            "brands": "Pictures usually decide whether a product is bought.",
            "manufacturers": "Machines are hard to explain and easy to show.",
            "hotels": "Guests book what they see.",
            "universities": "They compete for applicants on the same channels as brands.",
            "agencies": "They need partners who deliver for their clients on time.",
        },
    ),
    Category(
        "design", "Design and branding",
        "branding; graphic design; brand design; packaging design; product design; design services; UX design",
        "branding; brand identity; logo; logos; graphic design; packaging design; typography; visual identity; "
        "designers; illustration; user research; prototyping",
        "the brand",
        "looking like every competitor; explaining the brand to every supplier "
        "again", "looking as good as the product is", "brand; marketing",
        {
            "food_makers": "On the shelf, the pack has seconds to convince.",
            "startups": "They have to look trustworthy before they are known.",
            "brands": "Every collection has to look new and still familiar.",
            "hotels": "Guests recognise a house by its details.",
            "nonprofits": "They have to be recognised with a small budget.",
        },
    ),
    Category(
        "pr", "Public relations and text",
        "public relations; PR services; copywriting; communications consulting; media relations; content writing",
        "public relations; pr; press releases; journalists; media relations; media coverage; copywriting; copywriter; "
        "storytelling; communications; crisis; articles",
        "communication",
        "writing press releases that nobody prints; finding time to "
        "write", "being read by the right people", "marketing; owner",
        {
            "startups": "They need attention and have no name yet.",
            "energy": "Projects need the understanding of neighbours.",
            "pharma": "Their subjects are complicated and strictly regulated.",
            "software": "They often do more than they manage to explain.",
            "nonprofits": "Attention is what their work depends on.",
        },
    ),
    Category(
        "customer_service", "Outsourced customer service",
        "customer service outsourcing; call answering; call centre services; a telephone answering service; virtual "
        "assistants; back office services",
        "call centre; call center; call answering; outsourcing; customer service; receptionists; virtual assistant; "
        "agents; calls; multilingual support; answering service; back office",
        "customer calls",
        "missing calls during busy hours; training new agents every "
        "season", "answering every call", "support; operations",
        {
            "ecommerce": "Questions come in peaks, before holidays most of all.",
            "trades": "Nobody can take a call on a ladder.",
            "clinics": "Calls come while patients stand at the desk.",
            "law": "New clients rarely leave a message.",
            "travel": "Travellers call at any hour and in many languages.",
        },
    ),
    Category(
        "insurance_broker", "Insurance",
        "business insurance; insurance advice; insurance brokerage; commercial insurance; liability insurance; cyber "
        "insurance",
        "insurance; insurer; policy; policies; broker; liability; cover; claims; premium; premiums; risk; "
        "underwriters; indemnity",
        "insurance",
        "paying for cover that is not needed; filling in claims "
        "forms", "being covered for the right risks", "finance; owner",
        {
            "construction": "Sites carry risks that change with every project.",
            "software": "Their contracts often ask for proof of liability cover.",
            "fleets": "Many vehicles mean many small claims.",
            "manufacturers": "A standstill can cost more than the damage itself.",
            "clinics": "Liability is part of their daily work.",
        },
    ),
    Category(
        "engineering", "Architecture and engineering",
        "engineering services; architecture; structural engineering; planning services; surveying; engineering "
        "design; land surveying; energy consulting",
        "architects; architecture; structural; surveying; surveyors; engineers; planning permission; feasibility; "
        "drawings; cad; building regulations; site survey; geotechnical",
        "planning and design",
        "waiting for drawings; changing plans late in a "
        "project", "having plans that can be built as drawn", "projects; property",
        {
            "developers": "Every month of planning costs them interest.",
            "construction": "They build from drawings that have to be right.",
            "public": "Their buildings are old and their procedures strict.",
            "manufacturers": "New lines need halls, foundations and permits.",
            "energy": "Their sites have to be surveyed and approved first.",
        },
    ),
    Category(
        "research", "Market research",
        "market research; user research; surveys; customer research; data collection; consumer research",
        "market research; survey; surveys; respondents; focus groups; panel; interviews; fieldwork; insights; "
        "consumer; sample; questionnaire",
        "research",
        "deciding without asking customers; waiting months for a "
        "study", "knowing what customers think before a launch", "marketing; product",
        {
            "brands": "They launch products that cannot be taken back quietly.",
            "software": "They often build what was asked for loudly, not what is needed most.",
            "media": "They live from knowing their audience.",
            "pharma": "They have to understand patients and doctors.",
            "public": "They have to know what citizens need.",
        },
    ),
)  # fmt: skip
