"""Trades that sell software."""

from app.providers.writer.tables.shapes import Category

SOFTWARE = (
    Category(
        "payroll", "Payroll and HR software",
        "payroll software; HR software; payroll and HR software; people management software; shift planning software; "
        "rota software; time tracking software",
        "payroll; payslip; hr; human resources; leave; absence; rota; shift; timesheet; employee; onboarding; "
        "holiday; overtime",
        "payroll and HR",
        "fixing payslips by hand; chasing timesheets", "running payroll with less manual work", "people; finance",
        {
            "restaurants": "Shifts tend to change every week, and payslips change with them.",
            "software": "Teams often grow quickly, and people join in more than one country.",
            "care": "Rotas usually run around the clock, with many contracts and allowances.",
            "agencies": "Small teams rarely have somebody who looks after HR full time.",
            "manufacturers": "Shift allowances and overtime usually make every payroll run different.",
        },
    ),
    Category(
        "accounting_software", "Finance software",
        "accounting software; invoicing software; expense management software; bookkeeping software; billing "
        "software; finance software",
        "accounting; invoice; invoicing; bookkeeping; expense; expenses; reconcile; ledger; vat; receipts; cash flow; "
        "billing; month-end",
        "invoices and bookkeeping",
        "chasing receipts; closing the month late", "closing the month sooner", "finance; owner",
        {
            "agencies": "They often bill many small projects, and each invoice has its own story.",
            "ecommerce": "Many small payments have to be matched with orders.",
            "consultancies": "Time and expenses usually have to become invoices every month.",
            "construction": "Stage payments and subcontractors tend to make the books complicated.",
            "accountants": "They look after the books of many clients, and a tool that saves time does so for each.",
        },
    ),
    Category(
        "crm", "Sales software",
        "sales software; CRM software; a CRM; sales automation software; quoting software; proposal software",
        "crm; pipeline; leads; sales team; deals; forecast; prospecting; outreach; quote; proposal; sales reps; "
        "closing",
        "the sales pipeline",
        "keeping the pipeline up to date; following up late", "spending more time with customers", "sales; owner",
        {
            "software": "Sales teams tend to grow before their process does.",
            "agencies": "New business usually depends on a few people who are busy with clients.",
            "recruiters": "They often keep two pipelines at once, candidates and clients.",
            "manufacturers": "Quotes take long, and follow-ups are easily forgotten.",
            "consultancies": "Partners sell next to their project work, so leads tend to wait.",
        },
    ),
    Category(
        "marketing_software", "Marketing software",
        "marketing software; email marketing software; marketing automation software; social media software; SEO "
        "software; survey software",
        "campaign; newsletter; email marketing; social media; audience; conversion; landing page; seo; content; "
        "segmentation; engagement",
        "campaigns and content",
        "preparing campaigns by hand; not knowing which campaign "
        "worked", "getting more out of each campaign", "marketing; ecommerce",
        {
            "ecommerce": "Their sales usually follow their campaigns closely.",
            "agencies": "They run campaigns for many clients and need to show results.",
            "software": "Marketing often has to fill the pipeline with a small team.",
            "brands": "They speak to their customers on many channels at once.",
            "events": "Every event needs its own campaign, in a short time.",
        },
    ),
    Category(
        "support_software", "Customer support software",
        "customer support software; help desk software; a help desk; live chat software; customer service software",
        "support; ticket; tickets; help desk; live chat; agents; inbox; knowledge base; customer service; csat; "
        "response time",
        "customer support",
        "answering the same questions again and again; losing track of "
        "tickets", "answering customers sooner", "support; operations",
        {
            "software": "The number of tickets tends to grow with every new customer.",
            "ecommerce": "Questions about orders and returns come in peaks.",
            "fintech": "Customers expect quick answers when money is involved.",
            "travel": "Plans change, and many travellers ask at the same time.",
            "telecom": "They serve many customers over many channels.",
        },
    ),
    Category(
        "project_software", "Project and work software",
        "project management software; task management software; collaboration software; resource planning software; "
        "document management software",
        "project management; tasks; kanban; gantt; collaboration; deadlines; workflow; workspace; planning; "
        "documents; approvals; milestones",
        "project planning",
        "searching for the latest version; missing handovers", "finishing projects on time", "operations; projects",
        {
            "agencies": "Many client projects run side by side, each with its own deadline.",
            "consultancies": "People move between projects, and plans have to follow.",
            "architects": "Projects run for years and involve many parties.",
            "construction": "Plans change on site, and everybody needs the current one.",
            "software": "Several teams have to agree on what comes next.",
        },
    ),
    Category(
        "developer_tools", "Developer tools",
        "developer tools; a developer platform; monitoring software; API software; testing software; hosting for "
        "applications; observability software",
        "developers; api; sdk; deploy; deployment; ci/cd; kubernetes; observability; logs; monitoring; open source; "
        "cloud; pipeline; engineers; tests",
        "deployments and reliability",
        "finding the cause of an incident; waiting for builds", "shipping with fewer incidents", "engineering; it",
        {
            "software": "Their product is their code, so every slow release costs them.",
            "fintech": "They have to release often and still be able to prove what changed.",
            "ecommerce": "An outage during a campaign usually costs sales at once.",
            "it_providers": "They look after the systems of many clients at once.",
            "startups": "Few engineers look after everything, so tools have to save time.",
        },
    ),
    Category(
        "analytics", "Data and analytics software",
        "analytics software; business intelligence software; reporting software; a data platform; dashboard software; "
        "data software",
        "analytics; dashboard; dashboards; data warehouse; reporting; metrics; insights; bi; kpi; data teams; sql; "
        "spreadsheet",
        "reporting and data",
        "collecting numbers from many spreadsheets; agreeing on the right "
        "number", "deciding on numbers everybody trusts", "data; finance",
        {
            "ecommerce": "Orders, adverts and stock usually live in different systems.",
            "software": "Usage data is plentiful, but answers still take days in many teams.",
            "logistics": "Margins are thin, and they depend on many small numbers.",
            "retail": "Many shops report, and somebody has to put the numbers together.",
            "banks": "They report to many parties, and every number has to be right.",
        },
    ),
    Category(
        "security_software", "Security and compliance software",
        "security software; compliance software; cybersecurity software; identity software; backup software; fraud "
        "prevention software",
        "security; compliance; soc 2; iso 27001; gdpr; vulnerability; threat; phishing; identity; encryption; audit; "
        "backup; ransomware; fraud",
        "security and compliance",
        "preparing for audits by hand; answering security "
        "questionnaires", "passing audits with less effort", "security; legal",
        {
            "software": "Their own customers often ask for proof of security before they sign.",
            "fintech": "Regulators and partners look at them closely.",
            "clinics": "Patient records are sensitive, and few practices have a security team.",
            "law": "Clients trust them with confidential papers.",
            "insurers": "They keep personal records for many years.",
        },
    ),
    Category(
        "ecommerce_software", "E-commerce software",
        "e-commerce software; shop software; inventory software; product information software; returns software; "
        "checkout software",
        "e-commerce; ecommerce; checkout; online store; cart; catalog; inventory; stock; orders; marketplace; "
        "returns; shopify; product data",
        "the online shop",
        "keeping stock and orders in step; handling returns by "
        "hand", "selling more with the same team", "ecommerce; operations",
        {
            "ecommerce": "The shop is their whole business, and small improvements show at once.",
            "brands": "More and more of them sell to customers directly.",
            "retail": "Shop and website have to agree about stock and prices.",
            "wholesalers": "Their buyers often expect to order as easily as they do at home.",
            "food_makers": "Direct orders tend to bring better margins than trade alone.",
        },
    ),
    Category(
        "field_software", "Field service software",
        "field service software; job management software; scheduling software for trades; maintenance software; work "
        "order software",
        "field service; technicians; job scheduling; work orders; dispatch; job sheets; engineers on site; "
        "maintenance; tradespeople; quotes; on site",
        "job scheduling",
        "planning jobs on paper; paperwork after every visit", "getting more jobs done in a day", "operations; owner",
        {
            "trades": "The owner usually plans the jobs in the evening, after the work.",
            "construction": "Crews, materials and dates have to meet on site.",
            "cleaners": "Many small jobs in many places have to be planned each day.",
            "property": "Tenants report repairs, and somebody has to send the right person.",
            "energy": "Installations and inspections need planning over large areas.",
        },
    ),
    Category(
        "booking_software", "Booking software",
        "booking software; appointment software; reservation software; a booking system; hotel software; membership "
        "software",
        "booking; bookings; appointment; appointments; reservation; calendar; no-show; no-shows; guests; members; "
        "class; waitlist; availability; channel manager",
        "bookings",
        "answering the phone for every booking; filling slots after "
        "cancellations", "filling more slots", "operations; owner",
        {
            "hotels": "Rooms are sold on many channels, and each has its own calendar.",
            "gyms": "Members book, cancel and swap classes all day.",
            "salons": "An appointment that is missed is income that is lost.",
            "clinics": "The front desk often spends hours a day on the phone.",
            "restaurants": "Tables that stay empty cannot be sold later.",
        },
    ),
    Category(
        "property_software", "Property software",
        "property management software; real estate software; tenant management software; facility management software",
        "property management; tenant; tenants; landlord; lease; leases; rent; maintenance requests; real estate; "
        "units; building",
        "leases and tenants",
        "answering every tenant by email; keeping leases in "
        "spreadsheets", "managing more units with the same team", "property; finance",
        {
            "property": "They look after many units with few people.",
            "developers": "New buildings have to be let and handed over.",
            "coworking": "Members come and go, and contracts are short.",
            "real_estate": "Listings, viewings and papers have to be kept together.",
            "public": "Many of them own housing and have to account for it.",
        },
    ),
    Category(
        "logistics_software", "Logistics software",
        "logistics software; transport management software; warehouse software; route planning software; fleet "
        "software; shipment tracking software",
        "shipment; shipments; freight; route; routes; warehouse; tracking; delivery; fleet; carrier; carriers; "
        "dispatch; supply chain; drivers",
        "transport planning",
        "planning routes by hand; calling drivers for their "
        "position", "delivering with fewer empty miles", "supply; fleet",
        {
            "logistics": "Their margin depends on how well each vehicle is used.",
            "ecommerce": "Customers expect to know where their parcel is.",
            "wholesalers": "Many small deliveries leave the warehouse every day.",
            "food_makers": "Fresh goods leave no room for delays.",
            "manufacturers": "Late parts can stop a production line.",
        },
    ),
    Category(
        "learning_software", "Learning software",
        "learning software; e-learning software; training software; school software; a learning platform; course "
        "software",
        "learning; course; courses; students; lms; e-learning; teachers; classroom; curriculum; learners; lessons; "
        "quiz; training platform",
        "training and courses",
        "keeping track of who has learned what; getting people to finish a "
        "course", "training people sooner", "learning; schools",
        {
            "schools": "Teachers spend much of their time on preparation and marking.",
            "universities": "Large courses need material that works without a lecture hall.",
            "trainers": "Courses are their product, and how they are delivered decides who comes back.",
            "manufacturers": "Safety training has to be repeated and documented.",
            "hospitals": "Staff have to prove their training regularly.",
        },
    ),
    Category(
        "health_software", "Healthcare software",
        "practice management software; healthcare software; patient software; clinic software; dental software; "
        "veterinary software; telehealth software",
        "patient; patients; clinic; practice management; electronic health record; medical records; prescriptions; "
        "telehealth; doctors; dental; recall; treatment",
        "patient administration",
        "paperwork after every appointment; reminding patients by "
        "phone", "spending more time with patients", "clinical; operations",
        {
            "clinics": "Paperwork takes time that is missing for patients.",
            "dentists": "Recalls and treatment plans have to be followed up.",
            "vets": "Appointments, emergencies and stock of medicine meet at one desk.",
            "hospitals": "Many departments have to work with the same records.",
            "care": "Care has to be documented for every resident, every day.",
        },
    ),
    Category(
        "restaurant_software", "Restaurant software",
        "restaurant software; point of sale software; a point of sale; kitchen software; ordering software for "
        "restaurants; menu software",
        "restaurant; pos; point of sale; menu; menus; kitchen; table; orders; online ordering; food cost; allergen; "
        "recipes; tips; waiters",
        "orders and menus",
        "changing menus and prices by hand; not knowing the cost of a "
        "dish", "serving more guests with the same team", "food; owner",
        {
            "restaurants": "Orders, kitchen and till have to work together on the busiest evening.",
            "cafes": "Queues are short-lived, and a slow till sends people away.",
            "hotels": "Breakfast, bar and rooms often end up on one bill.",
            "caterers": "Every event has its own menu, and costs are known late.",
            "food_makers": "Recipes and allergens have to be right on every label.",
        },
    ),
    Category(
        "legal_software", "Legal software",
        "contract software; contract management software; legal software; case management software; e-signature "
        "software",
        "contract; contracts; legal; law firm; case management; clause; signature; e-signature; matter; matters; "
        "redlining; contract review",
        "contracts",
        "finding the signed version; waiting for signatures", "signing contracts sooner", "legal; operations",
        {
            "law": "Their work is documents, and every hour has to be accounted for.",
            "software": "Each new customer brings another contract with other wishes.",
            "property": "Leases run for years and end on dates that must not be missed.",
            "banks": "Contracts have to follow strict rules and stay retrievable.",
            "growing": "Few have a lawyer in house, but all of them sign contracts.",
        },
    ),
    Category(
        "construction_software", "Construction software",
        "construction software; building information software; site management software; estimating software; site "
        "inspection software",
        "construction; site; building site; bim; estimate; estimating; defects; snagging; plans; contractor; "
        "subcontractor; site diary; tender",
        "sites and plans",
        "working from an old plan; writing site reports at "
        "night", "handing over with fewer defects", "projects; operations",
        {
            "construction": "Office and site often work from different versions of a plan.",
            "architects": "They answer for plans that others build from.",
            "developers": "They want to know early whether a project runs late.",
            "trades": "Quotes and site reports are usually written after hours.",
            "public": "Public works have to be documented without gaps.",
        },
    ),
    Category(
        "payments", "Payment services",
        "payment services; online payments; card terminals; payment processing; a payment gateway; subscription "
        "billing",
        "payment; payments; card; checkout; terminal; terminals; payouts; transactions; gateway; refunds; chargeback; "
        "acquiring; direct debit",
        "payments", "matching payments by hand; chasing failed payments", "getting paid sooner", "finance; ecommerce",
        {
            "ecommerce": "A checkout that fails is a customer that leaves.",
            "software": "Subscriptions have to renew without anybody noticing.",
            "restaurants": "Guests want to pay quickly, and tips have to be right.",
            "retail": "Tills, terminals and accounts have to agree every evening.",
            "travel": "Bookings are paid in many currencies and often refunded.",
        },
    ),
    Category(
        "ai", "Automation and AI software",
        "automation software; AI software; an AI assistant; chatbot software; document processing software; workflow "
        "automation",
        "artificial intelligence; ai; machine learning; automation; automate; assistant; chatbot; agents; language "
        "model; workflows; extraction; rpa",
        "automation",
        "copying text between systems; doing the same task every day", "handing over routine work", "operations; it",
        {
            "insurers": "Claims arrive as letters, forms and pictures.",
            "logistics": "Orders and papers come in as emails and scans.",
            "accountants": "Documents of many clients have to be read and sorted.",
            "banks": "Checks and forms take many steps with many rules.",
            "ecommerce": "Product texts and questions of customers pile up quickly.",
        },
    ),
    Category(
        "communication", "Communication software",
        "business phone software; video meeting software; messaging software; a phone system; internal communication "
        "software",
        "phone system; voip; calls; video meetings; messaging; intranet; conference; call routing; sms; numbers; team "
        "chat",
        "calls and messages",
        "missing calls; reaching everybody with news", "reaching people the first time", "it; operations",
        {
            "real_estate": "A call that is missed is often a viewing that goes to somebody else.",
            "clinics": "The phone rings most when the practice is full.",
            "teams_remote": "People who never meet need good ways to talk.",
            "retail": "Staff in shops rarely have a desk or a mailbox.",
            "law": "Clients expect to reach their lawyer.",
        },
    ),
    Category(
        "event_software", "Event software",
        "event software; ticketing software; registration software; conference software; event management software",
        "event; events; tickets; ticketing; attendees; registration; conference; badges; agenda; speakers; "
        "exhibitors; organisers",
        "registration and tickets",
        "queuing at the entrance; keeping lists of attendees by "
        "hand", "welcoming guests without queues", "events; marketing",
        {
            "events": "Everything has to work on one day, and there is no second try.",
            "venues": "Many organisers with different wishes use the same halls.",
            "universities": "Open days and conferences come every year.",
            "nonprofits": "Fundraising events need many guests and little effort.",
            "software": "Own conferences and user meetings are part of their marketing.",
        },
    ),
    Category(
        "hardware", "Sensors and devices",
        "sensors and devices; monitoring devices; smart building technology; IoT devices; measuring instruments",
        "sensor; sensors; iot; device; devices; measurement; monitoring; temperature; connected; gateway; "
        "calibration; instruments",
        "monitoring of machines and "
        "buildings",
        "finding out too late; reading meters by "
        "hand", "knowing sooner when something is wrong", "production; facilities",
        {
            "manufacturers": "A machine that stops without warning costs a shift.",
            "food_makers": "Temperatures have to be kept and proved.",
            "property": "Meters and technical rooms are spread over many buildings.",
            "warehouses": "Goods have to be stored at the right conditions.",
            "hospitals": "Medicines and laboratories depend on stable conditions.",
        },
    ),
)  # fmt: skip
